import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import { type Done, shareConnections, type TakenClient, takeClient, type WatchedPool } from './connections.ts'
import { isReading } from './statements.ts'

/** Runs a statement outside transactions. */
export type Run = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/** The pools of a database. Those that share one are the same. */
export interface Pools {
  /** for reads outside transactions, and for writes of one statement: what waits for a lock there, ends and moves */
  reads: WatchedPool
  writes: WatchedPool
  /** for transactions, and for statements that nothing is known of */
  own: WatchedPool
  /** for what waits for a lock; undefined: nothing moves */
  waiting: WatchedPool | undefined
}

/** The most statements that are prepared on a connection. More means that something builds them without end. */
const mostNames = 500
/** SQLSTATE lock_not_available */
const locked = '55P03'

/** Pipelined connections, on which statements outside transactions travel together. */
export function createPipeline({ reads, writes, own, waiting }: Pools) {
  let shared = waiting && { reads: shareConnections(reads), writes: shareConnections(writes) }
  /** The names of prepared statements by their texts; undefined: none is prepared. */
  let names: Map<string, string> | undefined = new Map()
  let named = 0
  let waits = 0

  /** Runs a statement that is a transaction of its own. One that meets a lock runs again where such wait. */
  function run(statement: pg.QueryConfig, isRead: boolean, done: Done): void {
    const moved: Done = (error, result) => {
      if (!error || !waiting || codeOf(error) !== locked) return done(error, result)
      waits++
      runAlone(waiting, statement, isRead, (error, result) => {
        waits--
        done(error, result)
      })
    }
    const given = asNamed(statement)
    const first: Done = (error, result) => {
      if (!error || given === statement || !isRefusedByName(error)) return moved(error, result)
      names?.clear()
      send(statement, isRead, moved)
    }
    send(given, isRead, first)
  }

  function send(statement: pg.QueryConfig, isRead: boolean, done: Done): void {
    if (shared) shared[isRead ? 'reads' : 'writes'].run(statement, isRead, done)
    else runAlone(isRead ? reads : writes, statement, isRead, done)
  }

  /** Runs a statement by name, so that PostgreSQL parses and plans it once for each connection. */
  function asNamed(statement: pg.QueryConfig): pg.QueryConfig {
    const { text, values } = statement
    if (!values?.length || !names) return statement
    let name = names.get(text)
    if (name === undefined) {
      if (names.size >= mostNames) return statement
      name = `service_${named++}`
      names.set(text, name)
    }
    return { name, text, values }
  }

  return {
    /** Runs a read outside transactions. */
    read: (statement: pg.QueryConfig): Promise<pg.QueryResult> =>
      new Promise((resolve, reject) => run(statement, true, settle(resolve, reject))),
    /** Assumes that each transaction may have another session, as behind a pooler. */
    relyOnNoSession(): void {
      names = undefined
      shared = undefined
    },
    /** Returns the number of statements that wait on shared connections, by kind, and for locks. */
    state: () => ({
      reads: shared?.reads.underWay() ?? 0,
      writes: shared?.writes.underWay() ?? 0,
      locked: waits,
    }),
    close(): void {
      shared?.reads.close()
      shared?.writes.close()
    },
    /**
     * Runs statements of Kysely's builder outside transactions on shared connections. All else has a connection to itself.
     * @param runRead another way for reads
     */
    dialect: (runRead?: Run): Dialect => dialectOf(own, () => createConnection(own, () => {}, run, runRead)),
    /** Gives all that it runs, and that waits for locks, a connection to itself. */
    waitingDialect: (): Dialect => {
      const pool = waiting ?? own
      return dialectOf(pool, () => {
        waits++
        return createConnection(pool, () => waits--)
      })
    },
  }
}

const dialectOf = ({ pool }: WatchedPool, connect: () => PipelineConnection): Dialect => ({
  createAdapter: () => new PipelineAdapter(),
  createDriver: () => new PipelineDriver(pool, connect),
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

const settle =
  (resolve: (result: pg.QueryResult) => void, reject: (error: Error) => void): Done =>
  (error, result) =>
    error || !result ? reject(error ?? new Error('A statement had no result')) : resolve(result)

/** Runs a statement on a client of its own. A read runs once more if its connection is lost. */
function runAlone(pool: WatchedPool, statement: pg.QueryConfig, mayRepeat: boolean, done: Done): void {
  takeClient(pool).then(
    client =>
      client.send(statement, (error, result) => {
        const isLost = client.isBroken() && (error as NodeJS.ErrnoException | null)?.code !== 'ETIMEDOUT'
        client.release()
        if (error && mayRepeat && isLost) runAlone(pool, statement, false, done)
        else done(error, result)
      }),
    (error: Error) => done(error),
  )
}

const codeOf = (error: Error) => ('code' in error ? error.code : undefined)

/** Whether a statement was refused for its name before it ran: its table changed, or the session lacks the name. */
function isRefusedByName(error: Error): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown } // properties of PostgreSQL's errors
  return routine === 'RevalidateCachedQuery' || code === '26000' || code === '42P05'
}

/** `migrate.ts` locks in its transaction. Kysely's lock belongs to the session, which a pooler gives to others. */
class PipelineAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type PipelineConnection = ReturnType<typeof createConnection>
const own = (connection: DatabaseConnection) => connection as PipelineConnection // Kysely passes the driver's own connections

class PipelineDriver extends PostgresDriver {
  readonly #connect: () => PipelineConnection

  constructor(pool: pg.Pool, connect: () => PipelineConnection) {
    super({ pool })
    this.#connect = connect
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connect()
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const begun = super.beginTransaction(connection, settings)
    // A plain `begin` fails only with its connection, as what follows it then does. It needs no round trip of its own.
    if (settings.isolationLevel ?? settings.accessMode) await begun
    else begun.catch(() => {})
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollback()
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release()
  }
}

/**
 * Shares connections until a statement can't be shared. From then on it has one to itself.
 * @param run runs what can be shared; absent: nothing is
 * @param runRead runs reads instead
 */
function createConnection(
  pool: WatchedPool,
  onReleased: () => void,
  run?: (statement: pg.QueryConfig, isRead: boolean, done: Done) => void,
  runRead?: Run,
) {
  let taking: Promise<void> | undefined
  let client: TakenClient | undefined
  let isOver = false

  function send(statement: pg.QueryConfig, query: RootOperationNode, done: Done): void {
    // Behind the rollback, what a transaction's work still sends would be stored.
    if (isOver) return void done(new Error('The transaction is over: it is committed or rolled back'))
    const isShared = !client && !taking
    const isRead = isShared && isReading(query)
    if (isRead && runRead) runRead(statement).then(result => done(null, result), done)
    else if (isShared && run && sharable.has(query.kind)) run(statement, isRead, done)
    else if (client) client.send(statement, done)
    else take(statement, done)
  }

  function take(statement: pg.QueryConfig, done: Done): void {
    taking ??= takeClient(pool).then(taken => {
      client = taken
    })
    taking.then(() => client?.send(statement, done), done)
  }

  return {
    executeQuery: <R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> =>
      new Promise((resolve, reject) =>
        send(
          { text: sql, values: parameters as unknown[] }, // pg changes no values
          query,
          settle(result => resolve(resultOf(result)), reject),
        ),
      ),
    streamQuery(): never {
      throw new Error('A stream would hold up what shares its connection: read in pages')
    },
    /** Rolls a transaction back. A connection that can't is closed on release, which does the same. */
    async rollback(): Promise<void> {
      isOver = true
      await taking?.catch(() => {})
      if (client && !client.isBroken())
        await new Promise<void>(resolve => client?.send({ text: 'rollback' }, () => resolve()))
    },
    /** Returns the client, also one that nothing has waited for yet. */
    release(): void {
      onReleased()
      isOver = true
      if (client) client.release()
      else
        taking?.then(
          () => client?.release(),
          () => {},
        )
    },
  }
}

function resultOf<R>({ command, rowCount, rows = [] }: pg.QueryResult): QueryResult<R> {
  // `PostgresDriver` reads from the command whether a transaction was committed.
  if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command }] as R[] }
  return changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows }
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** The statements of Kysely's builder that are a transaction of their own. */
const sharable: ReadonlySet<string> = new Set([
  'SelectQueryNode',
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
  'MergeQueryNode',
])
