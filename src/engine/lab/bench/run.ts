import { type Given, listed, Misuse, wholeNumber } from 'spec-served/internal/command/arguments'
import { compare } from './compare.ts'
import { printCounts } from './counts.ts'
import { furtherOperations, operations } from './operations.ts'
import { peerNames } from './peers.ts'
import { printStarts } from './starts.ts'

const allOperations = [...operations, ...furtherOperations]
const operationNames = allOperations.map(({ name }) => name)

/** Measures this service against others, or counts, or measures starts. */
export async function run({
  short,
  only,
  counts,
  starts,
  json,
  readme,
  redis,
  workers,
  before,
  ...values
}: Given<'rounds' | 'seconds' | 'only' | 'peers'> &
  Record<'short' | 'counts' | 'starts' | 'json' | 'readme' | 'redis' | 'workers', boolean> & {
    connections: string
    before?: string | undefined
  }): Promise<number> {
  const peers = listed('peers', values.peers, peerNames)
  const chosen = listed('only', only, operationNames)
  const measured = only === undefined ? operations : allOperations.filter(({ name }) => chosen.includes(name))
  if (readme && only !== undefined) throw new Misuse('--readme goes without --only')
  if (readme && redis) throw new Misuse('--readme goes without --redis')
  if (before !== undefined && (readme || redis))
    throw new Misuse('--before goes without --readme and --redis')
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
    workers,
    before,
    readme,
  })
  return 0
}
