import { setImmediate } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  type RootOperationNode,
} from 'kysely'
import type pg from 'pg'
import { SharedConnections } from './shared-connections.ts'
import { isRefusedByName, StatementNames } from './statement-names.ts'
import { TakenClient } from './taken-client.ts'

/** Runs a read outside transactions. */
export type RunRead = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/** A pool of pipelined connections, some of which are shared. */
export class Pipeline {
  readonly pool: pg.Pool
  readonly #names = new StatementNames()
  /** what is asked in this turn of the event loop; a Map that was emptied would be tied to what it held */
  #turn: { end: Promise<void>; asked: Map<string, Promise<pg.QueryResult>> } | undefined
  #shared: SharedConnections | undefined

  constructor(pool: pg.Pool) {
    this.pool = pool
    // The rest of the pool is for writes, which may wait for one another's rows, and for transactions.
    if (pool.options.max >= 4) this.#shared = new SharedConnections(pool, 2)
  }

  /** Runs a read outside transactions, once for all who ask the same before it leaves: a busy list takes half the CPU. */
  read(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    if (!this.#turn) {
      const end = setImmediate().then(() => {
        this.#turn = undefined
      })
      this.#turn = { end, asked: new Map() }
    }
    const { end, asked } = this.#turn
    const question = `${statement.text} ${JSON.stringify(statement.values)}`
    const answer = asked.get(question) ?? end.then(() => this.run(statement, true))
    asked.set(question, answer)
    return answer
  }

  /** Runs a statement outside transactions. */
  async run(statement: pg.QueryConfig, isRead: boolean): Promise<pg.QueryResult> {
    const shared = isRead ? this.#shared : undefined
    const run = (one: pg.QueryConfig) => shared?.run(one) ?? this.#runAlone(one)
    const name = statement.values?.length ? this.#names.of(statement.text) : undefined
    if (name === undefined) return run(statement)
    try {
      return await run({ ...statement, name })
    } catch (error) {
      if (!isRefusedByName(error)) throw error
      this.#names.renew()
      return run(statement)
    }
  }

  async #runAlone(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await TakenClient.from(this.pool)
    return client.run(statement).finally(() => client.release())
  }

  /** Takes it that each transaction may have another session, as behind a pooler. */
  relyOnNoSession(): void {
    this.#names.turnOff()
    this.close()
    this.#shared = undefined
  }

  /** Reads that wait on shared connections. */
  get sharedReads(): number {
    return this.#shared?.underWay ?? 0
  }

  /** Gives shared connections back once all is answered. */
  close(): void {
    this.#shared?.close()
  }
}

/**
 * PostgreSQL over a pipeline: reads that Kysely's builder makes outside transactions travel with those of other callers. A
 * write, a transaction, and SQL written by hand, has a connection of the pool to itself.
 */
export class PipelineDialect extends PostgresDialect {
  readonly #pipeline: Pipeline
  readonly #runRead: RunRead

  /** @param runRead runs reads in place of the pipeline */
  constructor(pipeline: Pipeline, runRead: RunRead = statement => pipeline.read(statement)) {
    super({ pool: pipeline.pool })
    this.#pipeline = pipeline
    this.#runRead = runRead
  }

  override createDriver(): Driver {
    return new PipelineDriver(this.#pipeline, this.#runRead)
  }

  override createAdapter(): PostgresAdapter {
    return new PipelineAdapter()
  }
}

/** `migrate.ts` takes a lock of its transaction: Kysely's is one of the session, which a pooler gives to others. */
class PipelineAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const own = (connection: DatabaseConnection) => connection as PipelineConnection // Kysely hands back what it was handed

class PipelineDriver extends PostgresDriver {
  readonly #pipeline: Pipeline
  readonly #runRead: RunRead

  constructor(pipeline: Pipeline, runRead: RunRead) {
    super({ pool: pipeline.pool })
    this.#pipeline = pipeline
    this.#runRead = runRead
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PipelineConnection(this.#pipeline, this.#runRead)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollback()
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release()
  }

  override async destroy(): Promise<void> {
    this.#pipeline.close()
    await super.destroy()
  }
}

/** Shares connections until it is asked for what can't be shared; from then on it has one to itself. */
class PipelineConnection implements DatabaseConnection {
  readonly #pipeline: Pipeline
  readonly #runRead: RunRead
  #client: TakenClient | undefined

  constructor(pipeline: Pipeline, runRead: RunRead) {
    this.#pipeline = pipeline
    this.#runRead = runRead
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = { text: sql, values: [...parameters] }
    try {
      return toQueryResult(await this.#run(statement, query))
    } catch (error) {
      if (error instanceof Error) Error.captureStackTrace(error) // it led to the socket, not to the caller
      throw error
    }
  }

  async #run(statement: pg.QueryConfig, query: RootOperationNode): Promise<pg.QueryResult> {
    if (!this.#client) {
      if (isRead(query)) return this.#runRead(statement)
      if (isBuilt(query)) return this.#pipeline.run(statement, false)
      this.#client = await TakenClient.from(this.#pipeline.pool)
    }
    return this.#client.run(statement)
  }

  async rollback(): Promise<void> {
    if (!this.#client?.isBroken) await this.#client?.run({ text: 'rollback' }) // a lost one has ended its transaction
  }

  release(): void {
    this.#client?.release()
    this.#client = undefined
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would hold up what shares its connection: read in pages')
  }
}

const built = new Set([
  'SelectQueryNode',
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
  'MergeQueryNode',
])

/** Whether Kysely's builder made a statement, all parts of its `with` included. */
function isBuilt(query: RootOperationNode): boolean {
  return built.has(query.kind) && partsOf(query).every(({ kind }) => built.has(kind))
}

/** Whether a statement changes nothing and locks nothing, so that it may run twice. */
function isRead(query: RootOperationNode): boolean {
  if (query.kind !== 'SelectQueryNode' || query.endModifiers) return false
  return partsOf(query).every(({ kind }) => kind === 'SelectQueryNode')
}

/** The statements in the `with` of a statement; PostgreSQL takes none that writes further inside. */
function partsOf(query: RootOperationNode) {
  return ('with' in query && query.with?.expressions.map(({ expression }) => expression)) || []
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function toQueryResult<R>({ command, rowCount, rows = [] }: pg.QueryResult): QueryResult<R> {
  // `PostgresDriver` tells by the command whether a transaction was committed.
  if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command }] as R[] }
  return changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows }
}
