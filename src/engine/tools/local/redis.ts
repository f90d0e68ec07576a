import { type ChildProcess, spawn } from 'node:child_process'
import { freePort } from './postgres.ts'
import { end, endWithUs } from './process.ts'

export interface RedisServer {
  url: string
  port: number
  /** Ends it as an outage would, without a goodbye. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const missing = 'redis-server is not in the PATH: install it, on Debian with `apt-get install redis-server`'

/**
 * Starts a Redis of one's own on a free port of this machine.
 * @throws Error where there is none, with the way to get it
 */
export async function startRedis(...options: string[]): Promise<RedisServer> {
  let port = await freePort()
  let child: ChildProcess | undefined
  const restart = async () => {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const args = [...fixed, ...options]
    const started = endWithUs(
      spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'], cwd: '/tmp' }),
    )
    child = started
    await new Promise<void>((resolve, reject) => {
      started.on('error', cause => reject(new Error(missing, { cause })))
      started.on('exit', () => reject(new Error('Redis does not start')))
      started.stdout.on('data', data => String(data).includes('Ready to accept connections') && resolve())
    })
  }
  const kill = async () => void (await end(child, 'SIGKILL'))
  await restart().catch(async () => {
    // The port was free a moment ago: others may have taken it meanwhile.
    port = await freePort()
    await restart()
  })
  return { url: `redis://127.0.0.1:${port}`, port, restart, kill, [Symbol.asyncDispose]: kill }
}
