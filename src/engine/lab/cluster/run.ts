import { Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { carryOut } from '../faults/scenario.ts'
import { makeKey } from '../faults/service.ts'
import { createClient } from '../support/http.ts'
import { chosenFrom, endSoon, type ScenarioWishes } from '../support/scenarios.ts'
import { patroni } from './patroni.ts'
import { scenarios } from './scenarios.ts'
import { missingPackages, startSite } from './site.ts'

const names = [...scenarios, patroni].map(({ name }) => name)

/** @returns whether all held */
async function playOnSite(chosen: typeof scenarios, isShort: boolean, isRecorded: boolean): Promise<boolean> {
  const site = await startSite({
    servers: 3,
    haproxy: true,
    redis: true,
    progress: text => console.log(`Starting ${text}`),
  })
  const { send, close } = createClient(site.url ?? '')
  try {
    const key = await makeKey(send, site.firstKey)
    return await carryOut(
      chosen.map(({ name, description, rounds, play }) => ({
        title: name,
        description,
        run: progress =>
          play({
            site,
            key,
            limitedKey: quota => makeKey(send, key, quota),
            readers: 12,
            buyers: 6,
            rounds: isShort ? 1 : rounds,
            progress,
          }),
      })),
      isRecorded,
    )
  } finally {
    close()
    await site.close()
  }
}

export async function run(wishes: ScenarioWishes & { kills: string | undefined }): Promise<number> {
  const count = wholeNumber('--kills', wishes.kills ?? String(patroni.rounds), 1)
  if (count > 10) throw new Misuse('--kills is 10 at most')
  const chosen = chosenFrom(names, wishes.only)
  const onSite = scenarios.filter(({ name }) => chosen.includes(name))
  const missing = onSite.length > 0 ? missingPackages() : []
  if (missing.length > 0) throw new Misuse(`apt-get install ${missing.join(' ')}`)
  const playAll = async ({ short, record }: ScenarioWishes) => {
    const held = onSite.length === 0 || (await playOnSite(onSite, short, record))
    if (!chosen.includes(patroni.name)) return held
    const { name: title, description } = patroni
    const kill = (progress: (text: string) => void) => patroni.run(short ? 1 : count, progress)
    return (await carryOut([{ title, description, run: kill }], record)) && held
  }
  return (await playAll(wishes).finally(endSoon)) ? 0 : 1
}
