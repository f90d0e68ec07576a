import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
} from 'kysely'
import type pg from 'pg'
import { OutcomeUnknown } from '../errors/api-error.ts'
import { type Write, writesOfRequest } from '../runtime/writes.ts'
import {
  createQueue,
  type Done,
  type Failure,
  prepare,
  type Queue,
  type Source,
  Statement,
  type TakenClient,
} from './connections.ts'
import { canceled, codeOf, isLocked, isRefusedByName, timedOut } from './failures.ts'
import { savepoints } from './savepoints.ts'
import { lockedAfter } from './session.ts'
import { shareConnections } from './shared-connections.ts'
import { beginning, expectCommitted, isReading, joinableOf, mostNames, sendingOf } from './statements.ts'

/** Runs a statement outside transactions. */
export type Run = (statement: Statement) => Promise<pg.QueryResult>

/** The pools of a database. Those that share one are the same. */
export interface Pools {
  /** for reads outside transactions, and for writes of one statement: what waits for a lock there, ends and moves */
  reads: Source
  writes: Source
  /** for transactions, and for statements that nothing is known of */
  own: Source
  /** for what waits for a lock; undefined: nothing moves */
  waiting: Source | undefined
}

/** The longest waits for a connection, in ms; 0: no limit. */
export interface Waits {
  connection: number
  /** behind those that wait for a lock */
  locked: number
}

/** Runs a statement on a shared connection. */
type RunShared = (statement: Statement, isRead: boolean, done: Done) => void

/** Names of prepared statements. */
interface Naming {
  /** Prepares a statement if it may have a name. */
  name(statement: Statement): void
  /** Gives all statements other names, after the server refused one by its name. */
  forget(): void
}

/** The result of a statement that changes rows. */
class Changed<R> implements QueryResult<R> {
  readonly rows: R[]
  readonly numAffectedRows: bigint

  constructor(rows: R[], numAffectedRows: bigint) {
    this.rows = rows
    this.numAffectedRows = numAffectedRows
  }
}

/** Pipelined connections, on which statements outside transactions travel together. */
export function createPipeline({ reads, writes, own, waiting }: Pools, waitsFor: Waits) {
  let shared = waiting && { reads: shareConnections(reads, name), writes: shareConnections(writes, name) }
  const queueFor = (source: Source, lenders: readonly Source[] = [], wait = waitsFor.connection) =>
    createQueue(source, lenders, wait)
  const lockedQueue = waiting && queueFor(waiting, [], waitsFor.locked)
  const readQueue = queueFor(reads)
  const writeQueue = queueFor(writes)
  const transactions = queueFor(own, waiting ? [writes, reads] : [])
  const lockedTransactions = waiting ? queueFor(waiting, [writes], waitsFor.locked) : transactions
  const queues = [lockedQueue, readQueue, writeQueue, transactions, lockedTransactions]
  /** The prepared statements by their texts; undefined: none is prepared. */
  let names: Map<string, pg.QueryConfig> | undefined = new Map()
  let count = 0
  let waits = 0

  /** Runs a statement that is a transaction of its own. One that meets a lock runs again where such wait. */
  function run(statement: Statement, isRead: boolean, done: Done): void {
    const requested = isRead ? undefined : writesOfRequest.getStore()
    if (requested?.refusal) return void done(requested.refusal)
    const write = requested?.begin()
    name(statement)
    const answered: Done = (error, result, failure) => {
      if (error && statement.prepared && isRefusedByName(error)) {
        forget()
        statement.prepared = undefined
        return send(statement, isRead, answered, write)
      }
      if (error && lockedQueue && isLocked(error))
        return waitForLock(lockedQueue, statement, isRead, ended, write)
      ended(error, result, failure)
    }
    const ended: Done = (error, result, failure) => {
      write?.of.ended(write, !error || failure?.isUnknown === true)
      done(error && !isRead ? refusedOr(error, write, failure) : error, result)
    }
    send(statement, isRead, answered, write)
  }

  function waitForLock(queue: Queue, statement: Statement, isRead: boolean, done: Done, write?: Write): void {
    waits++
    statement.prepared = undefined
    const ended: Done = (error, result, failure) => {
      waits--
      done(error, result, failure)
    }
    runAlone(queue, statement, isRead, ended, write)
  }

  function send(statement: Statement, isRead: boolean, done: Done, write?: Write): void {
    if (shared) shared[isRead ? 'reads' : 'writes'].run(statement, isRead, done, write)
    else runAlone(isRead ? readQueue : writeQueue, statement, isRead, done, write)
  }

  /** Names a statement, so that PostgreSQL parses and plans it once for each connection. */
  function name(statement: Statement): void {
    const { text, values } = statement
    if (values.length === 0 || !names) return
    let prepared = names.get(text)
    if (!prepared) {
      if (names.size >= mostNames) return
      prepared = prepare(text, `service_${count++}`)
      names.set(text, prepared)
    }
    statement.prepared = prepared
  }

  const forget = () => names?.clear()
  const naming: Naming = { name, forget }

  return {
    /** Runs a read outside transactions. */
    read: (statement: Statement): Promise<pg.QueryResult> =>
      new Promise((resolve, reject) => run(statement, true, settle(resolve, reject))),
    /** Assumes that each transaction may have another session, as behind a pooler. */
    relyOnNoSession(): void {
      names = undefined
      shared = undefined
    },
    /** Returns the number of those that wait for a connection to themselves. */
    waiting: () => [...new Set(queues)].reduce((sum, queue) => sum + (queue?.length() ?? 0), 0),
    /** Returns the number of statements that wait on shared connections, by kind, and for locks. */
    state: () => ({
      reads: shared?.reads.underWay() ?? 0,
      writes: shared?.writes.underWay() ?? 0,
      locked: waits,
    }),
    close(): void {
      shared?.reads.close()
      shared?.writes.close()
      for (const queue of queues) queue?.close()
    },
    /**
     * Runs statements of Kysely's builder outside transactions on shared connections. All else has a connection to itself.
     * @param runRead another way for reads
     */
    dialect: (runRead?: Run): Dialect =>
      dialectOf(() => new PipelineConnection(transactions, naming, noteNothing, run, runRead)),
    /** Gives all that it runs, and that waits for locks, a connection to itself. */
    waitingDialect: (): Dialect => {
      const released = () => void waits--
      return dialectOf(() => {
        waits++
        return new PipelineConnection(lockedTransactions, naming, released)
      })
    },
  }
}

const dialectOf = (connect: () => PipelineConnection): Dialect => ({
  createAdapter: () => new PipelineAdapter(),
  createDriver: () => createDriver(connect),
  createIntrospector: db => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

const settle =
  (resolve: (result: pg.QueryResult) => void, reject: (error: Error) => void): Done =>
  (error, result) =>
    error || !result ? reject(error ?? noResult()) : resolve(result)

const noResult = () => new Error('A statement had no result')

/** Returns the error of a write, which may be carried out all the same. */
const errorOf = (error: Error, failure?: Failure): Error =>
  failure?.isUnknown ? new OutcomeUnknown(error) : error

/** Returns the error of a write, or the refusal of its request, for which it was cancelled. */
const refusedOr = (error: Error, write: Write | undefined, failure?: Failure): Error =>
  (codeOf(error) === canceled ? write?.of.refusal : undefined) ?? errorOf(error, failure)

/** Runs a statement on a client of its own. A read runs once more if its connection is lost. */
function runAlone(queue: Queue, statement: Statement, mayRepeat: boolean, done: Done, write?: Write): void {
  if (write) write.state = 'waiting'
  queue.take(write).then(
    client => {
      if (write) {
        write.state = 'sent'
        write.end = client.cancel
      }
      client.send(statement, (error, result, failure) => {
        const isLost = client.isBroken() && codeOf(error) !== timedOut
        client.release()
        if (error && mayRepeat && isLost) runAlone(queue, statement, false, done)
        else done(error, result, failure)
      })
    },
    (error: Error) => done(error),
  )
}

/** `migrate.ts` locks in its transaction. Kysely's lock belongs to the session, which a pooler gives to others. */
class PipelineAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const pipelined = (connection: DatabaseConnection) => connection as PipelineConnection // Kysely passes the driver's own connections

/** A driver whose pools somebody else closes. Source: Kysely, `Driver` */
function createDriver(connect: () => PipelineConnection): Driver {
  const run = (connection: DatabaseConnection, text: string) =>
    connection.executeQuery<{ command?: string }>(CompiledQuery.raw(text))
  return {
    async init() {},
    acquireConnection: async () => connect(),
    async beginTransaction(connection, settings) {
      // A plain `begin` fails only with its connection, as what follows it then does. It needs no round trip of its own.
      const isPlain = (settings.isolationLevel ?? settings.accessMode) === undefined
      pipelined(connection).begin(isPlain)
      if (!isPlain) await run(connection, beginning(settings))
    },
    commitTransaction: connection =>
      pipelined(connection).commit(async () => {
        const { rows } = await run(connection, 'commit')
        expectCommitted(rows[0]?.command)
      }),
    rollbackTransaction: connection => pipelined(connection).rollback(),
    ...savepoints,
    releaseConnection: async connection => pipelined(connection).release(),
    async destroy() {},
  }
}

const noteNothing = () => {}

/** Shares connections until a statement can't be shared. From then on it has one to itself. */
class PipelineConnection implements DatabaseConnection {
  readonly #queue: Queue
  readonly #naming: Naming
  readonly #onReleased: () => void
  readonly #run: RunShared | undefined
  readonly #runRead: Run | undefined
  #taking: Promise<void> | undefined = undefined
  #client: TakenClient | undefined = undefined
  #isTransaction = false
  #isOver = false
  /** what goes out before its first statement, which itself begins the transaction if this is empty */
  #opening: string | undefined = undefined
  /** whether it runs again where a lock is awaited, or where a statement is refused for its name, as its table has changed */
  #mayRunAgain = false
  /** what a request has under way on the connection of its own */
  #write: Write | undefined = undefined
  /** why a statement failed that nobody waited for, as what follows it does */
  #ahead: Error | undefined = undefined
  /** the statement that goes out with the commit */
  #last: Statement | undefined = undefined

  /**
   * @param queue gives it a connection to itself
   * @param run runs what can be shared; absent: nothing is
   * @param runRead runs reads instead
   */
  constructor(queue: Queue, naming: Naming, onReleased: () => void, run?: RunShared, runRead?: Run) {
    this.#queue = queue
    this.#naming = naming
    this.#onReleased = onReleased
    this.#run = run
    this.#runRead = runRead
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const joinable = this.#isTransaction ? undefined : joinableOf(query)
    const statement = new Statement(query.sql, query.parameters as unknown[], joinable) // pg changes no values
    const sending = this.#isTransaction ? sendingOf(query) : undefined
    if (sending === 'last') this.#last = statement
    if (sending === 'again') this.#mayRunAgain = true
    if (sending === undefined)
      return new Promise((resolve, reject) =>
        this.#send(statement, query.query, (error, result) => {
          if (error || !result) reject(error ?? noResult())
          else resolve(resultOf(result))
        }),
      )
    const rows: R[] = []
    if (sending !== 'last')
      this.#send(statement, query.query, (error, result) => {
        this.#ahead ??= error ?? undefined
        if (result) rows.push(...result.rows)
      })
    return Promise.resolve({ rows })
  }

  streamQuery(): never {
    throw new Error('A stream would hold up what shares its connection: read in pages')
  }

  /**
   * Makes it a transaction's, whose statements store nothing before it commits.
   * @param isPlain whether it is begun with its first statement
   */
  begin(isPlain: boolean): void {
    this.#isTransaction = true
    this.#opening = isPlain ? 'begin' : ''
  }

  /** Commits a transaction, whose last statement goes out in the same turn. */
  async commit(commit: () => Promise<void>): Promise<void> {
    const statement = this.#last
    const saving =
      statement &&
      new Promise<pg.QueryResult>((resolve, reject) =>
        this.#sendAlone(statement, false, settle(resolve, reject)),
      )
    this.#isTransaction = false // a commit may store something
    const committing = commit()
    this.#passOn()
    const [saved, committed] = await Promise.allSettled([saving, committing])
    if (committed.status === 'fulfilled') return
    const { reason } = committed
    throw saved.status === 'rejected' && !(reason instanceof OutcomeUnknown) ? saved.reason : reason
  }

  /** Gives the client to a transaction that waits for one: what that sends goes out with the commit. */
  #passOn(): void {
    if (!this.#client || !this.#queue.passOn(this.#client)) return
    this.#client = undefined
    if (this.#write) this.#write.end = () => {} // what runs next is of another one
  }

  /** Rolls a transaction back. A connection that can't is closed on release, which does the same. */
  async rollback(): Promise<void> {
    this.#isOver = true
    await this.#taking?.catch(() => {})
    if (this.#client && !this.#client.isBroken())
      await new Promise<void>(resolve => this.#client?.send(new Statement('rollback'), () => resolve()))
  }

  /** Returns the client, also one that nothing has waited for yet. */
  release(): void {
    this.#onReleased()
    this.#isOver = true
    this.#write?.of.ended(this.#write, false)
    if (this.#client) this.#client.release()
    else
      this.#taking?.then(
        () => this.#client?.release(),
        () => {},
      )
  }

  #send(statement: Statement, query: RootOperationNode, done: Done): void {
    // Behind the rollback, what a transaction's work still sends would be stored.
    if (this.#isOver) return void done(new Error('The transaction is over: it is committed or rolled back'))
    if (this.#isTransaction && this.#last)
      return void done(new Error('A statement follows the last one of its transaction'))
    const isShared = !this.#client && !this.#taking && !this.#isTransaction
    const isRead = isShared && isReading(query)
    if (isRead && this.#runRead) this.#runRead(statement).then(result => done(null, result), done)
    else if (isShared && this.#run && sharable.has(query.kind)) this.#run(statement, isRead, done)
    else if (this.#isTransaction || reading.test(statement.text)) this.#sendAlone(statement, false, done)
    else this.#sendAlone(statement, true, this.#settles(done))
  }

  /** @param mayStore whether it is a transaction of its own, which may store something */
  #sendAlone(statement: Statement, mayStore: boolean, done: Done): void {
    this.#taking ??= this.#take()
    const client = this.#client
    if (client) this.#submit(client, statement, mayStore, done)
    else this.#taking.then(() => this.#client && this.#submit(this.#client, statement, mayStore, done), done)
  }

  #submit(to: TakenClient, statement: Statement, mayStore: boolean, done: Done): void {
    const refusal = this.#write?.of.refusal
    if (refusal) return void done(refusal)
    if (this.#write && mayStore) this.#write.state = 'sent'
    if (this.#mayRunAgain) this.#naming.name(statement)
    const opening = this.#opening
    this.#opening = undefined
    // A lent connection has a short wait for locks, one of its own has none.
    const changesWait = opening !== undefined && to.isLent !== this.#mayRunAgain
    const wait = changesWait ? `;set local lock_timeout = ${this.#mayRunAgain ? lockedAfter : 0}` : ''
    if (opening)
      to.send(new Statement(`${opening}${wait}`), error => {
        this.#ahead ??= error ?? undefined
      })
    to.send(statement, (error, result, failure) => {
      if (error && statement.prepared && isRefusedByName(error)) this.#naming.forget()
      done(error && !failure?.isUnknown ? (this.#ahead ?? error) : error, result, failure)
    })
    if (opening === '' && wait) to.send(new Statement(wait), () => {})
  }

  async #take(): Promise<void> {
    const write = writesOfRequest.getStore()?.begin()
    this.#write = write
    this.#client = await this.#queue.take(write, this.#isTransaction)
    if (!write) return
    write.state = 'open'
    write.end = this.#client.cancel
  }

  /** Says to the request whether a statement that may store something was carried out. */
  #settles(done: Done): Done {
    return (error, result, failure) => {
      const write = this.#write
      if (write) write.state = 'open'
      if (!error || failure?.isUnknown) write?.of.noteStored()
      done(error && refusedOr(error, write, failure), result)
    }
  }
}

function resultOf<R>({ command, rowCount, rows = [] }: pg.QueryResult): QueryResult<R> {
  // The driver reads from the command whether a transaction was committed.
  if (command === 'COMMIT' || command === 'ROLLBACK') return { rows: [{ command }] as R[] }
  return changing.has(command) ? new Changed(rows, BigInt(rowCount ?? 0)) : { rows }
}

/** The beginnings of statements that store nothing. */
const reading = /^\s*(select|set|show|savepoint|release|rollback)\b/i

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** The statements of Kysely's builder that are a transaction of their own. */
const sharable: ReadonlySet<string> = new Set([
  'SelectQueryNode',
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
  'MergeQueryNode',
])
