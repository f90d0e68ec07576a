import { Kysely } from 'kysely'
import pg from 'pg'
import { trackConnections } from './client.ts'
import { startSettings } from './session-settings.ts'
import type { Runner } from './shared-statements.ts'
import { SharingDialect } from './sharing-dialect.ts'
import type { Database, Tables } from './tables.ts'
import { readInt8, readTimestamp } from './values.ts'

/** Where a PostgreSQL is, and how many connections it is given for how long. */
export interface PostgresPlace {
  url: string
  poolSize: number
  connectTimeoutMs: number
  statementTimeoutMs: number
}

/** What the connections to PostgreSQL do at a moment. */
export interface PoolState {
  open: number
  idle: number
  /** those who wait for a connection */
  waiting: number
  /** statements that wait on shared connections */
  shared: { reads: number; writes: number }
}

/** Connections to a PostgreSQL, and the database that is reached by them. */
export interface OpenPool {
  pool: pg.Pool
  db: Database
  /** runs statements that only read */
  reads: Runner
  /** The same database, in which another runs what is read outside of transactions. It is closed with this one. */
  readBy(reads: Runner): Database
  /** Takes it that each transaction may have another session. */
  relyOnNoSession(): void
  state(): PoolState
  /** Breaks off every connection, whatever it waits for; new ones are made as they are needed. */
  breakOff(): void
  /** Closes all connections. Those that still wait for an answer after a second are broken off. */
  close(): Promise<void>
}

export interface PoolOptions {
  more?: pg.PoolConfig
  /** Whether a read fails when its connection breaks, instead of being repeated on another one. */
  failsWhenLost?: boolean
  /** Whether a server is of use that takes no writes. */
  mayBeReplica?: boolean
}

/** How much longer than the server's own timeout a query may take, so that the server is the first to tell, in ms. */
const deadlineMargin = 1_000
/** How long closing waits for queries under way, in ms. */
const closeWithin = 1_000

/**
 * Connects as soon as anything is asked for.
 * @param onConnectionLost told of a failure of a connection that no query waits for; the pool replaces it by itself
 */
export function openPool(
  { url, poolSize, connectTimeoutMs, statementTimeoutMs }: PostgresPlace,
  onConnectionLost: (error: Error) => void,
  { more = {}, failsWhenLost = false, mayBeReplica = false }: PoolOptions = {},
): OpenPool {
  const parsers = new pg.TypeOverrides()
  parsers.setTypeParser(pg.types.builtins.INT8, readInt8)
  parsers.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp)
  const connections = trackConnections(mayBeReplica)
  const pool = new pg.Pool({
    ...startSettings(url),
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'petstore',
    types: parsers,
    Client: connections.Client,
    pipeline: true,
    ...more,
  })
  pool.on('error', onConnectionLost)
  const dialect = new SharingDialect({ pool, deadline: statementTimeoutMs + deadlineMargin, failsWhenLost })
  const db = new Kysely<Tables>({ dialect })
  return {
    pool,
    db,
    reads: dialect.reads,
    readBy: reads => new Kysely<Tables>({ dialect: dialect.readBy(reads) }),
    relyOnNoSession() {
      connections.prepareNothing()
      dialect.shareNothing()
    },
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      shared: dialect.underWay(),
    }),
    breakOff: connections.destroy,
    async close() {
      const breakOff = setTimeout(connections.destroy, closeWithin)
      await db.destroy()
      if (!pool.ending) await pool.end() // Kysely closes only what it has used
      clearTimeout(breakOff)
    },
  }
}
