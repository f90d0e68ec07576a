import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type pg from 'pg'
import { type Statement, writeValues } from './client.ts'
import { isUnbounded } from './deadline.ts'
import { type Facts, factsOf } from './facts.ts'
import { Session } from './session.ts'
import { type Runner, SharedStatements } from './shared-statements.ts'

/** A query, and whether it is for all callers that there were: then it does not wait for others. */
export interface GatheredQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly isGathered?: boolean
}

export interface SharingConfig {
  /** of the clients that `trackConnections` makes, with `pipeline` */
  pool: pg.Pool
  /** of one statement, in ms */
  deadline: number
  /** Whether a read fails when its connection breaks, instead of being repeated on another one. */
  failsWhenLost?: boolean
}

/**
 * PostgreSQL, with connections that are shared: a statement without a transaction travels with those of others, reads with
 * reads and writes with writes. A transaction, and what needs a session, has a connection of the pool to itself.
 */
export class SharingDialect extends PostgresDialect {
  readonly #config: SharingConfig
  readonly #shared: Shared

  constructor(config: SharingConfig, shared: Shared = share(config)) {
    super(config)
    this.#config = config
    this.#shared = shared
  }

  /** runs statements that only read */
  get reads(): Runner {
    return this.#shared.reads
  }

  /** The same connections, but for what is read outside of transactions. */
  readBy(reads: Runner): SharingDialect {
    return new SharingDialect(this.#config, { ...this.#shared, readBy: reads })
  }

  override createDriver(): Driver {
    return new SharingDriver(this.#config, this.#shared)
  }

  override createAdapter(): PostgresAdapter {
    return new SharingAdapter()
  }

  /** Has each statement run on a connection of its own. */
  shareNothing(): void {
    this.#shared.reads.shareNothing()
    this.#shared.writes.shareNothing()
  }

  /** Statements that wait on the shared connections now. */
  underWay(): { reads: number; writes: number } {
    const { reads, writes } = this.#shared
    return { reads: reads.underWay, writes: writes.underWay }
  }
}

/** What those who use one pool share. */
interface Shared {
  reads: SharedStatements
  writes: SharedStatements
  /** what runs reads instead */
  readBy?: Runner
}

function share({ pool, deadline, failsWhenLost = false }: SharingConfig): Shared {
  // The rest of the pool is for who needs a connection alone.
  const { max } = pool.options
  const lanes = max < 4 ? 1 : 2
  return {
    reads: new SharedStatements(pool, deadline, { lanes, isRepeatable: true, failsWhenLost }),
    writes: new SharedStatements(pool, deadline, { lanes: Math.floor(max * 0.4), isRepeatable: false }),
  }
}

/** `migrate.ts` takes a lock of its transaction: Kysely's is one of the session, which a pooler gives to others. */
class SharingAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Kysely hands back what it was handed. */
const own = (connection: DatabaseConnection) => connection as SharingConnection

class SharingDriver extends PostgresDriver {
  readonly #pool: pg.Pool
  readonly #deadline: number
  readonly #shared: Shared
  /** Those that nobody has, to be used again: Kysely keeps account of each one it has seen. */
  readonly #unused: SharingConnection[] = []

  constructor({ pool, deadline }: SharingConfig, shared: Shared) {
    super({ pool })
    this.#pool = pool
    this.#deadline = deadline
    this.#shared = shared
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const { reads, writes, readBy = reads } = this.#shared
    return this.#unused.pop() ?? new SharingConnection(readBy, writes, this.#pool, this.#deadline)
  }

  override async beginTransaction(
    connection: SharingConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const { isolationLevel, accessMode } = settings
    const session = await own(connection).takeSession()
    session.begin(
      ['begin', isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(' '),
    )
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (await own(connection).takeSession()).commit()
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (await own(connection).takeSession()).rollback()
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release()
    this.#unused.push(own(connection))
  }

  override async destroy(): Promise<void> {
    this.#shared.reads.close()
    this.#shared.writes.close()
    await super.destroy()
  }
}

/** Shares while all it is asked for can be shared; from anything else on, it has a connection to itself until its release. */
class SharingConnection implements DatabaseConnection {
  readonly #reads: Runner
  readonly #writes: Runner
  readonly #pool: pg.Pool
  readonly #deadline: number
  #session: Session | undefined

  constructor(reads: Runner, writes: Runner, pool: pg.Pool, deadline: number) {
    this.#reads = reads
    this.#writes = writes
    this.#pool = pool
    this.#deadline = deadline
  }

  async takeSession(): Promise<Session> {
    this.#session ??= await Session.open(this.#pool, this.#deadline)
    return this.#session
  }

  release(): void {
    this.#session?.release()
    this.#session = undefined
  }

  async executeQuery<R>({ sql: text, parameters, isGathered }: GatheredQuery): Promise<QueryResult<R>> {
    const statement = { text, values: writeValues(parameters), isGathered }
    try {
      return toQueryResult(await this.#run(statement, factsOf(text)))
    } catch (error) {
      if (error instanceof Error) Error.captureStackTrace(error) // it led to the socket, not to the caller
      throw error
    }
  }

  async #run(statement: Statement, facts: Facts): Promise<pg.QueryResult> {
    if (!this.#session && !isUnbounded()) {
      if (facts.isRead) return this.#reads.run(statement, facts)
      if (facts.isWrite) return this.#writes.run(statement, facts)
    }
    return (await this.takeSession()).run(statement)
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would hold up what shares its connection: read in pages')
  }
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function toQueryResult<R>(result: pg.QueryResult): QueryResult<R> {
  const { command, rowCount, rows = [] } = result // absent where a text has several statements
  return changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows }
}
