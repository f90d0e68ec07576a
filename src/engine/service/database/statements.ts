import DataLoader from 'dataloader'
import {
  type AliasedRawBuilder,
  type Compilable,
  type CompiledQuery,
  type Expression,
  type RawBuilder,
  type RootOperationNode,
  type SqlBool,
  sql,
  type TransactionSettings,
} from 'kysely'
import { rawNumber } from 'spec-served-document/values/whole-numbers'
import type { Versions } from '../replies/etag.ts'
import type { Db, DbOf, Tables } from './tables.ts'

/** The most statements that are prepared on a connection. More means that something builds them without end. */
export const mostNames = 500

/** The statement that begins a transaction. */
export function beginning({ isolationLevel, accessMode }: TransactionSettings): string {
  const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
  return `begin${level}${accessMode ? ` ${accessMode}` : ''}`
}

/**
 * PostgreSQL ends a transaction in which a statement has failed by a rollback, and says so in this word alone.
 * @param command what it answers to a commit
 * @throws Error
 */
export function expectCommitted(command: string | undefined): void {
  if (command === 'ROLLBACK')
    throw new Error('The transaction was rolled back: one of its statements had failed')
}

/** Whether Kysely's builder made a statement that changes nothing and locks nothing, so that it may run twice. */
export function isReading(query: RootOperationNode): boolean {
  if (query.kind !== 'SelectQueryNode' || query.endModifiers) return false
  // PostgreSQL allows a statement that writes only in the first `with`, no further inside.
  return query.with?.expressions.every(({ expression }) => expression.kind === 'SelectQueryNode') ?? true
}

/** Stands in a compiled statement for a value that is given when the statement runs. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A parameter of a statement, by its name. */
export interface Parameter<Values> {
  // biome-ignore lint/style/useShorthandFunctionType: with a type alias, tsc infers rows as unknown
  <Name extends keyof Values & string>(name: Name): RawBuilder<Exclude<Values[Name], undefined>>
}

type Runs = Pick<Db, 'executeQuery' | 'isTransaction'>

/** The properties that determine the text of a statement: few, each with few values. */
type Choices = Readonly<Record<string, string | number | boolean>>

type Build<Db, Values, Row, Variant> = (
  db: Db,
  parameter: Parameter<Values>,
  variant: Variant,
) => Compilable<Row>

/** Returns a function that compiles a statement once for each variant, and gives it the values of its parameters. */
function compiler<Db, Values extends object, Row, Variant extends Choices>(
  build: Build<Db, Values, Row, Variant>,
) {
  const compiled = new Map<string, CompiledQuery<Row>>()
  return (db: Db, values: Values, variant: Variant, key: string): CompiledQuery<Row> => {
    const query = compiled.get(key) ?? build(db, name => sql`${new Placeholder(name)}`, variant).compile()
    compiled.set(key, query)
    return { ...query, parameters: query.parameters.map(each => bound(each, values)) }
  }
}

/**
 * How a transaction on PostgreSQL may send a statement without a round trip of its own. `ahead`: it goes out at once, and
 * its rows come before those of the next statement, in the array that it returned. `last`: it goes out with the commit,
 * and nothing but that may follow. `again`: as `ahead`, first in a transaction that runs again if it has to wait for a lock, or
 * if a statement is refused for its name.
 */
type Sending = 'ahead' | 'again' | 'last'
const sendings = new WeakMap<CompiledQuery, Sending>()

/** Returns how a statement is sent; undefined: it is waited for. */
export const sendingOf = (query: CompiledQuery): Sending | undefined => sendings.get(query)

/** The values of several statements, an array for each parameter. */
export type Arrays<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined>[] }

/** Statements of one text, of which those that are sent at once can be one. */
export interface Joiner {
  /** Returns one statement in place of several, from the values of each. */
  join(all: readonly object[]): CompiledQuery
}

/** A statement that can be sent as one with others. */
export interface Joinable {
  values: object
  joiner: Joiner
}
const joinables = new WeakMap<CompiledQuery, Joinable>()

/** Returns how a statement can be sent as one with others; undefined: it can't. */
export const joinableOf = (query: CompiledQuery): Joinable | undefined => joinables.get(query)

/** Prepares a statement for `statementsOn`. Running it throws if the value of a parameter is undefined. */
function prepared<
  Db extends Runs,
  Values extends object,
  Row,
  Variant extends Choices = Record<never, never>,
>(build: Build<Db, Values, Row, Variant>, sending?: Sending) {
  const compile = compiler(build)
  const together = runTogether<Db, Row>()
  return async (db: Db, values: Values, variant: Variant): Promise<Row[]> => {
    const key = JSON.stringify(variant)
    const statement = compile(db, values, variant, key)
    if (!db.isTransaction && isReading(statement.query))
      return together(db, `${key} ${textOf(statement.parameters)}`, statement)
    if (sending) sendings.set(statement, sending)
    return (await db.executeQuery(statement)).rows
  }
}

/** Returns the same text for equal values. Few statements have bigints, which JSON.stringify does not take. */
function textOf(values: readonly unknown[]): string {
  try {
    return JSON.stringify(values)
  } catch {
    return JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? rawNumber(value) : value))
  }
}

/** Prepares a statement for `statementsOn` that can be sent as one with others of its kind. */
function joinable<Db extends Runs, Values extends object, Row, RowOfMany>(
  build: Build<Db, Values, Row, Choices>,
  buildMany: Build<Db, Arrays<Values>, RowOfMany, Choices>,
): (db: Db, values: Values) => Promise<(Row | RowOfMany)[]> {
  const compile = compiler(build)
  const compileMany = compiler(buildMany)
  let joiner: Joiner | undefined
  return async (db, values) => {
    const statement: CompiledQuery<Row | RowOfMany> = compile(db, values, {}, '')
    joiner ??= {
      join(all) {
        const names = Object.keys(values) as (keyof Values)[] // all of one kind have the same
        const columns = names.map(name => [name, (all as readonly Values[]).map(each => each[name])])
        return compileMany(db, Object.fromEntries(columns), {}, '')
      },
    }
    if (!db.isTransaction) joinables.set(statement, { values, joiner })
    return (await db.executeQuery(statement)).rows
  }
}

/** Returns a function that runs a read in the next turn of the event loop, once for all who ask the same until then. */
function runTogether<Db extends Runs, Row>() {
  type Waiting = { resolve(rows: Row[]): void; reject(error: unknown): void }[]
  const asked = new WeakMap<Db, Map<string, Waiting>>()

  async function run(db: Db, statement: CompiledQuery<Row>, waiting: Waiting): Promise<void> {
    try {
      const { rows } = await db.executeQuery(statement)
      // Each has rows of its own before the first one can change any.
      const copies = waiting.map((_, index) => (index === 0 ? rows : rows.map(copyOf)))
      for (const [index, { resolve }] of waiting.entries()) resolve(copies[index] ?? [])
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }

  return (db: Db, question: string, statement: CompiledQuery<Row>): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      const statements = asked.get(db) ?? new Map<string, Waiting>()
      asked.set(db, statements)
      const waiting = statements.get(question)
      if (waiting) waiting.push({ resolve, reject })
      else {
        const first = [{ resolve, reject }]
        statements.set(question, first)
        setImmediate(() => {
          statements.delete(question)
          void run(db, statement, first)
        })
      }
    })
}

function copyOf<Row>(row: Row): Row {
  const copy = { ...row }
  for (const name in copy) {
    const value = copy[name]
    if (typeof value === 'object' && value !== null) copy[name] = structuredClone(value)
  }
  return copy
}

function bound(parameter: unknown, values: object): unknown {
  if (!(parameter instanceof Placeholder)) return parameter
  const value: unknown = Reflect.get(values, parameter.name)
  if (value === undefined) throw new Error(`The statement has no value for its parameter ${parameter.name}`)
  return Array.isArray(value) && value.some(isDate) ? value.map(inArray) : value
}

/** Prepares a read of rows for `statementsOn`. If the statement for several fails, each row is read alone. */
function finder<Db extends Runs, Row extends { id: number }>(
  build: (db: Db, parameter: Parameter<{ ids: readonly number[] }>) => Compilable<Row>,
): (db: Db, id: number) => Promise<Row | undefined> {
  const compile = compiler(build)
  const read = async (db: Db, ids: readonly number[]) =>
    (await db.executeQuery(compile(db, { ids }, {}, ''))).rows
  const readOne = async (db: Db, id: number) => (await read(db, [id]))[0]

  async function readAll(db: Db, ids: readonly number[]): Promise<(Row | undefined | Error)[]> {
    try {
      const rows = new Map((await read(db, ids)).map(row => [row.id, row]))
      return ids.map(id => rows.get(id))
    } catch (error) {
      if (ids.length === 1) throw error
      return Promise.all(ids.map(id => readOne(db, id).catch((failure: Error) => failure)))
    }
  }

  const loaders = new WeakMap<Db, DataLoader<number, Row | undefined>>()
  return (db, id) => {
    if (db.isTransaction) return readOne(db, id)
    const loader =
      loaders.get(db) ??
      new DataLoader<number, Row | undefined>(ids => readAll(db, ids), {
        cache: false,
        batchScheduleFn: send => setImmediate(send),
      })
    loaders.set(db, loader)
    return loader.load(id)
  }
}

/** Returns the functions that prepare statements on a database with a project's tables. */
export const statementsOn = <AllTables>(): {
  /**
   * Prepares a statement that is built and compiled once for each variant. No value can become part of the text. Equal
   * reads outside transactions that wait together run once, so a read must change nothing, as `nextval` would.
   * @param sending how a transaction sends it; absent: it is waited for
   */
  prepared<Values extends object, Row, Variant extends Choices = Record<never, never>>(
    build: (db: DbOf<AllTables>, parameter: Parameter<Values>, variant: Variant) => Compilable<Row>,
    sending?: Sending,
  ): (db: DbOf<AllTables>, values: Values, variant: Variant) => Promise<Row[]>
  /** Prepares a read of a row by identifier. Rows that are requested together are read by one statement. */
  finder<Found extends { id: number }>(
    build: (db: DbOf<AllTables>, parameter: Parameter<{ ids: readonly number[] }>) => Compilable<Found>,
  ): (db: DbOf<AllTables>, id: number) => Promise<Found | undefined>
  /**
   * Prepares a statement that returns a row at most. On PostgreSQL those that are sent in one turn of the event loop, outside
   * transactions, are sent as one, and each alone if that fails.
   * @param buildMany builds that statement, whose parameters are arrays; it returns a row for each element, in their order
   */
  joinable<Values extends object, Row, RowOfMany>(
    build: (db: DbOf<AllTables>, parameter: Parameter<Values>) => Compilable<Row>,
    buildMany: (db: DbOf<AllTables>, parameter: Parameter<Arrays<Values>>) => Compilable<RowOfMany>,
  ): (db: DbOf<AllTables>, values: Values) => Promise<(Row | RowOfMany)[]>
} => ({ prepared, finder, joinable })

/** Reads int8 as a number. A value that a number can't hold is refused, never rounded. */
export function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(
      `The database holds the bigint ${text}, beyond ±(2^53 − 1), which JSON can't carry exactly: correct its row, and if a ` +
        'sequence gave it, run ALTER SEQUENCE … MAXVALUE 9007199254740991',
    )
  return value
}

/** Reads timestamptz in UTC, the session's time zone. Both drivers' own readers misread the year 0001. */
export function readTimestamp(text: string): Date {
  const [, year, rest, era] = /^(\d+)(-.+)\+00( BC)?$/.exec(text) ?? []
  // ISO 8601 has a year 0, the one before the year 1; a year of six digits takes a sign.
  const isoYear = era ? 1 - Number(year) : Number(year)
  const sign = isoYear < 0 ? '-' : '+'
  const date = new Date(`${sign}${String(Math.abs(isoYear)).padStart(6, '0')}${rest?.replace(' ', 'T')}Z`)
  if (Number.isNaN(date.getTime())) throw new RangeError(`The database holds ${text}, which is no date`)
  return date
}

/** One of these values, on the right of `=`. The text stays the same for any number of them. */
export const anyOf = <Value>(values: readonly Value[] | Expression<readonly Value[]>): RawBuilder<Value> =>
  sql`any(${values})`

/** Whether a row has a version that the caller accepts. */
export const isAccepted = (column: string, versions: Versions): RawBuilder<SqlBool> =>
  versions === undefined ? sql`true` : sql`${sql.ref(column)} = ${anyOf(versions)}`

interface Column<Value> {
  type: 'bigint' | 'boolean' | 'date' | 'integer' | 'text' | 'timestamptz'
  values: readonly Value[] | Expression<readonly Value[]>
}

const isDate = (value: unknown) => value instanceof Date
/** A column's value as both drivers write it in an array. */
const inArray = (value: unknown) => (value instanceof Date ? value.toISOString() : value)

/** Values as a table, so that one statement works on many rows. The text stays the same for any number of them. */
export function rowsOf<Row extends object, const Name extends string>(
  name: Name,
  columns: { readonly [Property in keyof Row]: Column<Row[Property]> },
): AliasedRawBuilder<Row, Name> {
  const all = Object.entries<Column<unknown>>(columns)
  const arrays = all.map(([, { type, values }]) => {
    const array = Array.isArray(values) ? values.map(inArray) : values
    return sql`${array}::${sql.raw(type)}[]`
  })
  const names = all.map(([column]) => sql.ref(column))
  return sql<Row>`unnest(${sql.join(arrays)})`.as<Name>(sql`${sql.ref(name)} (${sql.join(names)})`)
}

/** The most rows that one statement removes. So none takes long, and the embedded database blocks only briefly. */
const removedAtOnce = 1_000

/** A place before all rows of a table: `(block,row)`, as in `ctid`. */
const start = '(0,0)'

/**
 * Removes any number of rows, statement by statement. Each goes on behind those that were removed before, which stay in the
 * table until a vacuum. As an index may give rows in another order, it begins again until there is none.
 */
export async function removeRows(db: Db, table: keyof Tables, where: RawBuilder<SqlBool>): Promise<void> {
  const place = sql<string>`ctid`
  for (let last = start; ; ) {
    const some = db
      .selectFrom(table)
      .select(place.as('place'))
      .where(where)
      .where(place, '>', last)
      .limit(removedAtOnce)
    // As an array: PostgreSQL may join the places with the whole table.
    const isSome = sql<SqlBool>`${place} = any(array(${some}))`
    const removed = await db.deleteFrom(table).where(isSome).returning(place.as('place')).execute()
    if (removed.length === removedAtOnce) last = removed.map(row => row.place).reduce(furthest)
    else if (last === start) return
    else last = start
  }
}

function furthest(place: string, other: string): string {
  const [block = 0, row = 0] = numbersIn(place)
  const [otherBlock = 0, otherRow = 0] = numbersIn(other)
  return otherBlock > block || (otherBlock === block && otherRow > row) ? other : place
}

const numbersIn = (place: string) => place.slice(1, -1).split(',').map(Number)

/** The columns of each property in a request. A property in the document without a column does not compile. */
export type ColumnsOf<Sent, Row> = {
  readonly [Name in keyof Sent]-?: (value: Exclude<Sent[Name], undefined>) => Partial<Row>
}

/** Returns the columns that a change sets, from the properties in it. Null removes a value. */
export function changedColumns<Sent extends object, Row>(
  columnsOf: ColumnsOf<Sent, Row>,
  changes: Sent,
): Partial<Row> {
  const changed = (Object.keys(columnsOf) as (keyof Sent)[]).filter(name => changes[name] !== undefined)
  // The property is present, but a generic type can't express that.
  const valueFor = (name: keyof Sent) => changes[name] as Exclude<Sent[keyof Sent], undefined>
  return Object.assign({}, ...changed.map(name => columnsOf[name](valueFor(name))))
}
