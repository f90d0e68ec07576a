import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'

/** After how long the others take a node for dead whose replica is to follow it, in ms. */
export const nodeTimeout = 1_000
/** The same where none could follow it: a busy machine may leave a node without its core for long. */
const patient = 300_000
const slots = 16_384

interface Node extends RedisServer {
  busPort: number
  admin: Redis
}

/** Masters of Redis, each with a replica or none with one. */
export interface RedisCluster {
  /** for REDIS_URL */
  urls: string
  /** The node that is the present master of a key by the others' word, and answers for it; undefined: none. */
  masterOf(key: string): Promise<RedisServer | undefined>
  /** The names of the counters that each master has. */
  keys(): Promise<string[][]>
  /** Waits until every master has a replica that follows it. */
  whole(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startRedisCluster({ masters = 3, replicas = true } = {}): Promise<RedisCluster> {
  const directories: string[] = []
  const nodes: Node[] = []
  for (let i = 0; i < (replicas ? 2 : 1) * masters; i++) {
    const directory = temporaryDirectory()
    directories.push(directory)
    const busPort = await freePort()
    const options = {
      dir: directory,
      'cluster-enabled': 'yes',
      'cluster-port': String(busPort),
      'cluster-announce-ip': '127.0.0.1',
      'cluster-config-file': 'nodes.conf',
      'cluster-node-timeout': String(replicas ? nodeTimeout : patient),
      'repl-diskless-sync-delay': '0',
    }
    const server = await startRedis(
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    )
    const admin = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => 100 })
    admin.on('error', () => {})
    nodes.push({ ...server, busPort, admin })
  }

  const [first] = nodes
  for (const node of nodes.slice(1))
    await first?.admin.call('CLUSTER', 'MEET', '127.0.0.1', node.port, node.busPort)
  const size = Math.ceil(slots / masters)
  for (const [i, { admin }] of nodes.slice(0, masters).entries())
    await admin.cluster('ADDSLOTSRANGE', i * size, Math.min((i + 1) * size, slots) - 1)
  for (const [i, { admin }] of nodes.slice(masters).entries()) {
    const master = String(await nodes[i]?.admin.call('CLUSTER', 'MYID'))
    await until('a replica', async () => (await admin.call('CLUSTER', 'REPLICATE', master)) === 'OK')
  }

  /** The addresses of all nodes and what they are, by one that lives. */
  async function view(): Promise<string[]> {
    for (const { admin } of nodes) {
      const text = await admin.call('CLUSTER', 'NODES').catch(() => undefined)
      if (typeof text === 'string') return text.trim().split('\n')
    }
    throw new Error('No node lives')
  }
  const cluster: RedisCluster = {
    urls: nodes.map(({ url }) => url).join(),
    async masterOf(key) {
      for (const node of nodes) {
        const type = await node.admin.type(key).catch(() => undefined) // what it does not have, it says MOVED to
        if (type === undefined) continue
        const [role] = (await node.admin.role().catch(() => [])) as unknown[]
        if (role === 'master') return node
      }
      return undefined
    },
    keys: () => Promise.all(nodes.slice(0, masters).map(({ admin }) => admin.keys('petstore:*'))),
    whole: () =>
      until('every node', async () => {
        const lines = await view()
        const infos = await Promise.all(nodes.map(({ admin }) => admin.info('replication')))
        const isLinked = infos.every(info => /role:master/.test(info) || /master_link_status:up/.test(info))
        const isOk = (await first?.admin.cluster('INFO'))?.includes('cluster_state:ok')
        const following = lines.filter(line => / (myself,)?slave /.test(line))
        return Boolean(
          isLinked && isOk && following.length === nodes.length - masters && !lines.join().includes('fail'),
        )
      }),
    async [Symbol.asyncDispose]() {
      for (const { admin } of nodes) admin.disconnect()
      await Promise.all(nodes.map(({ kill }) => kill()))
      await Promise.all(directories.map(directory => rm(directory, { recursive: true, force: true })))
    },
  }
  await cluster.whole()
  return cluster
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 290_000
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`The Redis Cluster has not got ${what} within 290 s`)
    await sleep(50)
  }
}
