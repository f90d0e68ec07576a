import { setTimeout as sleep } from 'node:timers/promises'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { keepCalling } from '../faults/calling.ts'
import { prepareOrders } from '../faults/orders.ts'
import { type Outcome, quantile } from '../faults/scenario.ts'
import { makeKey } from '../faults/service.ts'
import { createClient } from '../support/http.ts'
import {
  missingForPatroni,
  type PatroniCluster,
  type PatroniNode,
  patroniVersion,
  startPatroni,
} from '../support/patroni.ts'
import { startProcess } from '../support/petstore.ts'

/** Callers who order, and wait as long as they are told to when that fails; and callers who only read. */
const buyers = 6
const readers = 8
/** How soon after there is a new leader in etcd an order must be placed, in ms. */
const backWithin = 2_000
/** Longest wait for a new leader, and then for an order, in ms. */
const givenUpAfter = 60_000
/** How long callers go on between kills, in ms. */
const between = 2_000

/** A blow to a primary. @returns a function that brings back all that it took away */
type Blow = (
  cluster: PatroniCluster,
  primary: PatroniNode,
  round: number,
) => Promise<() => void | Promise<void>>

/**
 * Before 3.0.3, a primary that goes on after a hang may take the lead back from its successor
 * (https://github.com/patroni/patroni/pull/2689). A machine needs a watchdog, which resets it.
 */
const leavesTheLead = '3.0.3'

/** In turn. */
const blowsInTurn = (): readonly (readonly [done: string, strike: Blow])[] => [
  [
    'killed',
    async (_, primary) => {
      await primary.kill()
      return primary.start
    },
  ],
  [
    'killed with an etcd',
    async ({ etcds }, primary, round) => {
      const etcd = etcds[round % etcds.length]
      await Promise.all([primary.kill(), etcd?.kill()])
      return () => {
        etcd?.start()
        primary.start()
      }
    },
  ],
  patroniVersion().localeCompare(leavesTheLead, 'en', { numeric: true }) >= 0
    ? ['stopped as it is, and let go on', async (_, primary) => primary.freeze()]
    : [
        'stopped as it is, and reset',
        async (_, primary) => {
          primary.freeze()
          return async () => {
            await primary.kill()
            primary.start()
          }
        },
      ],
]

export const patroni = {
  name: 'patroni',
  description:
    'the primary of three PostgreSQL under Patroni is killed (SIGKILL), killed with an etcd, or stopped as it is (SIGSTOP), ' +
    'with its Patroni, under load, and comes back as a replica',
  rounds: 10,
  async run(rounds: number, progress: (text: string) => void): Promise<Outcome> {
    const missing = missingForPatroni()
    if (missing.length > 0)
      return {
        figures: {},
        faults: [`not run, as something is missing: apt-get install ${missing.join(' ')}`],
      }
    const cluster = await startPatroni()
    try {
      progress('three nodes, three etcds')
      return await strikePrimaries(cluster, rounds, progress)
    } finally {
      await cluster.close()
    }
  },
}

async function strikePrimaries(
  cluster: PatroniCluster,
  rounds: number,
  progress: (text: string) => void,
): Promise<Outcome> {
  const firstKey = await prepare(cluster.url)
  const server = await startProcess({
    DATABASE_URL: cluster.url,
    DATABASE_REPLICA_URLS: cluster.nodes.map(({ url }) => url).join(),
    MAX_WAIT_MS: '60000',
  })
  const admin = createClient(server.url, firstKey)
  const client = createClient(server.url, await makeKey(admin.send, firstKey))
  try {
    const orders = await prepareOrders(client)
    /** One who never waits: it sees when orders can be placed again. */
    const watching = await prepareOrders(client)
    const keys = await Promise.all(Array.from({ length: readers }, () => makeKey(admin.send, firstKey)))
    const clients = keys.map(key => createClient(server.url, key))
    const paths = ['/pets?limit=5', '/pets/1', '/categories?limit=5']
    const reading = keepCalling(
      clients.map(({ send }) => send),
      (caller, turn) => ['GET', paths[(caller + turn) % paths.length] ?? ''],
      10,
    )
    orders.begin(buyers, true)
    watching.begin(1)
    const blows = blowsInTurn()
    const struck = new Map<string, number>()
    const elections: number[] = []
    const returns: number[] = []
    let readsMeanwhile = 0
    for (let round = 1; round <= rounds; round++) {
      await sleep(between + Math.random() * 500)
      const [done, strike] = blows[(round - 1) % blows.length] ?? ['', async () => () => {}]
      const { election, back, reads } = await failOver(
        cluster,
        primary => strike(cluster, primary, round),
        watching.placed,
        () => reading.met().answered,
      )
      struck.set(done, (struck.get(done) ?? 0) + 1)
      readsMeanwhile += reads
      elections.push(election)
      returns.push(back)
      progress(
        `${round} of ${rounds} primaries ${done}: a leader after ${election.toFixed()} ms, orders ${back.toFixed()} ms later`,
      )
    }
    await Promise.all([orders.stop(), watching.stop()])
    const { answered, failures, longest } = await reading.end()
    for (const { close } of clients) close()
    const refused = new Map([...orders.refused, ...watching.refused])
    const settled = [await orders.settle(), await watching.settle()] as const
    const faults = settled.flatMap(each => each.faults)
    const sum = (of: 'acknowledged' | 'lost' | 'doubled') => settled[0][of] + settled[1][of]
    const slowest = Math.max(...returns)
    if (slowest > backWithin)
      faults.push(`orders were placed ${slowest.toFixed()} ms after there was a leader`)
    if (failures.length > 0) faults.push(`${failures.length} reads have failed: ${failures[0]}`)
    const other = [...refused.keys()].filter(status => status !== 503)
    if (other.length > 0) faults.push(`orders were answered with ${other}`)
    if (orders.broken() + watching.broken() > 0) faults.push('some orders were not answered')
    return {
      figures: {
        ...Object.fromEntries([...struck].map(([done, count]) => [`primaries ${done}`, count])),
        'orders acknowledged': sum('acknowledged'),
        lost: sum('lost'),
        doubled: sum('doubled'),
        'until etcd has a new leader, ms (median)': Math.round(quantile(elections, 0.5)),
        'until etcd has a new leader, ms (longest)': Math.round(Math.max(...elections)),
        'orders placed after that, ms (median)': Math.round(quantile(returns, 0.5)),
        'orders placed after that, ms (longest)': Math.round(slowest),
        'reads answered': answered,
        'of these while there was no primary': readsMeanwhile,
        'reads failed': failures.length,
        'longest wait for a read, ms': Math.round(longest),
      },
      faults,
    }
  } finally {
    for (const { close } of [admin, client]) close()
    await server.stop('SIGKILL')
  }
}

/**
 * Strikes the primary, waits for another one and has the first come back.
 * @param strike resolves with what brings the primary back
 * @param placed how many orders are placed by now, of those who try all the time
 * @param read how many reads are answered by now
 * @returns the ms until there was a leader, the ms from then until an order was placed, and the number of reads
 *   answered meanwhile
 */
async function failOver(
  cluster: PatroniCluster,
  strike: (primary: PatroniNode) => Promise<() => void | Promise<void>>,
  placed: () => number,
  read: () => number,
): Promise<{ election: number; back: number; reads: number }> {
  const struck = await cluster.leader()
  if (!struck) throw new Error('There is no leader')
  const begun = performance.now()
  const bringBack = await strike(struck)
  await sleep(100)
  const before = placed()
  const readBefore = read()
  let elected: number | undefined
  while (elected === undefined || placed() === before) {
    if (elected === undefined) {
      const leader = await cluster.leader()
      if (leader && leader !== struck) elected = performance.now()
    }
    if (performance.now() - begun > givenUpAfter)
      throw new Error(`No order was placed ${givenUpAfter} ms after the primary was struck`)
    await sleep(20)
  }
  const back = Math.max(0, performance.now() - elected)
  const reads = read() - readBefore
  await bringBack()
  await cluster.whole()
  return { election: elected - begun, back, reads }
}
