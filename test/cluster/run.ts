import { parseArgs } from 'node:util'
import { missingPackages, startSite } from '../../scripts/production/site.ts'
import { createClient } from '../faults/client.ts'
import { carryOut } from '../faults/scenario.ts'
import { makeKey } from '../faults/service.ts'
import { scenarios } from './scenarios.ts'

const usage = `Usage: npm run test:cluster -- [--short] [--only NAME]

Starts what compose.yaml describes on this machine (as npm run cluster does), restarts and kills its parts under load, and
prints what became of it, in about ten minutes. Exit code 1: something was lost, doubled or not exact.
  --short  one round of each
  --only   the scenarios whose name begins with this: ${scenarios.map(({ name }) => name).join(', ')}`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const chosen = scenarios.filter(({ name }) => name.startsWith(values.only))
  if (chosen.length === 0) throw new TypeError(`There is no scenario ${values.only}`)
  const missing = missingPackages()
  if (missing.length > 0) throw new TypeError(`apt-get install ${missing.join(' ')}`)
  const site = await startSite({
    servers: 3,
    haproxy: true,
    redis: true,
    progress: text => console.log(`Starting ${text}`),
  })
  const { send, close } = createClient(site.url ?? '')
  try {
    const key = await makeKey(send, site.firstKey)
    const held = await carryOut(
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
            rounds: values.short ? 1 : rounds,
            progress,
          }),
      })),
    )
    return held ? 0 : 1
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
