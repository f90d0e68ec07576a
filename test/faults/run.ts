import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { diskFull } from './disk-full.ts'
import { hangs } from './hangs.ts'
import { kills } from './kills.ts'
import { migration } from './migration.ts'
import { databaseOutages, redisOutages } from './outages.ts'
import { overload } from './overload.ts'
import { pooler } from './pooler.ts'
import { redisFailover } from './redis-failover.ts'
import { replicas } from './replicas.ts'
import { carryOut, type Setting } from './scenario.ts'
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
  replicas,
  redisFailover,
]

const usage = `Usage: npm run test:faults -- [--short] [--only NAME]

Breaks what the service stands on, with real parts, and prints what became of it. Exit code 1: something was lost,
doubled, silent for too long, or answered in another form than the document's.
  --short  less of everything, in under two minutes
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
  const chosen = scenarios.filter(
    ({ name, needs }) => name.startsWith(values.only) && !(values.short && needs && !values.only),
  )
  if (chosen.length === 0) throw new TypeError(`There is no scenario ${values.only}`)
  const runs = chosen.flatMap(({ name, description, databases, needs, run }) => {
    if (needs && spawnSync(needs.command, ['--version']).error) {
      const fault = `not run, as there is no ${needs.command}: ${needs.from}`
      return [{ title: name, description, run: async () => ({ figures: {}, faults: [fault] }) }]
    }
    return databases.map(database => ({
      title: `${name} on ${database}`,
      description,
      run: (progress: Setting['progress']) => run({ short: values.short, database, progress }),
    }))
  })
  return (await carryOut(runs)) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}
