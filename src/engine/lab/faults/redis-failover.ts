import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../support/http.ts'
import { type RunningServer, startProcess } from '../support/petstore.ts'
import { nodeTimeout, type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts'
import { keepCalling } from './calling.ts'
import { quantile, type Scenario } from './scenario.ts'
import { type Service, startService } from './service.ts'

/** Calls that a key may make, and calls that are made with it. */
const quota = 20
const calls = 30
/** Callers who read without a pause. */
const readers = 8
/** How soon limits must be exact again once the Cluster has a new master, in ms. */
const exactWithin = 2_000
/** Keys that are tried for each failover. */
const tried = 60
/** Between two of them, in ms. */
const pause = 100

interface Key {
  id: number
  secret: string
}

export const redisFailover: Scenario = {
  name: 'Redis Cluster',
  description: 'a master of a Redis Cluster is killed under load, and its replica takes over',
  databases: ['postgres'],
  needs: { command: 'redis-server', from: 'apt-get install redis-server' },
  async run({ short, progress }) {
    const rounds = short ? 1 : 5
    await using cluster = await startRedisCluster()
    await using service = await startService('postgres', {
      env: { REDIS_URL: cluster.urls, MAX_WAIT_MS: '60000' },
    })
    await using other = await startProcess(service.env)
    const servers = [service.process(), other]
    const clients = servers.map(({ url }) => createClient(url, service.key))
    const reading = keepCalling(
      Array.from({ length: readers }, (_, i) => clients[i % clients.length]?.send ?? service.send),
      () => ['GET', '/pets?limit=5'],
      5,
    )
    const faults: string[] = []
    const elections: number[] = []
    const returns: number[] = []
    for (let i = 0; (await callsThrough(servers, await makeKey(service))) !== quota; i++)
      if (i === tried) throw new Error('Limits were not exact before anything was done')
    for (let round = 1; round <= rounds; round++) {
      const { election, exactAfter } = await failOver(service, servers, cluster)
      elections.push(election)
      returns.push(exactAfter)
      if (exactAfter > exactWithin)
        faults.push(`limits were exact ${exactAfter.toFixed()} ms after there was a new master`)
      await cluster.whole()
      progress(`${round} of ${rounds} masters killed`)
    }
    const { answered, failures, longest } = await reading.end()
    for (const { close } of clients) close()
    if (failures.length > 0) faults.push(`${failures.length} reads have failed: ${failures[0]}`)
    return {
      figures: {
        'masters killed': rounds,
        'reads meanwhile': answered,
        'of these failed': failures.length,
        'longest wait for a read, ms': Math.round(longest),
        'until there is a new master, ms (median)': Math.round(quantile(elections, 0.5)),
        'node timeout of the Cluster, ms': nodeTimeout,
        'limits exact after that, ms (longest)': Math.round(Math.max(...returns)),
      },
      faults,
    }
  },
}

/** Kills a master that has counters of callers. @returns how long all took, in ms */
async function failOver(
  service: Service,
  servers: readonly RunningServer[],
  cluster: RedisCluster,
): Promise<{ election: number; exactAfter: number }> {
  const keys = await Promise.all(Array.from({ length: tried }, () => makeKey(service)))
  const counterOf = ({ id }: Key) => `petstore:{key:${id}}:minute`
  const [first] = keys
  if (!first) throw new Error('There is no key')
  const master = await cluster.masterOf(counterOf(first))
  if (!master) throw new Error('There is no master')
  const keysOfMaster: Key[] = []
  for (const key of keys) if ((await cluster.masterOf(counterOf(key))) === master) keysOfMaster.push(key)

  await master.kill()
  const killed = performance.now()
  while (!(await cluster.masterOf(counterOf(first)))) await sleep(20)
  const election = performance.now() - killed
  const elected = performance.now()
  for (const key of keysOfMaster) {
    const begun = performance.now()
    if ((await callsThrough(servers, key)) !== quota) {
      await sleep(pause) // keys are few
      continue
    }
    await master.restart()
    return { election, exactAfter: begun - elected }
  }
  throw new Error(`Limits were not exact with any of ${keysOfMaster.length} keys`)
}

async function makeKey({ send }: Service): Promise<Key> {
  const body = {
    name: 'Few calls',
    plan: 'Enterprise',
    quotas: { minute: quota, day: quota },
    scopes: ['read'],
  }
  const reply = await send('POST', '/api-keys', { body })
  if (reply.status !== 201) throw new Error(`No key: ${reply.text}`)
  return JSON.parse(reply.text) as Key // as the document says
}

/** Calls with a key by all servers at once. @returns how many went through */
async function callsThrough(servers: readonly RunningServer[], { secret }: Key): Promise<number> {
  const clients = servers.map(({ url }) => createClient(url, secret))
  const replies = await Promise.all(
    Array.from({ length: calls }, (_, i) => clients[i % clients.length]?.send('GET', '/categories')),
  )
  for (const { close } of clients) close()
  return replies.filter(reply => reply?.status === 200).length
}
