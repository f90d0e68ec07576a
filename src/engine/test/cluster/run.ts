import { Misuse, runCommand, wholeNumber } from '../../tools/command/arguments.ts'
import { carryOut } from '../faults/scenario.ts'
import { makeKey } from '../faults/service.ts'
import { createClient } from '../support/http.ts'
import { chosenFrom, scenarioOptions } from '../support/scenarios.ts'
import { patroni } from './patroni.ts'
import { scenarios } from './scenarios.ts'
import { missingPackages, startSite } from './site.ts'

const names = [...scenarios, patroni].map(({ name }) => name)
const usage = `Usage: npm run test:cluster -- [--short] [--only NAME] [--kills COUNT] [--record]

Starts what compose.yaml describes on this machine (as npm run cluster does), restarts and kills its parts under load, then
kills or stops the primary of PostgreSQL under Patroni, and prints what became of it, in about eight minutes. Exit code 1: something
was lost, doubled or not exact.
  --short  one round of each
  --only   the scenarios whose name begins with this: ${names.join(', ')}
  --kills  how many primaries are struck under Patroni, 1 to 10 (${patroni.rounds})
  --record keep the figures of those that hold, for \`npm run readme\``

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

const options = { ...scenarioOptions, kills: { type: 'string', default: String(patroni.rounds) } } as const

await runCommand({ usage, options, failure: 2 }, async ({ short, only, kills, record }) => {
  const count = wholeNumber('--kills', kills, 1)
  if (count > 10) throw new Misuse('--kills is 10 at most')
  const chosen = chosenFrom(names, only)
  const onSite = scenarios.filter(({ name }) => chosen.includes(name))
  const missing = onSite.length > 0 ? missingPackages() : []
  if (missing.length > 0) throw new Misuse(`apt-get install ${missing.join(' ')}`)
  const held = onSite.length === 0 || (await playOnSite(onSite, short, record))
  if (!chosen.includes(patroni.name)) return held ? 0 : 1
  const { name: title, description } = patroni
  const run = (progress: (text: string) => void) => patroni.run(short ? 1 : count, progress)
  return (await carryOut([{ title, description, run }], record)) && held ? 0 : 1
})
process.exit() // the callers of a scenario that broke off would go on
