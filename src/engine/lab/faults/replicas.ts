import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresServer } from 'spec-served-cli/internal/local/postgres'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { createClient, type Send } from '../support/http.ts'
import { type RunningServer, startProcess } from '../support/petstore.ts'
import { has } from '../support/programs.ts'
import { keepCalling } from './calling.ts'
import { quantile, type Scenario, type Setting } from './scenario.ts'
import { makeKey, type Service, startService } from './service.ts'

/** Callers who write, and who read. */
const writers = 8
const readers = 8
/** How late the replicas are, in ms. */
const lateBy = 200
/** How long the primary is away, in ms. */
const awayFor = 3_000
/** How soon a replica must be read from again once it is back, in ms. */
const backWithin = 5_000

export const replicas: Scenario = {
  name: 'replicas',
  description:
    'reads go to two replicas that are late, killed, stopped and paused, and the primary is killed, while callers read what they wrote',
  databases: ['postgres'],
  async run({ short, progress }) {
    await using redis = has('redis-server') ? await startRedis() : undefined
    await using service = await startService('postgres', {
      replicas: 2,
      env: { METRICS_PORT: '0', MAX_WAIT_MS: '60000', ...(redis && { REDIS_URL: redis.url }) },
    })
    // Two servers where Redis tells them of each other's writes; else callers keep to one.
    await using other = await startProcess(service.env)
    const servers = redis ? [service.process(), other] : [other]
    return await carryOut(service, servers, short, progress)
  },
}

async function carryOut(
  service: Service,
  servers: readonly RunningServer[],
  short: boolean,
  progress: Setting['progress'],
) {
  const faults: string[] = []
  const { replicas: followers, postgres } = service
  if (!postgres) throw new Error('This is for PostgreSQL')
  const keys = await Promise.all(
    Array.from({ length: writers + readers }, () => makeKey(service.send, service.key)),
  )
  const clients = keys.map(key => servers.map(({ url }) => createClient(url, key)))
  const category: { id: number } = JSON.parse(
    (await service.send('POST', '/categories', { body: { name: 'Kind' } })).text,
  )

  for (const replica of followers)
    await execute(replica, `alter system set recovery_min_apply_delay = ${lateBy}`, 'select pg_reload_conf()')
  await untilInUse(servers, followers.length)
  const pairs = short ? 30 : 250
  let stale = 0
  await Promise.all(
    clients.slice(0, writers).map(async (connections, writer) => {
      for (let i = 0; i < pairs; i++) {
        const [a, b] = [connections[i % connections.length], connections[(i + 1) % connections.length]]
        if (!a || !b) return
        // Some read at once, others once the replicas have it.
        const pause = Math.random() * 3 * lateBy * (i % 2)
        const fault = await writeAndRead(a.send, b.send, category.id, `Rex ${writer} ${i}`, pause)
        if (fault !== undefined) {
          stale++
          faults.push(fault)
        }
      }
    }),
  )
  const shares = await countReads(servers)
  if (shares.replica === 0) faults.push('no read has gone to a replica')
  progress(`${2 * writers * pairs} pairs of a write and a read, ${stale} of them stale`)
  for (const replica of followers)
    await execute(replica, 'alter system reset recovery_min_apply_delay', 'select pg_reload_conf()')

  const rounds = short ? 1 : 10
  const calls = keepCalling(
    clients.slice(writers).flatMap((atAll, i) => atAll[i % servers.length]?.send ?? []),
    (_, turn) => ['GET', turn % 3 === 2 ? '/pets?limit=20' : `/pets/${1 + ((turn + 1) % 50)}`],
  )
  const returns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const replica = followers[round % followers.length]
    if (!replica) break
    const [leave, back] = waysOut(replica)[round % 3] ?? []
    await leave?.()
    await untilInUse(servers, followers.length - 1, 6_000)
    await back?.()
    const begun = performance.now()
    await untilInUse(servers, followers.length, backWithin)
    returns.push(performance.now() - begun)
    progress(`${round + 1} of ${rounds}: a replica is ${['killed', 'stopped', 'paused'][round % 3]}`)
  }
  const during = calls.take()
  await postgres.kill()
  await sleep(awayFor)
  const away = calls.take()
  await postgres.restart()
  await calls.end()
  for (const [what, { failures }] of Object.entries({ 'a replica': during, 'the primary': away }))
    if (failures.length > 0)
      faults.push(`${failures.length} reads have failed while ${what} was away: ${failures[0]}`)
  for (const client of clients.flat()) client.close()
  return {
    figures: {
      'pairs of a write and a read at another server': 2 * writers * pairs,
      'of these stale': stale,
      'reads by replicas that are late': `${Math.round((100 * shares.replica) / (shares.replica + shares.primary))} %`,
      'replicas killed, stopped, paused': rounds,
      'reads meanwhile': during.answered,
      'of these failed': during.failures.length,
      'longest wait for a read, ms': Math.round(during.longest),
      'replica read from again after, ms (median)': Math.round(quantile(returns, 0.5)),
      'reads while the primary was away': away.answered,
      'of these failed ': away.failures.length,
    },
    faults,
  }
}

/** Writes something by one server, and sees whether another one has it. @returns the fault */
async function writeAndRead(
  write: Send,
  read: Send,
  categoryId: number,
  name: string,
  pause: number,
): Promise<string | undefined> {
  const written = await write('POST', '/pets', { body: { name, categoryId } })
  const { id } = JSON.parse(written.text) as { id?: number } // an animal, or an error without one
  if (id === undefined) return `POST /pets was answered ${written.status} ${written.text}`
  const path = `/pets/${id}`
  if (pause > 0) await sleep(pause)
  const seen = await read('GET', path)
  if (seen.status !== 200) return `${path}, just written, is answered ${seen.status} ${seen.text}`
  await read('PATCH', path, { body: { name: `${name}!` } })
  if (pause > 0) await sleep(pause)
  const changed = await write('GET', path)
  return changed.text.includes(`${name}!`) ? undefined : `${path}, just changed, is ${changed.text}`
}

/** The ways in which a replica goes, and comes back. */
function waysOut(replica: PostgresServer): (readonly [() => Promise<void>, () => Promise<void>])[] {
  return [
    [replica.kill, replica.restart],
    [async () => replica.signal('SIGSTOP'), async () => replica.signal('SIGCONT')],
    [
      () => execute(replica, 'select pg_wal_replay_pause()'),
      () => execute(replica, 'select pg_wal_replay_resume()'),
    ],
  ]
}

async function execute({ url }: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function metricsOf({ output }: RunningServer): Promise<string> {
  const url = /Metrics for Prometheus are at (http:\S+\/metrics)/.exec(output())?.[1]
  if (!url) throw new Error(`There are no metrics:\n${output()}`)
  return (await fetch(url)).text()
}

const valueIn = (metrics: string, line: string) =>
  Number(
    metrics
      .split('\n')
      .find(each => each.startsWith(line))
      ?.split(' ')[1] ?? 0,
  )

/** Waits until every server reads from as many replicas. */
async function untilInUse(servers: readonly RunningServer[], count: number, within = 10_000): Promise<void> {
  const end = performance.now() + within
  for (;;) {
    const all = await Promise.all(servers.map(metricsOf))
    const inUse = all.map(metrics => valueIn(metrics, 'petstore_replicas{state="in_use"}'))
    if (inUse.every(each => each === count)) return
    if (performance.now() > end) throw new Error(`Servers read from ${inUse} replicas, not from ${count}`)
    await sleep(50)
  }
}

async function countReads(servers: readonly RunningServer[]) {
  const all = await Promise.all(servers.map(metricsOf))
  const sum = (by: string) =>
    all.reduce((total, metrics) => total + valueIn(metrics, `petstore_replica_reads_total{by="${by}"}`), 0)
  return { replica: sum('replica'), primary: sum('primary') }
}
