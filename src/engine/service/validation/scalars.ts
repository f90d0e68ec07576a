import { badText } from '../errors/faults.ts'
import type { Schemas } from '../values/schemas.ts'
import { fromText, shapeOf } from '../values/values.ts'
import type { Field, Pair } from './fields.ts'

/**
 * Returns a short way to read fields, for parts of a request that hold nothing but single values, each once.
 * @param decode decodes the escapes of a text
 * @returns undefined for any other part: `FieldsDecoder` reads it, and tells its faults
 */
export function scalarsReader(schemas: Schemas, fields: readonly Field[], decode: (text: string) => string) {
  const readers = new Map(
    fields
      .filter(field => isScalar(schemas, field))
      .map(({ name, schema }) => [name, valueReader(schemas, schema)]),
  )
  return (pairs: readonly Pair[]): Record<string, unknown> | undefined => {
    const values: Record<string, unknown> = {}
    for (const [name, text] of pairs) {
      const read = readers.get(name)
      if (!read || Object.hasOwn(values, name)) return undefined
      const value = read(decode(text))
      if (typeof value === 'string' && badText(value) !== undefined) return undefined
      values[name] = value
    }
    return values
  }
}

/** Whether a field has a single value, in a usual style. */
export function isScalar(
  schemas: Schemas,
  { name, schema, style, content, allowEmptyValue }: Field,
): boolean {
  const { kinds } = shapeOf(schemas.model, schema)
  const isUsual = style === 'simple' || style === 'form'
  return isUsual && !content && !allowEmptyValue && name !== '__proto__' && kinds.join() === 'scalar'
}

/** A whole number that a double holds exactly, whatever its digits. */
const shortInteger = /^(?:0|-?[1-9]\d{0,14})$/

function valueReader(schemas: Schemas, schema: Field['schema']): (text: string) => unknown {
  const { types } = shapeOf(schemas.model, schema)
  if (types.size === 1 && types.has('string')) return text => text
  const isInteger = types.size === 1 && types.has('integer')
  return text => (isInteger && shortInteger.test(text) ? Number(text) : fromText(schemas, schema, text))
}
