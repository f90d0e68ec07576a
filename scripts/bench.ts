import { Misuse, runCommand, wholeNumber } from './arguments.ts'
import type { Settings } from './bench/bench.ts'
import { compare } from './bench/compare.ts'
import { benchGrowth } from './bench/growth.ts'
import { benchLog } from './bench/log.ts'
import { benchMemory } from './bench/memory.ts'
import { operations } from './bench/operations.ts'
import { peerNames } from './bench/peers.ts'
import { benchRedis } from './bench/redis.ts'
import { benchRefusals } from './bench/refusals.ts'
import { benchStart } from './bench/start.ts'
import { benchWalls } from './bench/walls.ts'

const usage = `Usage: npm run bench -- [growth | refusals | start | memory | redis | log | walls] [options]

Measures this service against others that serve the same operations, in turns, on a PostgreSQL that it starts. The others
are installed into scripts/bench/.peers. Tables and pictures go into test/.output/bench.
  growth    what becomes of it with more animals, pages, keys, connections, and operations in the document
  refusals  304, 400, 401, 403, 404 and 429 against a 200
  start     how long a start takes, and what memory it needs
  memory    what memory it holds under load, round after round
  redis     limits counted in Redis against those counted in memory
  log       log at info against warn and none
  walls     what ends how far it scales: connections, the write-ahead log, rows that all want, Redis

  --rounds N        rounds that count; one before them does not (default: 5; walls: 2; memory: 10, all of which count)
  --seconds N       of each measurement (default: 3; walls: 1; memory: 15)
  --connections N   each sends its next request when the last is answered (default: 64)
  --readme          write the table and the picture of scripts/bench/README.md anew; with walls, the table of
                    scripts/production/scaling.md
  --short           2 rounds of 1 second: to see that it works, not to compare
and without a mode:
  --only LIST       of ${operations.map(({ name }) => name).join(', ')}
  --peers LIST      of ${peerNames.join(', ')}; the first is what ratios are against
  --orders HOW      how the peers place an order: transaction (default; two statements, as it is usually written; all
                    but raw) or statement (one that does the same)`

const modes: Readonly<Record<string, (settings: Settings, readme: boolean) => Promise<number>>> = {
  growth: benchGrowth,
  refusals: benchRefusals,
  start: benchStart,
  memory: benchMemory,
  redis: benchRedis,
  log: benchLog,
  walls: benchWalls,
}

const options = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string', default: '64' },
  only: { type: 'string' },
  peers: { type: 'string' },
  orders: { type: 'string' },
  short: { type: 'boolean' },
  readme: { type: 'boolean' },
} as const

await runCommand({ usage, positionals: 1, options }, async (values, [mode]) => {
  const { short, only, peers, orders = 'transaction', readme } = values
  const isWalls = mode === 'walls'
  const [rounds, seconds] = short || isWalls ? ['2', '1'] : mode === 'memory' ? ['10', '15'] : ['5', '3']
  const settings = {
    rounds: wholeNumber('--rounds', values.rounds ?? rounds, 1),
    seconds: wholeNumber('--seconds', values.seconds ?? seconds, 1),
    connections: wholeNumber('--connections', values.connections, 1),
  }
  if (mode !== undefined) {
    const bench = Object.hasOwn(modes, mode) ? modes[mode] : undefined
    if (!bench) throw new Misuse(`There is no benchmark ${mode}`)
    const given = Object.entries({ only, peers, orders: values.orders, readme: readme && !isWalls }).find(
      ([, value]) => value,
    )
    if (given) throw new Misuse(`${mode} takes no --${given[0]}`)
    return bench(settings, readme)
  }
  if (orders !== 'transaction' && orders !== 'statement')
    throw new Misuse('--orders is one of transaction, statement')
  const names = chosen(
    'only',
    only,
    operations.map(({ name }) => name),
  )
  return compare({
    ...settings,
    operations: operations.filter(({ name }) => names.includes(name)),
    peers: chosen('peers', peers, peerNames),
    orders,
    readme,
  })
})

/** Some of all names, as an option lists them; all where it is not given. */
function chosen(option: string, text: string | undefined, all: readonly string[]): string[] {
  const names = text?.split(',') ?? [...all]
  const unknown = names.find(name => !all.includes(name))
  if (unknown !== undefined) throw new Misuse(`--${option} is a list of ${all.join(', ')}`)
  return all.filter(name => names.includes(name))
}
