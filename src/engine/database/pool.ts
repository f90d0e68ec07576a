import type { Socket } from 'node:net'
import { Kysely } from 'kysely'
import pg from 'pg'
import { GatheringSocket } from './connections.ts'
import { createPipeline, type Run } from './pipeline.ts'
import { checkServer, readInt8, readTimestamp, startSettings } from './session.ts'
import type { Database, Tables } from './tables.ts'

/** Where a PostgreSQL is, and how many connections it is given for how long. */
export interface PostgresPlace {
  url: string
  poolSize: number
  connectTimeoutMs: number
  /** 0: none */
  statementTimeoutMs: number
  /** what PostgreSQL knows the connections by */
  applicationName?: string
}

export type OpenPool = ReturnType<typeof openPool>

/** How much longer than the server's own timeout a query may take, so that the server is the first to tell, in ms. */
const deadlineMargin = 1_000
/** How long closing waits for queries under way, in ms. */
const closeWithin = 1_000

/**
 * Connects as soon as anything is asked for.
 * @param onConnectionLost told of a failure of a connection that no query waits for; the pool replaces it by itself
 * @param mayBeReplica whether a server is of use that takes no writes
 */
export function openPool(
  { url, poolSize, connectTimeoutMs, statementTimeoutMs, applicationName }: PostgresPlace,
  onConnectionLost: (error: Error) => void,
  { more = {}, mayBeReplica = false }: { more?: pg.PoolConfig; mayBeReplica?: boolean } = {},
) {
  const sockets = new Set<Socket>()
  const pool: pg.Pool = new pg.Pool({
    ...startSettings(url),
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: applicationName,
    ...(statementTimeoutMs > 0 && {
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + deadlineMargin,
    }),
    types: parsers(),
    pipeline: true,
    // Connections to a server that hangs can be ended at their sockets alone.
    stream() {
      const socket = new GatheringSocket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    async onConnect(client) {
      // Poolers lose names, and PgBouncer 1.18 was seen to mix up what travels in one go.
      if (await checkServer(client, mayBeReplica)) pipeline.relyOnNoSession()
    },
    ...more,
  })
  pool.on('error', onConnectionLost)
  const pipeline = createPipeline(pool)
  const db: Database = new Kysely<Tables>({ dialect: pipeline.dialect() })
  /** Breaks off every connection, whatever it waits for; new ones are made as they are needed. */
  const breakOff = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    pool,
    db,
    /** Runs a read outside transactions. */
    runRead: pipeline.read,
    /** The same database, in which another runs what is read outside transactions. It is closed with this one. */
    readBy: (runRead: Run): Database => new Kysely<Tables>({ dialect: pipeline.dialect(runRead) }),
    /** What the connections do at a moment. */
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      /** callers that wait for a connection */
      waiting: pool.waitingCount,
      /** reads that wait on shared connections */
      sharedReads: pipeline.sharedReads(),
    }),
    breakOff,
    /** Closes all connections. Those that still wait for an answer after a second are broken off. */
    async close(): Promise<void> {
      const timer = setTimeout(breakOff, closeWithin)
      await db.destroy()
      if (!pool.ending) await pool.end() // Kysely closes only what it has used
      clearTimeout(timer)
    },
  }
}

function parsers(): pg.TypeOverrides {
  const overrides = new pg.TypeOverrides()
  overrides.setTypeParser(pg.types.builtins.INT8, readInt8)
  overrides.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp)
  return overrides
}
