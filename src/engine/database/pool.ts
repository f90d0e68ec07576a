import type { Socket } from 'node:net'
import { Kysely } from 'kysely'
import pg from 'pg'
import { GatheringSocket } from './connections.ts'
import { createPipeline, type Run } from './pipeline.ts'
import { checkServer, readInt8, readTimestamp, startSettings } from './session.ts'
import type { Database, Tables } from './tables.ts'

/** A PostgreSQL, with the number of its connections and their timeouts. */
export interface PostgresPlace {
  url: string
  poolSize: number
  connectTimeoutMs: number
  /** 0: none */
  statementTimeoutMs: number
  /** the connections' name in PostgreSQL */
  applicationName?: string
}

export type OpenPool = ReturnType<typeof openPool>

/** How much later than on the server a query times out here, in ms. So the server reports it first. */
const deadlineMargin = 1_000
/** How long closing waits for queries under way, in ms. */
const closeWithin = 1_000

/**
 * Opens a pool, which connects at the first query.
 * @param onConnectionLost called when a connection fails that no query waits for; the pool replaces it
 * @param mayBeReplica whether a server that takes no writes is suitable
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
    // Only its socket can end a connection to a server that hangs.
    stream() {
      const socket = new GatheringSocket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    async onConnect(client) {
      // Poolers lose names, and PgBouncer 1.18 was seen to mix up pipelined messages.
      if (await checkServer(client, mayBeReplica)) pipeline.relyOnNoSession()
    },
    ...more,
  })
  pool.on('error', onConnectionLost)
  const pipeline = createPipeline(pool)
  const db: Database = new Kysely<Tables>({ dialect: pipeline.dialect() })
  /** Cuts every connection, whatever it waits for. New ones open as they are needed. */
  const breakOff = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    pool,
    db,
    /** Runs a read outside transactions. */
    runRead: pipeline.read,
    /** The same database, with another runner for reads outside transactions. It closes with this one. */
    readBy: (runRead: Run): Database => new Kysely<Tables>({ dialect: pipeline.dialect(runRead) }),
    /** Returns the present use of the connections. */
    state: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      /** callers that wait for a connection */
      waiting: pool.waitingCount,
      /** reads that wait on shared connections */
      sharedReads: pipeline.sharedReads(),
    }),
    breakOff,
    /** Closes all connections. Those without an answer after a second are cut. */
    async close(): Promise<void> {
      const timer = setTimeout(breakOff, closeWithin)
      await db.destroy()
      if (!pool.ending) await pool.end() // Kysely closes only a pool that it has used
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
