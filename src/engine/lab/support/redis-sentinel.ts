import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { end, endWithUs } from 'spec-served-cli/internal/local/process'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'

/** A Redis with a replica, and a Sentinel that puts the replica in its place when it is told to, and never before. */
export interface SentinelSite extends AsyncDisposable {
  /** of the Sentinel, which knows the Redis as `petstore` */
  port: number
  master: RedisServer
  replica: RedisServer
  /** Waits until the replica is the Redis that the Sentinel names. */
  failOver(): Promise<void>
}

/** After how long a Sentinel takes a Redis for dead, in ms: no test lasts as long. */
const never = 3_600_000

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
    `sentinel down-after-milliseconds petstore ${never}`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const sentinel = endWithUs(
    spawn('redis-server', [file, '--sentinel'], { stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  let output = ''
  sentinel.stdout.on('data', data => {
    output += data
  })
  const admin = new Redis(port, { retryStrategy: () => 100, maxRetriesPerRequest: null })
  admin.on('error', () => {})

  const ask = async (...command: string[]) =>
    JSON.stringify(await admin.call('SENTINEL', command).catch((error: Error) => error.message))

  /** @throws Error with the Sentinel's words where it has ended, or takes too long */
  async function until(what: string, isSo: () => Promise<boolean>) {
    const latest = performance.now() + 120_000
    while (!(await Promise.race([isSo(), sleep(10_000, false)]))) {
      if (sentinel.exitCode !== null || performance.now() > latest)
        throw new Error(`The Sentinel does not ${what}:\n${output}`)
      await sleep(50)
    }
  }

  // It can put the replica in its place once it knows it, and the replica has all data.
  await until('know the replica', async () =>
    (await ask('REPLICAS', 'petstore')).includes('"master-link-status","ok"'),
  )
  return {
    ...{ port, master, replica },
    failOver: () =>
      until('name the replica', async () => {
        if ((await ask('GET-MASTER-ADDR-BY-NAME', 'petstore')).includes(`"${replica.port}"`)) return true
        await ask('FAILOVER', 'petstore') // refused while one is under way
        return false
      }),
    async [Symbol.asyncDispose]() {
      admin.disconnect()
      await end(sentinel, 'SIGKILL')
      await Promise.all([master.kill(), replica.kill()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}
