import { promisify } from 'node:util'
import type { Results } from '@electric-sql/pglite'
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
import type { RunStatement } from './embedded-statements.ts'
import { savepoints } from './savepoints.ts'
import { beginning, expectCommitted, isReading } from './statements.ts'

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
 * @param run runs a statement
 * @param inTurn gives a statement or a transaction its turn
 */
export const embeddedDialect = (run: RunStatement, files: FilesState, inTurn: InTurn): Dialect => ({
  createAdapter: () => new EmbeddedAdapter(),
  createDriver: () => createDriver(run, files, inTurn),
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

/** Nobody else has the database open. What runs beside a transaction would wait for its end, and Kysely's mutex is not needed. */
export class EmbeddedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const embedded = (connection: DatabaseConnection) => connection as EmbeddedConnection // Kysely passes the driver's own

function createDriver(run: RunStatement, files: FilesState, inTurn: InTurn): Driver {
  return {
    async init() {},
    acquireConnection: async () => new EmbeddedConnection(run, files, inTurn),
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

/** Waits for a turn, and returns the function that ends it. */
export type InTurn = () => Promise<() => void>

/** Returns a function that lets one have its turn after the other. */
export function createTurns(): InTurn {
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

class EmbeddedConnection implements DatabaseConnection {
  readonly #run: RunStatement
  readonly #files: FilesState
  readonly #turn: InTurn
  /** ends the turn of its transaction; undefined: none is open */
  #endTurn: (() => void) | undefined
  #write: Write | undefined
  #isOver = false

  constructor(run: RunStatement, files: FilesState, turn: InTurn) {
    this.#run = run
    this.#files = files
    this.#turn = turn
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    // Behind the rollback, what a transaction's work still sends would be stored.
    if (this.#isOver) throw new Error('The transaction is over: it is committed or rolled back')
    this.#expectFiles()
    if (this.#endTurn) return resultOf(await this.#run<R>(sql, parameters))
    const run = () => {
      this.#expectFiles() // they may have failed, or been closed, before its turn
      return this.#run<R>(sql, parameters)
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
  async begin(settings: TransactionSettings): Promise<void> {
    const endTurn = await this.#turn()
    try {
      this.#expectFiles()
      const writes = writesOfRequest.getStore()
      if (writes?.waitsInVain) throw writes.waitsInVain
      this.#write = writes?.begin()
      if (this.#write) this.#write.state = 'open'
      await this.#run(beginning(settings), [])
      this.#endTurn = endTurn
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async commit(): Promise<void> {
    await this.#storing(() => this.#end('commit'))
  }

  async rollback(): Promise<void> {
    this.#isOver = true
    await this.#end('rollback')
  }

  release(): void {
    this.#isOver = true
    this.#write?.of.ended(this.#write, false)
  }

  /** Runs what may store something. @throws the refusal of its request */
  async #storing<T>(run: () => Promise<T>): Promise<T> {
    const writes = writesOfRequest.getStore()
    const refusal = this.#endTurn ? writes?.refusal : writes?.waitsInVain
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

  async #end(how: 'commit' | 'rollback'): Promise<void> {
    const endTurn = this.#endTurn
    this.#endTurn = undefined
    if (!endTurn) return
    try {
      const { command } = await this.#run(how, [])
      if (how === 'commit') expectCommitted(command)
    } finally {
      endTurn()
      await this.#settled(how === 'commit')
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

const resultOf = <R>({ rows, affectedRows }: Results<R>): QueryResult<R> =>
  affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
