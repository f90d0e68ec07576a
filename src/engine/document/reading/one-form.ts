import type { Schema, SchemaType } from '../types.ts'
import type { Version } from './grammar.ts'

/**
 * Gives a schema one form where the terms of its version allow several. It takes the same values as before. Terms of
 * another version, and schemas that no value could fit, are read as they are meant, and noted.
 * @param copied a copy of the schema, in the terms of its version
 */
export function inOneForm(copied: Schema, version: Version, note: (message: string) => void): Schema {
  const schema = withoutEqual(copied, note)
  return version === '3.0' ? inTermsOf30(schema, note) : inTermsOfJsonSchema(schema, note)
}

/** Merges equal alternatives of oneOf: a value fits all of them or none. */
function withoutEqual(schema: Schema, note: (message: string) => void): Schema {
  const { oneOf = [], discriminator } = schema
  const distinct = new Map(
    oneOf.toReversed().map((alternative, index) => [meaningOf(alternative) || index, alternative]),
  )
  if (discriminator || distinct.size === oneOf.length) return schema
  note('No value has just one of several equal forms: alternatives of oneOf that are equal are read as one.')
  return { ...schema, oneOf: [...distinct.values()].reverse() }
}

/** @returns nothing for what takes any value */
function meaningOf(schema: object): string {
  const data = ['enum', 'const', 'default', 'example', 'examples']
  const text = JSON.stringify(schema, (name, value) => {
    if (typeof value === 'string' && (name === 'title' || name === 'description')) return undefined
    return data.includes(name) ? JSON.stringify(value) : value
  })
  return text === '{}' ? '' : text
}

function inTermsOf30(copied: Schema, note: (message: string) => void): Schema {
  const schema = withBooleanBounds(copied, note)
  const { type, ...others } = schema
  if (type !== 'null' && !Array.isArray(type)) return schema
  note('OpenAPI 3.0 has one type in a schema, and none for null: it is read as 3.1 has it.')
  const named = [type].flat() as (SchemaType | 'null')[] // it is one or a list of them
  const types = named.filter(name => name !== 'null')
  const nullable = types.length < named.length && { nullable: true }
  const [first] = types
  if (!first) return { ...others, enum: [null], ...nullable }
  if (types.length === 1) return { type: first, ...others, ...nullable }
  const union = { anyOf: types.map(typeName => ({ type: typeName, ...nullable })) }
  return 'anyOf' in others ? { ...others, allOf: [...(others.allOf ?? []), union] } : { ...others, ...union }
}

/** A number is a bound of its own from 3.1 on. */
function withBooleanBounds(schema: Schema, note: (message: string) => void): Schema {
  const result = { ...schema }
  for (const [exclusive, bound, isStricter] of bounds) {
    const value = schema[exclusive]
    if (typeof value !== 'number') continue
    note(`In OpenAPI 3.0 ${exclusive} is true or false: it is read as 3.1 has it.`)
    const other = schema[bound]
    const isUsed = other === undefined || !isStricter(other, value)
    if (isUsed) Object.assign(result, { [bound]: value, [exclusive]: true })
    else delete result[exclusive]
  }
  return result
}

const bounds = [
  ['exclusiveMinimum', 'minimum', (bound: number, other: number) => bound > other],
  ['exclusiveMaximum', 'maximum', (bound: number, other: number) => bound < other],
] as const

function inTermsOfJsonSchema(copied: Schema, note: (message: string) => void): Schema {
  const { nullable, ...schema } = withoutEmptyList(copied, note)
  for (const [exclusive, bound] of bounds) {
    if (typeof schema[exclusive] !== 'boolean') continue
    note(`From OpenAPI 3.1 on ${exclusive} is a number: it is read as 3.0 has it.`)
    const value = schema[bound]
    if (schema[exclusive] && value !== undefined) {
      schema[exclusive] = value
      delete schema[bound]
    } else delete schema[exclusive]
  }
  if (nullable === undefined) return schema
  note('From OpenAPI 3.1 on null is a type, and nullable says nothing: it is read as 3.0 has it.')
  const types = [schema.type ?? []].flat()
  return nullable && types.length > 0 && !types.includes('null')
    ? { ...schema, type: [...types, 'null'] }
    : schema
}

/** An enumeration of no values takes none (JSON Schema 2020-12 Validation, section 6.1.2). */
function withoutEmptyList(schema: Schema, note: (message: string) => void): Schema {
  const { enum: values, ...others } = schema
  if (values?.length !== 0) return schema
  note('The list of values is empty, and no value is one of it: leave it out if any is meant.')
  return { ...others, allOf: [...(others.allOf ?? []), { not: {} }] }
}
