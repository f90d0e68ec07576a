import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import pg from 'pg'
import { type Experience, Names } from './prepared.ts'

/** How long a connection may take to say goodbye, in ms. */
const goodbyeWithin = 1_000

/** A statement with its parameters as they travel. */
export interface Statement {
  text: string
  values: readonly (string | Buffer | null)[]
  /** Whether it is for all callers that there were: it does not wait for others. */
  isGathered?: boolean | undefined
}

/** Commands that travel ahead of a statement: where one of them fails, nothing after it runs. */
export interface Leads {
  texts: readonly string[]
  /** how many of them have been carried out */
  done: number
}

export interface Sending {
  /** whether a statement with parameters is prepared; by default it is */
  named?: boolean
  leads?: Leads
}

export type Answered = (error: Error | undefined, result: pg.QueryResult) => void

/** What pg's client calls on a query, absent from its types. */
interface QueryParts {
  submit(connection: pg.Connection): Error | null
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}

/** What pg tells of a setting of the server, absent from its types. */
interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** What pg offers to write values with, absent from its types. */
const { prepareValue } = (
  pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }
).utils

// A query without one of them would be sent without the commands that travel ahead of it.
const ofQueries = pg.Query.prototype as unknown as Record<keyof QueryParts, unknown>
for (const [name, part] of Object.entries({
  'utils.prepareValue': prepareValue,
  'Query.submit': ofQueries.submit,
  'Query.handleCommandComplete': ofQueries.handleCommandComplete,
}))
  if (typeof part !== 'function')
    throw new Error(
      `The installed pg has no function ${name}: install the version that package-lock.json names.`,
    )

/**
 * Writes down parameters.
 * @throws Error when a value can't be written. pg finds that out in the midst of sending, and takes the statement for
 *   prepared from then on, although it is not.
 */
export function writeValues(values: readonly unknown[]): Statement['values'] {
  return values.map(value => (Array.isArray(value) && writeArray(value)) || prepareValue(value))
}

/**
 * Writes an array of numbers, or one of texts in which nothing has to be escaped: whole, where pg goes from element to
 * element. Source: PostgreSQL, Array Input and Output Syntax.
 * @returns undefined for any other one
 */
function writeArray(values: readonly unknown[]): string | undefined {
  if (values.every(value => typeof value === 'number')) return `{${values.join()}}`
  if (!values.every(value => typeof value === 'string' || value === null)) return undefined
  const json = JSON.stringify(values)
  return json.includes('\\') ? undefined : `{${json.slice(1, -1)}}`
}

/** read_only_sql_transaction */
const readOnly = '25006'

/** A server that takes no writes, where one that does is needed: the primary has changed, and this is not the new one. */
class ReadOnlyServer extends Error {
  readonly code = readOnly
  constructor() {
    super('The server is a replica, which takes no writes')
    this.name = 'ReadOnlyServer'
  }
}

/** A connection that ends whatever becomes of the server. */
export class Client extends pg.Client {
  /** Whether nothing will come of it any more. */
  isBroken = false
  /** the shortest time that an answer has taken, in ms */
  roundTrip = Number.POSITIVE_INFINITY
  readonly #names: Names
  /** why it is of no use although the server has let it in */
  #refusal: Error | undefined

  /** @param mayBeReplica whether it is of use where it can only read; else it breaks there as soon as the server tells */
  constructor(config: string | pg.ClientConfig | undefined, experience: Experience, mayBeReplica: boolean) {
    super(config)
    // The server says so of itself, at once and when it changes (since PostgreSQL 14).
    if (!mayBeReplica)
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
        if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return
        this.#refusal = new ReadOnlyServer()
        this.breakOff(this.#refusal)
      })
    this.#names = new Names(experience)
    // The pool listens to idle connections only. One that breaks at work fails its statements, and would end the
    // process if nobody listened.
    this.on('error', () => {
      this.isBroken = true
    })
    this.connection.once('end', () => {
      this.isBroken = true
    })
  }

  override connect(): Promise<Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    if (callback) {
      super.connect((error: Error) => callback(error ?? this.#refusal))
      return undefined
    }
    return super.connect().then(() => {
      if (this.#refusal) throw this.#refusal
      return this
    })
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.breakOff(), goodbyeWithin).unref()
    this.connection.once('end', () => clearTimeout(timer))
    return callback ? super.end(callback) : super.end()
  }

  /** Ends it at the socket, whatever it waits for. */
  breakOff(reason?: Error): void {
    this.connection.stream.destroy(reason)
  }

  /** Whether commands can travel ahead of a statement: pg keeps account of one new name in an exchange, no more. */
  canBeLed({ text, values }: Statement): boolean {
    if (values.length === 0) return !text.includes(';')
    const name = this.#names.of(text)
    return name === undefined || this.#names.isPrepared(name)
  }

  /** Sends a statement behind those that are under way. Those with parameters are prepared. */
  send({ text, values }: Statement, { named = true, leads }: Sending, answered: Answered): void {
    const name = named && values.length > 0 ? this.#names.of(text) : undefined
    const config = { text, values: [...values], name, ...(leads && { queryMode: 'extended' }) }
    const begun = performance.now()
    const query = new pg.Query(config as pg.QueryConfig, (error, result) => {
      this.roundTrip = Math.min(this.roundTrip, performance.now() - begun)
      if (name !== undefined)
        if (error) this.#names.failed(text, name, error)
        else this.#names.succeeded(name)
      const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown } // what the server's errors carry
      if (severity === 'FATAL' || severity === 'PANIC' || code === readOnly) this.isBroken = true
      answered(error, result)
    })
    if (leads) lead(query, leads)
    this.query(query)
  }
}

/** Sends commands ahead of a query. They share its end: past an error PostgreSQL skips all until there. */
function lead(query: pg.Query, leads: Leads): void {
  const parts = query as unknown as QueryParts
  const { submit, handleCommandComplete } = parts
  parts.submit = connection => {
    connection.stream.cork()
    connection.stream.write(Buffer.concat(leads.texts.map(commandBytes)))
    const refusal = submit.call(query, connection)
    connection.stream.uncork()
    return refusal
  }
  parts.handleCommandComplete = (message, connection) => {
    if (leads.done < leads.texts.length) leads.done++
    else handleCommandComplete.call(query, message, connection)
  }
}

/** Parses, binds and executes a command, without an end of the exchange. Source: PostgreSQL, message formats. */
function commandBytes(text: string): Buffer {
  const parse = `\0${text}\0\0\0` // no name, no types of parameters
  const bind = '\0\0\0\0\0\0\0\0' // no portal, no statement, no formats, no parameters
  const execute = '\0\0\0\0\0' // no portal, all rows
  return Buffer.concat([message('P', parse), message('B', bind), message('E', execute)])
}

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}1234${body}`)
  bytes.writeInt32BE(bytes.length - 1, 1) // counts itself, not the type
  return bytes
}

/** The connections of one pool. */
export interface Connections {
  /** what the pool makes its connections of */
  Client: new () => Client
  /** Has no statement prepared from now on: sessions change behind a pooler. */
  prepareNothing(): void
  /** Breaks off every connection, whatever it waits for. */
  destroy(): void
}

/**
 * Keeps account of the connections that are open.
 * @param mayBeReplica whether they may lead to a server that takes no writes
 */
export function trackConnections(mayBeReplica = false): Connections {
  const open = new Set<Client>()
  const experience = { losses: 0 }
  return {
    Client: class extends Client {
      constructor(config?: string | pg.ClientConfig) {
        super(config, experience, mayBeReplica)
        open.add(this)
        this.connection.once('end', () => open.delete(this))
      }
    },
    prepareNothing() {
      experience.losses = Number.POSITIVE_INFINITY
    },
    destroy() {
      for (const client of open) client.breakOff()
    },
  }
}
