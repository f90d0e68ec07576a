import type { Socket } from 'node:net'
import { Kysely } from 'kysely'
import pg from 'pg'
import { createDeadline, createSource, GatheringClient, type Source } from './connections.ts'
import { createHosts, hostsIn } from './hosts.ts'
import { createPipeline, type Pools, type Run } from './pipeline.ts'
import { checkServer, lockedAfter, startSettings } from './session.ts'
import { readInt8, readTimestamp } from './statements.ts'
import type { Database, Tables } from './tables.ts'

/** A PostgreSQL, with the number of its connections and their timeouts. */
export interface PostgresPlace {
  url: string
  poolSize: number
  connectTimeoutMs: number
  /** 0: none */
  statementTimeoutMs: number
  /** whether any use may take all connections, as a migration does; absent: they are divided among their uses */
  isUndivided?: boolean
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
  { url, poolSize, connectTimeoutMs, statementTimeoutMs, isUndivided, applicationName }: PostgresPlace,
  onConnectionLost: (error: Error) => void,
  { more = {}, mayBeReplica = false }: { more?: pg.PoolConfig; mayBeReplica?: boolean } = {},
) {
  const sockets = new Set<Socket>()
  const urls = hostsIn(url)
  const [first = url] = urls
  const hosts = createHosts(urls)
  const hasOne = urls.length === 1
  const settings: pg.PoolConfig = {
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: applicationName,
    ...(statementTimeoutMs > 0 && { statement_timeout: statementTimeoutMs }),
    types: parsers(),
    pipeline: true,
    // Only its socket can end a connection to a server that hangs.
    Client: class extends GatheringClient {
      constructor(config?: pg.ClientConfig) {
        // Each connection leads to the host that is the primary now.
        super(hasOne ? config : { ...config, ...startSettings(hosts.present()), options: config?.options })
        sockets.add(this.socket)
        this.socket.once('close', () => sockets.delete(this.socket))
      }
    },
    async onConnect(client) {
      // Poolers lose names, and PgBouncer 1.18 was seen to mix up pipelined messages.
      if (await checkServer(client, mayBeReplica, connectTimeoutMs)) pipeline.relyOnNoSession()
    },
    ...more,
  }
  const deadline = createDeadline(statementTimeoutMs && statementTimeoutMs + deadlineMargin)
  const open = (max: number, options?: pg.PoolConfig) => createSource(openOne(max, options), deadline, hosts)
  function openOne(max: number, options: pg.PoolConfig = {}): pg.Pool {
    return new pg.Pool({ ...startSettings(first), max, ...settings, ...options }).on(
      'error',
      onConnectionLost,
    )
  }
  const { reads, writes, own, waiting } = sharesOf(poolSize, isUndivided)
  const main = open(own)
  const sharing = startSettings(first, lockedAfter)
  const waitsFor = {
    connection: connectTimeoutMs,
    // A statement there waits for a lock until its own time is over.
    locked: statementTimeoutMs && connectTimeoutMs + statementTimeoutMs,
  }
  const pools: Pools =
    waiting === 0
      ? { reads: main, writes: main, own: main, waiting: undefined }
      : {
          reads: open(reads, sharing),
          writes: open(writes, sharing),
          own: main,
          waiting: open(waiting),
        }
  const all = new Set(Object.values(pools).flatMap((source?: Source) => source?.pool ?? []))
  const sum = (of: (pool: pg.Pool) => number) => [...all].reduce((total, pool) => total + of(pool), 0)
  const pipeline = createPipeline(pools, waitsFor)
  const db: Database = new Kysely<Tables>({ dialect: pipeline.dialect() })
  /** Cuts every connection, whatever it waits for. New ones open as they are needed. */
  const breakOff = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    pool: main.pool,
    /** Opens a connection, and gives it back. @throws Error when no host is suitable */
    open: async () => (await hosts.connect(main.pool)).release(),
    db,
    /** Runs a read outside transactions. */
    runRead: pipeline.read,
    /** The same database, with another runner for reads outside transactions. It closes with this one. */
    readBy: (runRead: Run): Database => new Kysely<Tables>({ dialect: pipeline.dialect(runRead) }),
    /** The same database, for work that waits for a lock. It keeps no other work from a connection. */
    waiting: pools.waiting ? new Kysely<Tables>({ dialect: pipeline.waitingDialect() }) : db,
    /** Returns the present use of the connections. */
    state: () => ({
      open: sum(pool => pool.totalCount),
      idle: sum(pool => pool.idleCount),
      /** callers that wait for a connection */
      waiting: sum(pool => pool.waitingCount) + pipeline.waiting(),
      /** statements that wait on shared connections, by kind, and those that wait for locks */
      statements: pipeline.state(),
    }),
    breakOff,
    /** Closes all connections. Those without an answer after a second are cut. */
    async close(): Promise<void> {
      const timer = setTimeout(breakOff, closeWithin)
      pipeline.close()
      deadline.close()
      await Promise.all([...all].map(pool => pool.ending || pool.end()))
      clearTimeout(timer)
    },
  }
}

/** Divides connections among their uses. Fewer than four are not divided. */
function sharesOf(size: number, isUndivided = false) {
  if (size < 4 || isUndivided) return { reads: 0, writes: 0, own: size, waiting: 0 }
  const upTo = (most: number, parts: number) => Math.min(most, Math.floor(size / parts))
  const [reads, writes, waiting] = [upTo(2, 4), upTo(4, 2.5), Math.max(1, upTo(2, 8))]
  return { reads, writes, waiting, own: size - reads - writes - waiting }
}

function parsers(): pg.TypeOverrides {
  const overrides = new pg.TypeOverrides()
  overrides.setTypeParser(pg.types.builtins.INT8, readInt8)
  overrides.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTimestamp)
  return overrides
}
