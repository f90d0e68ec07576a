import { CompiledQuery, type DatabaseConnection, Kysely, PGliteDialect } from 'kysely'
import { migrateToLatest } from '../database/migrate.ts'
import type { Migration, Migrations } from '../database/migration.ts'
import type { Tables } from '../database/tables.ts'

/** The effect of a migration's statement on the tables that were there before it. */
export interface Effect {
  statement: string
  /** the uses that it blocks until the transaction ends, and no statement before it blocked; by table */
  blocks: Readonly<Record<string, 'all use' | 'writes'>>
  /** tables that it reads from end to end */
  reads: readonly string[]
  /** tables that it rewrites */
  rewrites: readonly string[]
  /** tables of which it may change every row */
  changes: readonly string[]
}

export interface MigrationEffects {
  step: string
  isOutsideTransaction: boolean
  effects: readonly Effect[]
  /** why the release before can't go on working beside it, or its callers have to wait; empty for most */
  faults: readonly string[]
}

type Row = Record<string, unknown>
type Ask = <T extends Row>(text: string) => Promise<T[]>

/** Modes of locks that keep others from writing. Source: PostgreSQL, Explicit Locking, table-level locks. */
const blocking: Readonly<Record<string, 'all use' | 'writes'>> = {
  ShareLock: 'writes',
  ShareRowExclusiveLock: 'writes',
  ExclusiveLock: 'writes',
  AccessExclusiveLock: 'all use',
}

/** Tables but the migrator's own. */
const tables = `
  select c.oid, c.relname as name, c.relfilenode as file, pg_stat_get_xact_numscans(c.oid)::int as scans
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely%'`
const locks = `
  select c.relname as name, l.mode from pg_locks l join pg_class c on c.oid = l.relation
  where l.granted and l.pid = pg_backend_pid() and c.relkind = 'r'`
const columns = `
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as required, a.atthasdef or a.attidentity <> '' or a.attgenerated <> '' as filled
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely%'
    and a.attnum > 0 and not a.attisdropped`

type Table = { name: string; file: number; scans: number }
type Lock = { name: string; mode: string }
type Column = { table: string; column: string; type: string; required: boolean; filled: boolean }

/** Sees what statements do, by asking the database before and after each. */
class Watch {
  /** by name, as they were when the migration began; undefined: nothing is watched */
  #before: ReadonlyMap<string, Table> | undefined
  #isOutside = false
  #effects: Effect[] = []
  #ask: Ask = async () => []

  /** Watches the one connection that there is. */
  async connect(connection: DatabaseConnection): Promise<void> {
    const execute = connection.executeQuery.bind(connection)
    this.#ask = async <T extends Row>(text: string) => (await execute<T>(CompiledQuery.raw(text))).rows
    connection.executeQuery = query => this.#run(query, () => execute(query))
  }

  async begin(isOutside: boolean): Promise<void> {
    this.#before = await this.#tables()
    this.#isOutside = isOutside
    this.#effects = []
  }

  end(): Effect[] {
    this.#before = undefined
    return this.#effects
  }

  async #tables(): Promise<Map<string, Table>> {
    return new Map((await this.#ask<Table>(tables)).map(table => [table.name, table]))
  }

  async #run<R>({ sql }: CompiledQuery, execute: () => Promise<R>): Promise<R> {
    const tablesBefore = this.#before
    const ask = this.#ask
    const statement = sql.replaceAll(/\s+/g, ' ').trim()
    if (!tablesBefore || /kysely_migration|set_config/.test(statement)) return execute()
    // A statement outside a transaction gets one of its own, which shows its locks.
    const isAlone = this.#isOutside && !/\bconcurrently\b|^vacuum\b/i.test(statement)
    if (isAlone) await ask('begin')
    const isChange = /^(with|update|delete|insert|merge)\b/i.test(statement)
    // A change that can find its rows by an index uses it, although there are no rows.
    if (isChange) await ask('set local enable_seqscan = off')
    const before = await this.#tables()
    const heldBefore = await ask<Lock>(locks)
    const result = await execute()
    const held = await ask<Lock>(locks)
    const after = await this.#tables()
    if (isChange) await ask('set local enable_seqscan = on')
    if (isAlone) await ask('commit')
    const touched = [...before.values()].filter(({ name }) => tablesBefore.has(name))
    const namesOf = (isIt: (was: Table, is: Table) => boolean) =>
      touched.filter(was => isIt(was, after.get(was.name) ?? was)).map(({ name }) => name)
    const scanned = namesOf((was, is) => is.scans > was.scans)
    const rewrites = namesOf((was, is) => is.file !== was.file)
    const has = (some: readonly Lock[], name: string, mode: string) =>
      some.some(lock => lock.name === name && lock.mode === mode)
    const fresh = held.filter(({ name, mode }) => tablesBefore.has(name) && !has(heldBefore, name, mode))
    this.#effects.push({
      statement,
      blocks: Object.fromEntries(
        fresh.flatMap(({ name, mode }) => {
          const against = has(fresh, name, 'AccessExclusiveLock') ? 'all use' : blocking[mode]
          return against ? [[name, against]] : []
        }),
      ),
      reads: scanned.filter(name => !rewrites.includes(name)),
      rewrites,
      changes: isChange ? scanned.filter(name => has(held, name, 'RowExclusiveLock')) : [],
    })
    return result
  }
}

/**
 * Returns the effects of migrations on the tables before them, seen on an embedded database that ends then.
 * The tables are empty: effects that depend on rows are not seen.
 * @param applied the migrations that come before
 */
export async function effectsOf(applied: readonly string[], all: Migrations): Promise<MigrationEffects[]> {
  const isApplied = ([name]: readonly [string, unknown]) => applied.includes(name)
  const earlier = Object.entries(all).filter(isApplied)
  const pending = Object.entries(all).filter(migration => !isApplied(migration))
  if (pending.length === 0) return []
  const { createTemporary } = await import('../database/embedded.ts')
  const { pglite, remove } = await createTemporary()
  const ask: Ask = async <T extends Row>(text: string) => (await pglite.query<T>(text)).rows
  const watch = new Watch()
  const onCreateConnection = (connection: DatabaseConnection) => watch.connect(connection)
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite, onCreateConnection }) })
  const upTo = (count: number): Migrations => Object.fromEntries([...earlier, ...pending.slice(0, count)])
  try {
    await migrateToLatest(db, upTo(0))
    const seen: MigrationEffects[] = []
    for (const [index, [name, step]] of pending.entries()) {
      const isOutsideTransaction = step.isOutsideTransaction === true
      const before = await ask<Column>(columns)
      await watch.begin(isOutsideTransaction)
      await migrateToLatest(db, upTo(index + 1))
      const effects = watch.end()
      const faults = [
        ...effects.flatMap((effect, i) => waitsOf(effects.slice(0, i), effect, isOutsideTransaction)),
        ...breaksOf(before, await ask<Column>(columns), new Set(step.unused)),
        ...needsOf(step, Object.keys(upTo(index + 1))),
      ]
      seen.push({ step: name, isOutsideTransaction, effects, faults })
    }
    return seen
  } finally {
    await db.destroy()
    remove()
  }
}

/** Why callers would wait for a statement for as long as a table is large. */
function waitsOf(earlier: readonly Effect[], effect: Effect, isOutside: boolean): string[] {
  const { statement, reads, rewrites, changes } = effect
  const blocks = isOutside
    ? effect.blocks
    : Object.assign({}, ...earlier.map(each => each.blocks), effect.blocks)
  const blocked = Object.entries<string>(blocks).map(([table, against]) => `${against} of ${table}`)
  const short = statement.length > 120 ? `${statement.slice(0, 119)}…` : statement
  const faults: string[] = []
  if (rewrites.length > 0)
    faults.push(
      `\`${short}\` rewrites ${rewrites.join(', ')}, and blocks ${blocked.join(', ')} meanwhile: add a column, fill it in parts, and use it from then on`,
    )
  else if (reads.length > 0 && blocked.length > 0)
    faults.push(
      `\`${short}\` reads ${reads.join(', ')} from end to end while ${blocked.join(', ')} is blocked: ${remedyFor(statement)}`,
    )
  if (changes.length > 0)
    faults.push(
      `\`${short}\` may change every row of ${changes.join(', ')}, and holds each until the migration ends: change them in parts, some thousand at a time, in a migration with isOutsideTransaction`,
    )
  return faults
}

function remedyFor(statement: string): string {
  if (/\bindex\b/i.test(statement))
    return 'create the index concurrently, in a migration with isOutsideTransaction'
  if (/\b(check|foreign key|references)\b/i.test(statement))
    return 'add the constraint `not valid`, and validate it in a migration of its own'
  if (/\b(unique|primary key)\b/i.test(statement))
    return 'create a unique index concurrently before, and add the constraint `using index`'
  if (/\bset not null\b/i.test(statement))
    return 'add `check (… is not null) not valid`, validate it in a migration of its own, and set the column not null then'
  return 'do what takes long in a migration before, without the lock'
}

/** Returns the faults in a migration's word on the programs that it leaves behind. */
function needsOf({ unused = [], needs }: Migration, upToThis: readonly string[]): string[] {
  if (unused.length > 0 && needs === undefined)
    return [
      `a program that still uses ${unused.join(', ')} would start on it: name by \`needs\` the last migration of the release that uses it no more`,
    ]
  return needs === undefined || upToThis.includes(needs)
    ? []
    : [`\`needs\` names ${needs}, which is no migration before it`]
}

/** Returns the columns that the release before would miss. It runs beside this one for a while. */
function breaksOf(
  before: readonly Column[],
  after: readonly Column[],
  unused: ReadonlySet<string>,
): string[] {
  const nameOf = ({ table, column }: Column) => `${table}.${column}`
  const now = new Map(after.map(each => [nameOf(each), each]))
  const earlier = new Map(before.map(each => [nameOf(each), each]))
  const tablesNow = new Set(after.map(({ table }) => table))
  const tablesBefore = new Set(before.map(({ table }) => table))
  const gone = new Set(before.map(each => (tablesNow.has(each.table) ? nameOf(each) : each.table)))
  const remedy = 'take it away one release later, and say so by `unused`'
  return [
    ...[...gone]
      .filter(name => !now.has(name) && !tablesNow.has(name) && !unused.has(name))
      .map(name => `${name} is gone or has another name, and the release before may use it: ${remedy}`),
    ...before
      .filter(each => (now.get(nameOf(each))?.type ?? each.type) !== each.type)
      .map(
        each => `${nameOf(each)} has another type, and the release before may use it: add a column beside it`,
      ),
    ...after
      .filter(each => tablesBefore.has(each.table) && each.required && !each.filled)
      .filter(each => !(earlier.get(nameOf(each))?.required ?? false))
      .map(
        each =>
          `${nameOf(each)} must be filled from now on, which the release before does not do: give it a default`,
      ),
  ]
}
