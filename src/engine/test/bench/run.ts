import { flag, Misuse, option, runCommand, wholeNumber } from '../../tools/command/arguments.ts'
import { compare } from './compare.ts'
import { printCounts } from './counts.ts'
import { operations } from './operations.ts'
import { peerNames } from './peers.ts'
import { printStarts } from './starts.ts'

const operationNames = operations.map(({ name }) => name)

const usage = `Usage: npm run bench -- [options]

Measures this service against others that serve the same operations, in turns, on a PostgreSQL that it starts. The others
are installed into src/engine/test/bench/.peers. Tables and samples go into test/.output/bench.`

const options = {
  rounds: option('N', 'rounds that count; one before them does not (default: 5)'),
  seconds: option('N', 'of each measurement (default: 3)'),
  connections: option('N', 'each sends its next request when the last is answered', { default: '64' }),
  only: option('LIST', `of ${operationNames.join(', ')}`),
  peers: option('LIST', `of ${peerNames.join(', ')}; the first is what ratios are against`),
  redis: flag('measure this service with a Redis against itself without, in place of the peers'),
  short: flag('2 rounds of 1 second: to see that it works, not to compare'),
  counts: flag('count promises, bytes, files and calls of a request instead: exact on a busy machine, too'),
  starts: flag('measure starts, and the memory after them, instead'),
  json: flag('with --counts: print JSON, with the names of the files'),
  readme: flag('write the table of src/engine/test/bench/README.md again'),
}

await runCommand(
  { usage, options },
  async ({ short, only, counts, starts, json, readme, redis, ...values }) => {
    const chosen = listed('only', only, operationNames)
    const peers = listed('peers', values.peers, peerNames)
    const measured = operations.filter(({ name }) => chosen.includes(name))
    if (readme && redis) throw new Misuse('--readme goes without --redis')
    if (json && !counts) throw new Misuse('--json goes with --counts')
    if (counts) {
      await printCounts(measured, peers, json)
      return 0
    }
    const rounds = wholeNumber('--rounds', values.rounds ?? (short ? '2' : '5'), 1)
    if (starts) {
      await printStarts(rounds)
      return 0
    }
    await compare({
      rounds,
      seconds: wholeNumber('--seconds', values.seconds ?? (short ? '1' : '3'), 1),
      connections: wholeNumber('--connections', values.connections, 1),
      operations: measured,
      peers,
      redis,
      readme,
    })
    return 0
  },
)

/** Some of all names, as an option lists them; all where it is not given. */
function listed(option: string, text: string | undefined, all: readonly string[]): string[] {
  const names = text?.split(',') ?? [...all]
  if (names.some(name => !all.includes(name))) throw new Misuse(`--${option} is a list of ${all.join(', ')}`)
  return all.filter(name => names.includes(name))
}
