import { promisify } from 'node:util'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { OutcomeUnknown } from '../errors/api-error.ts'
import { type Write, writesOfRequest } from '../runtime/writes.ts'
import { savepoints } from './savepoints.ts'
import { isReading } from './statements.ts'

const endOfTurn = promisify(setImmediate)

/** How the database's files are. */
export interface FilesState {
  /** Returns why nothing can be asked any more; undefined: all is well. */
  faultOf(): Error | undefined
  /** Resolves when what was committed is kept; undefined: it is, or needs not be. @throws Error if it never will be */
  settled(): Promise<void> | undefined
}

/**
 * Runs Kysely's queries on PGlite, one after the other. As what is not kept yet may be lost, all that shows it waits until
 * it is kept: the end of a transaction, and any statement outside. Others have their turn meanwhile, for which Kysely's own
 * dialect has no way. A write that waits for its turn while its request is refused is not carried out.
 */
export const embeddedDialect = (pglite: PGlite, files: FilesState): Dialect => ({
  createAdapter: () => new EmbeddedAdapter(),
  createDriver: () => createDriver(pglite, files),
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

/** Nobody else has the database open. What runs beside a transaction would wait for its end, and Kysely's mutex is not needed. */
export class EmbeddedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const embedded = (connection: DatabaseConnection) => connection as EmbeddedConnection // Kysely passes the driver's own

function createDriver(pglite: PGlite, files: FilesState): Driver {
  const inTurn = createTurns()
  return {
    async init() {},
    acquireConnection: async () => new EmbeddedConnection(pglite, files, inTurn),
    beginTransaction: (connection, settings) => embedded(connection).begin(settings),
    commitTransaction: connection => embedded(connection).commit(),
    rollbackTransaction: connection => embedded(connection).rollback(),
    ...savepoints,
    releaseConnection: async connection => embedded(connection).release(),
    async destroy() {},
  }
}

/**
 * How long statements follow each other without a look at the sockets, in ms. PGlite works in this thread, and each look
 * accepts one new connection.
 */
const longestRun = 5

/** Returns a function that waits for a turn, and returns the one that ends it. */
function createTurns(): () => Promise<() => void> {
  let last: Promise<void> | undefined
  /** when the first statement since the last look at the sockets began */
  let began: number | undefined

  async function lookAtSockets(): Promise<void> {
    if (began !== undefined && performance.now() - began > longestRun) await endOfTurn()
    if (began !== undefined) return
    began = performance.now()
    setImmediate(() => {
      began = undefined
    })
  }

  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = promise
    await before
    await lookAtSockets()
    return resolve
  }
}

/** A transaction whose end somebody decides elsewhere. */
interface Open {
  within: Transaction
  end: PromiseWithResolvers<void>
  ended: Promise<void>
  endTurn(): void
}

class EmbeddedConnection implements DatabaseConnection {
  readonly #pglite: PGlite
  readonly #files: FilesState
  readonly #turn: () => Promise<() => void>
  #transaction: Open | undefined
  #write: Write | undefined
  #isOver = false

  constructor(pglite: PGlite, files: FilesState, turn: () => Promise<() => void>) {
    this.#pglite = pglite
    this.#files = files
    this.#turn = turn
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    // Behind the rollback, what a transaction's work still sends would be stored.
    if (this.#isOver) throw new Error('The transaction is over: it is committed or rolled back')
    this.#expectFiles()
    const values = [...parameters]
    if (this.#transaction) return resultOf(await this.#transaction.within.query<R>(sql, values))
    const run = () => {
      this.#expectFiles() // they may have failed, or been closed, before its turn
      return this.#pglite.query<R>(sql, values)
    }
    const isRead = isReading(query)
    const endTurn = await this.#turn()
    try {
      return resultOf(await (isRead ? run() : this.#storing(run)))
    } finally {
      endTurn()
      await this.#settled(!isRead) // a failure, such as a name that is taken, may come of others' writes as well
    }
  }

  /** @throws the refusal of its request */
  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const endTurn = await this.#turn()
    try {
      this.#expectFiles()
      const writes = writesOfRequest.getStore()
      if (writes?.waitsInVain) throw writes.waitsInVain
      this.#write = writes?.begin()
      if (this.#write) this.#write.state = 'open'
      const begun = Promise.withResolvers<Transaction>()
      const end = Promise.withResolvers<void>()
      const ended = this.#pglite.transaction(transaction => {
        begun.resolve(transaction)
        return end.promise
      })
      ended.catch(begun.reject) // it could not begin
      const within = await begun.promise
      this.#transaction = { within, end, ended, endTurn }
      const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean)
      if (modes.length > 0) await within.exec(`set transaction ${modes.join(', ')}`)
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async commit(): Promise<void> {
    await this.#storing(async () => {
      this.#transaction?.end.resolve()
      await this.#ended(true)
    })
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    const rolledBack = new Error('Rolled back')
    this.#transaction?.end.reject(rolledBack)
    await this.#ended(false).catch(error => {
      if (error !== rolledBack) throw error
    })
  }

  release(): void {
    this.#isOver = true
    this.#write?.of.ended(this.#write, false)
  }

  /** Runs what may store something. @throws the refusal of its request */
  async #storing<T>(run: () => Promise<T>): Promise<T> {
    const writes = writesOfRequest.getStore()
    const refusal = this.#transaction ? writes?.refusal : writes?.waitsInVain
    if (refusal) throw refusal
    if (!writes) return run()
    this.#write ??= writes.begin()
    this.#write.state = 'sent'
    try {
      const result = await run()
      writes.noteStored()
      return result
    } finally {
      this.#write.state = 'open'
    }
  }

  /** A PostgreSQL that could not write its files may never answer. */
  #expectFiles(): void {
    const fault = this.#files.faultOf()
    if (fault) throw fault
  }

  async #ended(isStored: boolean): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = undefined
    if (!transaction) return
    try {
      await transaction.ended
    } finally {
      transaction.endTurn()
      await this.#settled(isStored)
    }
  }

  /** @param isStored whether something was to be stored, which may be kept although that is not known */
  async #settled(isStored: boolean): Promise<void> {
    try {
      await this.#files.settled()
    } catch (error) {
      throw isStored ? new OutcomeUnknown(error) : error
    }
  }

  streamQuery(): never {
    throw new Error('A stream would hold up all others: read in pages')
  }
}

const resultOf = <R>({ rows, affectedRows }: { rows: R[]; affectedRows?: number }): QueryResult<R> =>
  affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
