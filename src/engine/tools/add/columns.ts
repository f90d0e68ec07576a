import type { Schema } from 'spec-served-document/types'

/** The name of the column that keeps a property. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The type of an identifier's column: no number in it is beyond what JSON carries exactly. */
export const identity = `bigint generated always as identity (maxvalue ${Number.MAX_SAFE_INTEGER})`

/** The type of a column for the values of a schema; undefined where there are several ways to keep them. */
export function columnType({ type, format, minimum, maximum, oneOf, anyOf }: Schema): string | undefined {
  if (format === 'binary') return undefined
  if (format === 'date-time') return 'timestamptz'
  if (type === 'string') return 'text'
  if (type === 'boolean') return 'boolean'
  if (type === 'array') return undefined
  if (type === 'object' || oneOf || anyOf) return 'jsonb'
  if (type === 'number') return 'double precision'
  if (type !== 'integer') return undefined
  const isSmall = minimum !== undefined && minimum >= -(2 ** 31) && maximum !== undefined && maximum < 2 ** 31
  return isSmall ? 'integer' : 'bigint'
}

/** The constraint that holds a column to the bounds of a schema, as SQL; empty where it has none. */
export function constraintFor(table: string, name: string, schema: Schema): string {
  const column = quoted(name)
  // A bound beyond 2^53 is another number as a double, and one that a column of 64 bits has in any case.
  const exact = (bound: number | undefined) =>
    Number.isInteger(bound) && !Number.isSafeInteger(bound) ? undefined : bound
  const between = (what: string, least: number | undefined, most: number | undefined) => {
    if (least !== undefined && most !== undefined) return `${what} between ${least} and ${most}`
    if (least !== undefined) return `${what} >= ${least}`
    return most === undefined ? undefined : `${what} <= ${most}`
  }
  const condition = schema.enum
    ? `${column} in (${schema.enum.map(literal).join(', ')})`
    : schema.type === 'string'
      ? between(`char_length(${column})`, schema.minLength, schema.maxLength)
      : between(column, exact(schema.minimum), exact(schema.maximum))
  return condition === undefined ? '' : `constraint ${quoted(`${table}_${name}_fits`)} check (${condition})`
}

const reserved = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_date ' +
    'current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign ' +
    'from grant group having in initially intersect into lateral leading left like limit localtime localtimestamp natural not ' +
    'null offset on only or order placing primary references returning right select session_user some symmetric table then to ' +
    'trailing true union unique user using variadic when where window with'
  ).split(' '),
)

/** A name as SQL has it (PostgreSQL, appendix C). */
export const quoted = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`

/** A value as SQL has it; an object is a text of JSON. */
export function literal(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}
