import { AbortedTransactionError } from 'kysely'
import type pg from 'pg'
import type { Client, Leads, Sending, Statement } from './client.ts'
import { DatabaseTimeout, isUnbounded } from './deadline.ts'
import { isRefusedByName } from './prepared.ts'

/** What nobody has to wait for: it travels with the statement that follows. */
const isPreliminary = /^(release )?savepoint \w+$/

const nothing: pg.QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] }

/** A connection of the pool for one user, until it is released. */
export class Session {
  readonly #client: Client & pg.PoolClient
  readonly #deadline: number
  #state: 'idle' | 'beginning' | 'in transaction' | 'to be discarded' = 'idle'
  #leads: string[] = []
  /** why the transaction has not begun */
  #failure: unknown

  /** @param deadline of one statement, in ms */
  constructor(client: Client & pg.PoolClient, deadline: number) {
    this.#client = client
    this.#deadline = deadline
  }

  static async open(pool: pg.Pool, deadline: number): Promise<Session> {
    return new Session((await pool.connect()) as Client & pg.PoolClient, deadline) // the pool makes them of that class
  }

  /** Whether nothing will come of its connection any more. */
  get isBroken(): boolean {
    return this.#client.isBroken
  }

  /** the shortest time that an answer has taken on its connection, in ms */
  get roundTrip(): number {
    return this.#client.roundTrip
  }

  /**
   * Begins a transaction. The command travels with the first statement, in one exchange: where it fails, that statement
   * does not run, and neither does any that follows.
   * @param command what begins it
   */
  begin(command: string): void {
    this.#leads = [command]
    this.#state = 'beginning'
  }

  async commit(): Promise<void> {
    const { command } = await this.#end('commit')
    // PostgreSQL answers so when a statement has failed before.
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    if (this.#state === 'to be discarded' || this.#client.isBroken) return // what has no connection ends by itself
    this.#leads = []
    try {
      await this.#end('rollback')
    } catch (error) {
      this.#state = 'to be discarded'
      throw error
    }
  }

  /** Runs a statement. One without a transaction that is refused for its name runs again without. */
  async run(statement: Statement): Promise<pg.QueryResult> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#state === 'idle')
      return this.#exchange(statement, {}).catch(error => {
        if (statement.values.length === 0 || !isRefusedByName(error)) throw error
        return this.#exchange(statement, { named: false })
      })
    if (isPreliminary.test(statement.text)) {
      this.#leads.push(statement.text)
      return nothing
    }
    const leads = { texts: this.#leads, done: 0 }
    this.#leads = []
    try {
      if (leads.texts.length === 0) return await this.#exchange(statement, {})
      if (this.#client.canBeLed(statement)) return await this.#exchange(statement, { leads })
      await this.#exchange({ text: leads.texts.join(';'), values: [] }, {})
      leads.done = leads.texts.length
      return await this.#exchange(statement, {})
    } catch (error) {
      if (this.#state === 'beginning' && leads.done === 0) {
        this.#failure = error
        this.#state = 'to be discarded'
      }
      throw error
    } finally {
      if (this.#state === 'beginning') this.#state = 'in transaction'
    }
  }

  release(): void {
    this.#client.release(this.#state !== 'idle' || this.#client.isBroken)
  }

  /** Ends the transaction; one of which nothing has been sent has no need of the server. */
  async #end(text: 'commit' | 'rollback'): Promise<pg.QueryResult> {
    const result = this.#state === 'beginning' ? nothing : await this.run({ text, values: [] })
    this.#leads = []
    this.#state = 'idle'
    return result
  }

  /**
   * A stopped backend and a dead network look alike: nothing comes back, ever, and PostgreSQL's own timeouts are of no
   * help. So past the deadline the statement fails and its connection is broken off at the socket: nobody knows what
   * would still arrive on it. (The driver's `query_timeout` gives such a connection back to the pool.)
   */
  #exchange(statement: Statement, sending: Sending & { leads?: Leads }): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const overdue = () => this.#client.breakOff(new DatabaseTimeout(this.#deadline))
      const timer = isUnbounded() ? undefined : setTimeout(overdue, this.#deadline)
      this.#client.send(statement, sending, (error, result) => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve(result)
      })
    })
  }
}
