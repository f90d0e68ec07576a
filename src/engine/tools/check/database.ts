import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { ShownTable, ShownTables } from 'spec-served'
import type { Db } from 'spec-served/internal/database/tables'
import type { Model } from 'spec-served-document/model'
import type { Reference, Schema } from 'spec-served-document/types'
import { columnType, constraintFor, quoted, snakeCase } from '../add/columns.ts'
import { shapeOf } from '../records/interface.ts'
import { engineTables } from './tables.ts'

/** The values that a column of the database takes. */
interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  values?: string[]
  /** the largest number that its sequence yields, if it has one */
  lastId: string | null
}

/** The column types that hold what a property may be. */
const typesOf: Record<string, string[]> = {
  integer: ['integer', 'bigint'],
  int64: ['bigint'],
  boolean: ['boolean'],
  number: ['double precision'],
  string: ['text'],
  'date-time': ['timestamp with time zone'],
  array: ['ARRAY', 'jsonb'],
  object: ['jsonb'],
  union: ['jsonb'],
}

/** The file in which a project tells how the document shows its tables, and the file of the tables. */
const shownFile = existsSync('src/store/shown.ts') ? 'src/store/shown.ts' : 'src/server.ts'
const tablesFile = 'src/store/tables.ts'

/**
 * Lists where the migrated database and the document differ: type, nullability, lengths, bounds and enumerations. Each
 * entry has the file and the lines to write. A value that only the database refuses would be a 500. A value that only
 * the database takes could never be read.
 */
export async function databaseFaults(db: Db, model: Model, shownTables: ShownTables): Promise<string[]> {
  const tables = { ...engineTables, ...shownTables }
  const faults: string[] = []
  const found = Map.groupBy(await columnsIn(db), ({ table }) => table)
  for (const name of found.keys())
    if (!(name in tables))
      faults.push(
        `${name}: no schema shows the table. Write into ${shownFile}: ${name}: { schemas: ['…'] }, or a text that says why`,
      )
  for (const [name, shown] of Object.entries(tables)) {
    const columns = found.get(name)
    for (const { name: column, lastId } of columns ?? [])
      if (Number(lastId) > Number.MAX_SAFE_INTEGER)
        faults.push(
          `${name}.${column}: its identifiers go beyond 2^53 − 1, which JSON can't carry exactly. Write a migration: alter table ${name} alter column ${column} set maxvalue ${Number.MAX_SAFE_INTEGER}`,
        )
    if (!columns) faults.push(`${name}: there is no such table. Write a migration: create table ${name} (…)`)
    else if (typeof shown !== 'string') faults.push(...tableFaults(model, name, columns, shown))
  }
  return faults
}

function* tableFaults(
  model: Model,
  table: string,
  columns: readonly Column[],
  { schemas, hidden = {}, named = {}, open = [] }: ShownTable,
): Generator<string> {
  const unseen = new Map(columns.map(column => [column.name, column]))
  for (const name of Object.keys(hidden))
    if (!unseen.delete(name))
      yield `${table}.${name}: there is no such column. Take ${name} out of hidden in ${shownFile}`
  for (const name of schemas) {
    const schema = model.document.components?.schemas?.[name]
    if (!schema)
      yield `${table}: the document has no schema ${name}. Write another one into schemas in ${shownFile}`
    const { properties = {}, required = [] } = shapeOf(model, schema ?? {})
    for (const [property, declared] of Object.entries(properties)) {
      const columnName = named[`${name}.${property}`] ?? snakeCase(property)
      const column = columns.find(candidate => candidate.name === columnName)
      unseen.delete(columnName)
      const faults = column
        ? differences(model, declared, column, required.includes(property), open.includes(columnName))
        : [missing(model, table, columnName, shapeOf(model, declared), required.includes(property))]
      for (const text of faults) yield `${table}.${columnName} and ${name}.${property}: ${text}`
    }
  }
  for (const name of unseen.keys())
    yield `${table}.${name}: no property shows the column. Write into hidden in ${shownFile} what it is for: ${name}: '…'`
}

function* differences(
  model: Model,
  declared: Schema | Reference,
  column: Column,
  required: boolean,
  open: boolean,
): Generator<string> {
  const schema = shapeOf(model, declared)
  const isOfTexts = schema.enum?.every(value => typeof value === 'string')
  const type = String(schema.type ?? (isOfTexts ? 'string' : 'union'))
  const format = String(schema.format)
  const types = typesOf[format] ?? typesOf[type] ?? []
  const { table, name } = column
  const place = `Write a migration: alter table ${table}`
  if (!types.includes(column.type))
    yield `a value of ${format in typesOf ? format : type} is stored as ${column.type}. Write a migration with a new column of type ${types.join(' or ')}`
  if (required && column.nullable)
    yield `a required property may be null in the database. ${place} add constraint ${table}_${name}_given check (${name} is not null) not valid; validate it in the next one`

  const constraint = constraintFor(table, name, schema)
  const constrained = constraint
    ? `${place} add ${constraint} not valid; drop the present one, and validate this in the next`
    : `${place} drop constraint …`
  const values = type === 'array' ? shapeOf(model, schema.items ?? {}).enum : schema.enum
  if (String((!open && values) || []) !== String(column.values ?? []))
    yield `the values are ${(!open && values) || 'any'} in the document and ${column.values ?? 'any'} in the database. ${constrained}`
  const isIdentifier = /(^|_)id$/.test(column.name)
  for (const bound of ['minLength', 'maxLength', 'minimum', 'maximum'] as const) {
    // Identifiers are the database's own to make.
    if (isIdentifier || schema[bound] === Number.MAX_SAFE_INTEGER || values) continue
    if (schema[bound] !== column[bound])
      yield `${bound} is ${schema[bound] ?? 'open'} in the document and ${column[bound] ?? 'open'} in the database. ${constrained}`
  }
}

/** The types of columns in rows that are no texts there. */
const rowTypes: Readonly<Record<string, string>> = {
  timestamptz: 'Date',
  integer: 'number',
  bigint: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  jsonb: 'JSONColumnType<object>',
}

/** The type of a column of bigints, which is selected as text. */
const exactRow = 'ColumnType<string, bigint, bigint>'

/** A column that is to be added, with the lines that it takes. */
function missing(
  { hasBigints }: Model,
  table: string,
  column: string,
  schema: Schema,
  required: boolean,
): string {
  const type = columnType(schema) ?? '…'
  const constraint = constraintFor(table, column, schema)
  const rule = constraint
    ? `; alter table ${table} add ${constraint} not valid; validate it in the next one`
    : ''
  const isBigint = hasBigints === true && schema.format === 'int64'
  const inRows = isBigint ? exactRow : (rowTypes[type] ?? 'string')
  const row = `${column}: ${inRows}${required ? '' : ' | null'}`
  return `there is no such column. Write a migration: alter table ${table} add column ${quoted(column)} ${type}${rule}. Write into ${tablesFile}: ${row}`
}

/** The columns of all tables but those of Kysely. */
async function columnsIn(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column & { checks: string[] }>`
    select table_name as table, column_name as name, data_type as type, is_nullable = 'YES' as nullable,
    identity_maximum as "lastId", array(
      select pg_get_constraintdef(oid) from pg_constraint where contype = 'c'
      and conrelid = format('%I.%I', table_schema, table_name)::regclass and conkey = array[ordinal_position::int2]
    ) as checks
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not like 'kysely%'
  `.execute(db)
  return rows.map(({ checks, ...column }) => ({ ...column, ...boundsIn(checks.join(' ')) }))
}

/** Bounds and values of a column in its check constraints, as PostgreSQL writes them. */
function boundsIn(checks: string): Partial<Column> {
  const list = /(?:= ANY \(|<@ )ARRAY\[([^\]]*)\]/.exec(checks)?.[1]
  const patterns = {
    minLength: /char_length\("?\w+"?\) >= (\d+)/,
    maxLength: /char_length\("?\w+"?\) <= (\d+)/,
    minimum: /\("?\w+"? >= [('"]*(-?[\d.]+)/,
    maximum: /\("?\w+"? <= [('"]*(-?[\d.]+)/,
  }
  const bounds = Object.entries(patterns).flatMap(([name, pattern]) => {
    const bound = pattern.exec(checks)?.[1]
    return bound === undefined ? [] : [[name, Number(bound)] as const]
  })
  return {
    ...Object.fromEntries(bounds),
    ...(list !== undefined && { values: [...list.matchAll(/'([^']*)'/g)].map(([, value = '']) => value) }),
  }
}
