import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../../tools/local/postgres.ts'
import { end, endWithUs } from '../../tools/local/process.ts'
import { type RedisServer, startRedis } from '../../tools/local/redis.ts'
import { temporaryDirectory } from '../../tools/local/temporary.ts'

/** A Redis with a replica, and a Sentinel that puts the replica in its place. */
export interface SentinelSite extends AsyncDisposable {
  /** of the Sentinel, which knows the Redis as `petstore` */
  port: number
  master: RedisServer
  replica: RedisServer
}

export async function startSentinel(): Promise<SentinelSite> {
  const directory = temporaryDirectory()
  const port = await freePort()
  const quick = ['--repl-diskless-sync-delay', '0', '--dir', directory]
  const master = await startRedis(...quick)
  const replica = await startRedis(...quick, '--replicaof', `127.0.0.1 ${master.port}`)
  const file = join(directory, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor petstore 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds petstore 500',
    'sentinel failover-timeout petstore 5000',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const sentinel = endWithUs(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }))
  await once(sentinel, 'spawn')
  const admin = new Redis(port, { retryStrategy: () => 100, maxRetriesPerRequest: null })
  admin.on('error', () => {})
  // It can put the replica in its place once it knows it, and the replica has all data.
  for (;;) {
    const known = await admin.call('SENTINEL', 'REPLICAS', 'petstore')
    if (JSON.stringify(known).includes('"master-link-status","ok"')) break
    await sleep(100)
  }
  admin.disconnect()
  return {
    ...{ port, master, replica },
    async [Symbol.asyncDispose]() {
      await end(sentinel, 'SIGKILL')
      await Promise.all([master.kill(), replica.kill()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}
