import { type ChildProcess, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort, type PostgresServer, startPostgres } from 'spec-served-cli/internal/local/postgres'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { answering, end, launch } from 'spec-served-cli/internal/local/process'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** One of the servers of a site; it keeps its port. */
export interface SiteServer {
  url: string
  /** the port on which it says whether it can serve */
  checkPort: number
  /** Starts it, and resolves once it is healthy. */
  start(): Promise<void>
  /** Ends it; resolves with its exit code, null when a signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Several servers with one PostgreSQL, and one Redis, behind one address: what compose.yaml starts, on one machine. */
export interface Site {
  /** the address for callers; undefined where nothing is before the servers */
  url: string | undefined
  servers: readonly SiteServer[]
  postgres: PostgresServer
  redis: RedisServer | undefined
  /** with every scope, and the plan Business */
  firstKey: string
  /** the directory of the logs */
  directory: string
  close(): Promise<void>
}

export interface SiteOptions {
  servers: number
  /** whether HAProxy stands before them, by the same file as in compose.yaml, which knows three */
  haproxy: boolean
  redis: boolean
  /** of HAProxy; absent: a free one */
  port?: number | undefined
  /** of the servers, besides what leads them to each other */
  env?: Record<string, string>
  /** Tells how far the start is. */
  progress?(text: string): void
}

/** Debian's packages that a whole site needs and that are not there. */
export function missingPackages(): string[] {
  const programs = { haproxy: '-v', 'redis-server': '--version' }
  return Object.entries(programs).flatMap(([name, version]) =>
    spawnSync(name, [version]).status === 0 ? [] : [name],
  )
}

/** Starts a site on free ports of this machine. Its data are gone when it is closed. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const { progress = () => {}, env = {} } = options
  await using starting = new AsyncDisposableStack()
  const directory = temporaryDirectory()
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  progress('PostgreSQL')
  const postgres = starting.use(await startPostgres())
  await postgres.execute('create database petstore')
  const DATABASE_URL = `${postgres.url}/petstore`
  const firstKey = await prepare(DATABASE_URL)
  if (options.redis) progress('Redis')
  const redis = options.redis ? await startRedis('--dir', directory, '--appendonly', 'yes') : undefined
  starting.use(redis)
  const servers = await Promise.all(
    Array.from({ length: options.servers }, async (_, i) =>
      describeServer(await freePort(), await freePort(), join(directory, `petstore-${i + 1}.log`), {
        DATABASE_URL,
        ...(redis && { REDIS_URL: redis.url }),
        ...(options.haproxy && { TRUST_PROXY: '1' }),
        ...env,
      }),
    ),
  )
  progress(`${servers.length} servers`)
  starting.defer(async () => void (await Promise.all(servers.map(server => server.stop('SIGKILL')))))
  await Promise.all(servers.map(server => server.start()))
  let url: string | undefined
  if (options.haproxy) {
    progress('HAProxy')
    const port = options.port ?? (await freePort())
    url = `http://127.0.0.1:${port}`
    const haproxy = await startHaproxy(port, servers, join(directory, 'haproxy.log'))
    starting.defer(() => void haproxy.kill('SIGKILL'))
  }
  const all = starting.move()
  return { url, servers, postgres, redis, firstKey, directory, close: () => all.disposeAsync() }
}

function describeServer(
  port: number,
  checkPort: number,
  log: string,
  env: Record<string, string>,
): SiteServer {
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  return {
    url,
    checkPort,
    async start() {
      const ports = { PORT: String(port), METRICS_PORT: String(checkPort) }
      const settings = { WORKERS: '1', LOG_LEVEL: 'warn', ...ports, ...env }
      child = launch({ command: process.execPath, args: ['src/main.js'], cwd: root, env: settings, log })
      await answering(`${url}/health`, child, log)
    },
    stop: signal => end(child, signal),
  }
}

/**
 * Starts HAProxy before up to three servers, and resolves once one of them is healthy.
 * @throws Error when that takes too long
 */
export async function startHaproxy(
  port: number,
  servers: readonly Pick<SiteServer, 'url' | 'checkPort'>[],
  log: string,
  settings: Record<string, string> = {},
): Promise<ChildProcess> {
  const places = servers.flatMap(({ url, checkPort }, i) => [
    [`PETSTORE_${i + 1}`, new URL(url).host],
    [`PETSTORE_CHECK_${i + 1}`, String(checkPort)],
  ])
  const haproxy = launch({
    command: 'haproxy',
    args: ['-db', '-f', 'scripts/production/haproxy.cfg'],
    cwd: root,
    env: {
      PETSTORE_CONNECTIONS: '1000', // each takes two of the files that a process may have open
      PETSTORE_BIND: `127.0.0.1:${port}`,
      ...Object.fromEntries(places),
      ...settings,
    },
    log,
  })
  try {
    await answering(`http://127.0.0.1:${port}/health`, haproxy, log)
    return haproxy
  } catch (error) {
    haproxy.kill('SIGKILL')
    throw error
  }
}
