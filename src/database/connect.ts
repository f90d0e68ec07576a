import { resolve } from 'node:path'
import type { PGlite, PGliteOptions } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import pg from 'pg'
import { trackConnections } from './client.ts'
import { createOrOpen, makeDataDirectory, type Source } from './directory.ts'
import { lockDirectory } from './lock.ts'
import { SharingDialect } from './sharing-dialect.ts'
import type { Database, Db, Tables } from './tables.ts'

export type DatabaseConfig =
  | {
      kind: 'embedded'
      /** null: in memory */
      dataDir: string | null
      /** what a new one in a directory begins with */
      source?: Source
    }
  | { kind: 'postgres'; url: string; poolSize: number; connectTimeoutMs: number; statementTimeoutMs: number }

/** What the connections to PostgreSQL do at a moment. */
export interface PoolState {
  open: number
  idle: number
  /** those who wait for a connection */
  waiting: number
  /** statements that wait on shared connections */
  shared: { reads: number; writes: number }
}

export interface OpenDatabase {
  db: Database
  /** The same database, for `/health` alone: on PostgreSQL a connection that waits for nobody, and not for long. */
  probe: Db
  /** undefined: it has no connections */
  poolState?: () => PoolState
  /** Closes all connections. On PostgreSQL those that still wait for an answer after a second are broken off. */
  close(): Promise<void>
}

/** How much longer than the server's own timeout a query may take, so that the server is the first to tell, in ms. */
const deadlineMargin = 1_000
/** Longest wait of the probe for its connection, and for its answer, in ms. */
const probeWithin = 750
/** How long closing waits for queries under way, in ms. */
const closeWithin = 1_000

/** Pages that the embedded database holds; the 128 MB that are usual are filled with zeros at each start. */
const sharedBuffers = '16MB'

/** Oldest PostgreSQL whose SQL this service speaks. */
const oldestServer = 140_000

/** int8 as a number; one that a number can't hold is refused, never rounded. */
function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database holds ${text}, beyond what a number can`)
  return value
}

/** timestamptz in the session's time zone, UTC. Both drivers' own readers take the year 0001 for another. */
function readTimestamp(text: string): Date {
  const [, year, rest, era] = /^(\d+)(-.+)\+00( BC)?$/.exec(text) ?? []
  // ISO 8601 has a year 0, the one before the year 1; a year of six digits takes a sign.
  const isoYear = era ? 1 - Number(year) : Number(year)
  const sign = isoYear < 0 ? '-' : '+'
  const date = new Date(`${sign}${String(Math.abs(isoYear)).padStart(6, '0')}${rest?.replace(' ', 'T')}Z`)
  if (Number.isNaN(date.getTime())) throw new RangeError(`The database holds ${text}, which is no date`)
  return date
}

/**
 * Opens the embedded database or connects to PostgreSQL.
 * @param onConnectionLost told of a failure of a connection that no query waits for; the pool replaces it by itself
 * @throws DirectoryInUse when another process has the embedded database open
 * @throws Error when PostgreSQL is too old or does not store UTF-8
 */
export async function openDatabase(
  config: DatabaseConfig,
  onConnectionLost: (error: Error) => void = () => {},
): Promise<OpenDatabase> {
  return config.kind === 'embedded' ? openEmbedded(config) : connectPostgres(config, onConnectionLost)
}

async function openEmbedded({
  dataDir,
  source,
}: DatabaseConfig & { kind: 'embedded' }): Promise<OpenDatabase> {
  const { PGlite, types } = await import('@electric-sql/pglite') // PostgreSQL needs none of it
  const options: PGliteOptions = {
    parsers: { [types.INT8]: readInt8, [types.TIMESTAMPTZ]: readTimestamp },
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  }
  if (dataDir === null) return withEmbedded(await PGlite.create(options), () => {})
  const directory = resolve(dataDir)
  makeDataDirectory(directory)
  const unlock = lockDirectory(directory)
  try {
    return withEmbedded(await createOrOpen(directory, place => PGlite.create(place, options), source), unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

function withEmbedded(pglite: PGlite, unlock: () => void): OpenDatabase {
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const close = async () => {
    await db.destroy()
    if (!pglite.closed) await pglite.close() // Kysely closes only what it has used
    unlock()
  }
  return { db, probe: db, close }
}

type PostgresConfig = DatabaseConfig & { kind: 'postgres' }

async function connectPostgres(
  config: PostgresConfig,
  onConnectionLost: (error: Error) => void,
): Promise<OpenDatabase> {
  const pooled = openPool(config, onConnectionLost)
  const probing = openPool(
    { ...config, poolSize: 1, connectTimeoutMs: probeWithin, statementTimeoutMs: probeWithin },
    () => {},
    { idleTimeoutMillis: 0, keepAlive: true },
  )
  const close = async () => {
    await Promise.all([pooled.close(), probing.close()])
  }
  try {
    const { isPooler } = await checkServer(pooled.pool)
    // Poolers lose names, and PgBouncer 1.18 was seen to mix up what travels in one go.
    if (isPooler) for (const each of [pooled, probing]) each.relyOnNoSession()
  } catch (error) {
    await close()
    throw error
  }
  return { db: pooled.db, probe: probing.db, poolState: pooled.state, close }
}

function openPool(
  { url, poolSize, connectTimeoutMs, statementTimeoutMs }: PostgresConfig,
  onConnectionLost: (error: Error) => void,
  more: pg.PoolConfig = {},
): {
  pool: pg.Pool
  db: Database
  relyOnNoSession(): void
  state(): PoolState
  close(): Promise<void>
} {
  const parsers = new pg.TypeOverrides()
  parsers.setTypeParser(pg.types.builtins.INT8, readInt8)
  parsers.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp)
  const connections = trackConnections()
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'petstore',
    options: '-c timezone=UTC',
    types: parsers,
    Client: connections.Client,
    pipeline: true,
    ...more,
  })
  pool.on('error', onConnectionLost)
  const dialect = new SharingDialect({ pool, deadline: statementTimeoutMs + deadlineMargin })
  const db = new Kysely<Tables>({ dialect })
  const close = async () => {
    const breakOff = setTimeout(connections.destroy, closeWithin)
    await db.destroy()
    if (!pool.ending) await pool.end() // Kysely closes only what it has used
    clearTimeout(breakOff)
  }
  const state = () => ({
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    shared: dialect.underWay(),
  })
  const relyOnNoSession = () => {
    connections.prepareNothing()
    dialect.shareNothing()
  }
  return { pool, db, relyOnNoSession, state, close }
}

/**
 * Holds a server against what is needed.
 * @returns whether a pooler stands before it: that makes up the process id that it tells its clients, and may give each
 *   of their transactions another session
 */
async function checkServer(pool: pg.Pool): Promise<{ isPooler: boolean }> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number; version: number; encoding: string }>(`
      select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding`)
    const { pid, version, encoding } = rows[0] ?? { pid: 0, version: 0, encoding: '' }
    checkVersion(version, encoding)
    const { processID } = client as unknown as { processID: unknown } // of pg's clients, absent from the types
    return { isPooler: processID !== pid }
  } finally {
    client.release()
  }
}

function checkVersion(version: number, encoding: string): void {
  if (version < oldestServer)
    throw new Error(`PostgreSQL 14 or newer is needed; this server is ${Math.floor(version / 10_000)}`)
  if (encoding !== 'UTF8') throw new Error(`The database must store UTF8; this one stores ${encoding}`)
}
