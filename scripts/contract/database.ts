import { sql } from 'kysely'
import type { Db } from '../../src/database/tables.ts'
import type { Model } from '../../src/document/model.ts'
import type { Reference, Schema } from '../../src/document/types.ts'
import { shapeOf } from './interface.ts'
import { tables } from './tables.ts'

/** How the document shows a table. */
export interface ShownTable {
  /** the schemas that its rows become */
  schemas: readonly string[]
  /** columns that no property shows, with the reason */
  hidden?: Readonly<Record<string, string>>
  /** the column of a property, `Schema.property`, where it has another name */
  named?: Readonly<Record<string, string>>
  /** columns that take any value, as the document alone says which there are */
  open?: readonly string[]
}

/** What the database lets into a column. */
interface Column {
  type: string
  nullable: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  values?: string[]
}

/** The column types that hold what a property may be. */
const typesOf: Record<string, string[]> = {
  integer: ['integer', 'bigint'],
  int64: ['bigint'],
  boolean: ['boolean'],
  string: ['text'],
  'date-time': ['timestamp with time zone'],
  array: ['ARRAY'],
  object: ['jsonb'],
}

/**
 * Lists where the migrated database and the document describe the same thing differently: type, nullability, lengths,
 * bounds and enumerations. What the database alone refuses would be a 500, what it alone takes could never be read.
 */
export async function databaseFaults(db: Db, model: Model): Promise<string[]> {
  const faults: string[] = []
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not like 'kysely%'
  `.execute(db)
  const known = new Set(Object.keys(tables))
  for (const { name } of rows)
    if (!known.delete(name))
      faults.push(`${name}: no schema shows the table, and no reason is given for that`)
  for (const name of known) faults.push(`${name}: there is no such table`)
  for (const [table, shown] of Object.entries(tables))
    if (typeof shown !== 'string') faults.push(...(await tableFaults(db, model, table, shown)))
  return faults
}

async function tableFaults(
  db: Db,
  model: Model,
  table: string,
  { schemas, hidden = {}, named = {}, open = [] }: ShownTable,
): Promise<string[]> {
  const faults: string[] = []
  const columns = await columnsIn(db, table)
  const unseen = new Set(columns.keys())
  for (const name of Object.keys(hidden))
    if (!unseen.delete(name)) faults.push(`${table}.${name}: there is no such column`)
  for (const name of schemas) {
    const schema = model.document.components?.schemas?.[name]
    const { properties = {}, required = [] } = shapeOf(model, schema ?? {})
    if (!schema) faults.push(`${table}: the document has no schema ${name}`)
    for (const [property, declared] of Object.entries(properties)) {
      const columnName = named[`${name}.${property}`] ?? snakeCase(property)
      const column = columns.get(columnName)
      unseen.delete(columnName)
      const where = `${table}.${columnName} and ${name}.${property}`
      if (!column) faults.push(`${where}: there is no such column`)
      else
        for (const text of differences(model, declared, columnName, column, {
          required: required.includes(property),
          open: open.includes(columnName),
        }))
          faults.push(`${where}: ${text}`)
    }
  }
  for (const name of unseen)
    faults.push(`${table}.${name}: no property shows the column, and no reason is given for that`)
  return faults
}

function* differences(
  model: Model,
  declared: Schema | Reference,
  columnName: string,
  column: Column,
  { required, open }: { required: boolean; open: boolean },
): Generator<string> {
  const schema = shapeOf(model, declared)
  const type = String(schema.type)
  const format = String(schema.format)
  const types = typesOf[format] ?? typesOf[type] ?? []
  if (!types.includes(column.type)) yield `a ${format in typesOf ? format : type} is kept as ${column.type}`
  if (required && column.nullable) yield 'a required property may be null in the database'

  const values = type === 'array' ? shapeOf(model, schema.items ?? {}).enum : schema.enum
  if (String((!open && values) || []) !== String(column.values ?? []))
    yield `the values are ${(!open && values) || 'any'} in the document and ${column.values ?? 'any'} in the database`
  const isIdentifier = /(^|_)id$/.test(columnName)
  for (const bound of ['minLength', 'maxLength', 'minimum', 'maximum'] as const) {
    // Identifiers are the database's own to make, and no number there exceeds what JavaScript can hold.
    if (isIdentifier || schema[bound] === Number.MAX_SAFE_INTEGER || values) continue
    if (schema[bound] !== column[bound])
      yield `${bound} is ${schema[bound] ?? 'open'} in the document and ${column[bound] ?? 'open'} in the database`
  }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

async function columnsIn(db: Db, table: string): Promise<Map<string, Column>> {
  const described = await sql<{ name: string; type: string; nullable: string }>`
    select column_name as name, data_type as type, is_nullable as nullable
    from information_schema.columns where table_name = ${table} and table_schema = current_schema()
  `.execute(db)
  const checks = await sql<{ definition: string }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype = 'c' and cardinality(conkey) = 1
  `.execute(db)
  const definitions = checks.rows.map(row => row.definition)
  return new Map(
    described.rows.map(({ name, type, nullable }) => [
      name,
      { type, nullable: nullable === 'YES', ...boundsIn(definitions, name) },
    ]),
  )
}

/** Reads the bounds and values of a column out of its check constraints, as PostgreSQL writes them. */
function boundsIn(definitions: readonly string[], column: string): Partial<Column> {
  const bounds: Partial<Column> = {}
  for (const text of definitions) {
    const number = (pattern: string) => {
      const found = new RegExp(pattern.replace('COLUMN', column)).exec(text)?.[1]
      return found === undefined ? undefined : Number(found)
    }
    const minLength = number('char_length\\(COLUMN\\) >= (\\d+)')
    const maxLength = number('char_length\\(COLUMN\\) <= (\\d+)')
    const minimum = number('\\(COLUMN >= (\\d+)')
    const maximum = number('\\(COLUMN <= (\\d+)')
    Object.assign(bounds, {
      ...(minLength !== undefined && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
    })
    Object.assign(bounds, {
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    })
    const list = new RegExp(`\\(${column} (?:= ANY \\(|<@ )ARRAY\\[([^\\]]*)\\]`).exec(text)?.[1]
    if (list !== undefined) bounds.values = [...list.matchAll(/'([^']*)'/g)].map(match => match[1] ?? '')
  }
  return bounds
}
