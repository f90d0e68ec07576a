import { parseArgs } from 'node:util'
import { missingPackages, startSite } from '../../scripts/production/site.ts'
import { createClient } from '../faults/client.ts'
import { carryOut } from '../faults/scenario.ts'
import { makeKey } from '../faults/service.ts'
import { patroni } from './patroni.ts'
import { scenarios } from './scenarios.ts'

const names = [...scenarios, patroni].map(({ name }) => name)
const usage = `Usage: npm run test:cluster -- [--short] [--only NAME] [--kills COUNT]

Starts what compose.yaml describes on this machine (as npm run cluster does), restarts and kills its parts under load, then
kills the primary of PostgreSQL under Patroni, and prints what became of it, in about twelve minutes. Exit code 1: something
was lost, doubled or not exact.
  --short  one round of each
  --only   the scenarios whose name begins with this: ${names.join(', ')}
  --kills  how many primaries are killed under Patroni, 1 to 10 (${patroni.rounds})`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      kills: { type: 'string', default: String(patroni.rounds) },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const kills = Number(values.kills)
  if (!Number.isInteger(kills) || kills < 1 || kills > 10)
    throw new TypeError('--kills takes a number from 1 to 10')
  const chosen = names.filter(name => name.startsWith(values.only))
  if (chosen.length === 0) throw new TypeError(`There is no scenario ${values.only}`)
  const onSite = scenarios.filter(({ name }) => chosen.includes(name))
  const withPatroni = chosen.includes(patroni.name)
  const missing = onSite.length > 0 ? missingPackages() : []
  if (missing.length > 0) throw new TypeError(`apt-get install ${missing.join(' ')}`)
  const held = onSite.length === 0 || (await playOnSite(onSite, values.short))
  if (!withPatroni) return held ? 0 : 1
  const { name: title, description } = patroni
  const run = (progress: (text: string) => void) => patroni.run(values.short ? 1 : kills, progress)
  return (await carryOut([{ title, description, run }])) && held ? 0 : 1
}

/** @returns whether all held */
async function playOnSite(chosen: typeof scenarios, isShort: boolean): Promise<boolean> {
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
    )
  } finally {
    close()
    await site.close()
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof TypeError) console.error(`${error.message}\n\n${usage}`)
  else console.error(error)
  process.exitCode = 2
}
