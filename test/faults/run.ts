import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { diskFull } from './disk-full.ts'
import { hangs } from './hangs.ts'
import { kills } from './kills.ts'
import { migration } from './migration.ts'
import { databaseOutages, redisOutages } from './outages.ts'
import { overload } from './overload.ts'
import { pooler } from './pooler.ts'
import type { Outcome } from './scenario.ts'
import { slowReaders } from './slow-readers.ts'
import { stops } from './stops.ts'

const scenarios = [
  kills,
  stops,
  databaseOutages,
  redisOutages,
  hangs,
  diskFull,
  overload,
  slowReaders,
  migration,
  pooler,
]

const usage = `Usage: npm run test:faults -- [--short] [--only NAME]

Breaks what the service stands on, with real parts, and prints what became of it. Exit code 1: something was lost,
doubled, silent for too long, or answered in another form than the document's.
  --short  less of everything, in under two minutes
  --only   the scenarios whose name begins with this: ${scenarios.map(({ name }) => name).join(', ')}`

/** Figures and faults of each scenario, as a table of text. */
function print(name: string, { figures, faults }: Outcome): void {
  console.log(`\n${name}: ${faults.length === 0 ? 'held' : 'DID NOT HOLD'}`)
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(45)} ${value}`)
  for (const fault of faults) console.log(`  ! ${fault}`)
}

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
  const chosen = scenarios.filter(
    ({ name, needs }) => name.startsWith(values.only) && !(values.short && needs && !values.only),
  )
  if (chosen.length === 0) throw new TypeError(`There is no scenario ${values.only}`)
  let failed = 0
  for (const { name, description, databases, needs, run } of chosen) {
    if (needs && spawnSync(needs.command, ['--version']).error) {
      console.log(`\n${name}: NOT RUN, as there is no ${needs.command}: ${needs.from}`)
      failed++
      continue
    }
    for (const database of databases) {
      const title = `${name} on ${database}`
      console.log(`\n${title}: ${description}`)
      const begun = performance.now()
      const progress = (text: string) =>
        console.log(`  ${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${text}`)
      const outcome = await run({ short: values.short, database, progress }).catch(
        (error: unknown): Outcome => ({
          figures: {},
          faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
        }),
      )
      print(title, outcome)
      if (outcome.faults.length > 0) failed++
    }
  }
  console.log(failed === 0 ? '\nAll held.' : `\n${failed} did not hold.`)
  return failed === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}
