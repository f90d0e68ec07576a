import { type Model, partsOf } from '../model.ts'
import { toRegExp } from '../pattern.ts'
import { pathOf } from '../pointer.ts'
import type { Reference, Schema } from '../types.ts'
import { withInlined } from './inlining.ts'
import { toJsonSchema } from './json-schema.ts'
import { type Direction, withoutRequired } from './schemas.ts'

/** Formats of OpenAPI that JSON Schema lacks. Validators of clients warn about them. */
const formatsOfOpenApi = /^(u?int(8|16|32|64)|float|double|password|binary|byte)$/

/** Returns the schema of a file: base64 (JSON Schema 2020-12, Validation, 8.3). */
export const fileSchema = (type?: string, description = '') => ({
  type: 'string' as const,
  contentEncoding: 'base64',
  ...(type && { contentMediaType: type }),
  description: `A file: its bytes as base64. ${description}`.trim(),
})

/** The keywords that belong together: `exclusiveMinimum: true` says something of `minimum` (OpenAPI 3.0). */
const numbersTogether = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
  ...['multipleOf', 'enum', 'const', 'default'].map(keyword => [keyword]),
]

/** From here on numbers are written with an exponent, which nobody rounds: `1e300`. */
const withExponent = 1e21

/** Removes the numbers of a schema that may have been rounded: others would be written, beyond those of 64 bits. */
function removeRounded(schema: Schema): void {
  for (const keywords of numbersTogether)
    if (keywords.some(keyword => hasRounded(schema[keyword], schema.type === 'integer')))
      for (const keyword of keywords) delete schema[keyword]
}

function hasRounded(value: unknown, isWhole: boolean): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some(part => hasRounded(part, isWhole))
  const size = typeof value === 'number' ? Math.abs(value) : 0
  return size > Number.MAX_SAFE_INTEGER && (isWhole || size < withExponent)
}

/**
 * Returns a JSON Schema without outside references: what it refers to stands in it, or in `$defs` where that leads back to itself.
 * A request's schema lacks `readOnly` properties. Numbers beyond 2^53 are left out, as they may have been rounded.
 * Alternatives may overlap. A reply's schema promises clients no more than they need: `writeOnly` properties may be absent, and
 * it has no patterns, which each language reads in its own way.
 * @param files the schemas of files, with their media types
 */
export function standaloneSchema(
  model: Model,
  root: Schema,
  direction: Direction,
  files: ReadonlyMap<Schema | Reference, string | undefined> = new Map(),
): object {
  const isRequest = direction === 'request'
  const marker = isRequest ? 'readOnly' : 'writeOnly'
  const names = new Set<string>()
  const convert = (schema: unknown) => toJsonSchema(schema, subschema => rewrite(subschema as Schema)) // it goes from schema to schema

  function rewrite(written: Schema): Record<string, unknown> {
    if (files.has(written)) return fileSchema(files.get(written), String(written.description ?? ''))
    const { discriminator: _, xml: __, externalDocs: ___, ...schema } = written
    // Some validators of clients refuse a repetition.
    if (Array.isArray(schema.enum))
      schema.enum = [...new Map(schema.enum.map(value => [JSON.stringify(value), value])).values()]
    if (typeof schema.$ref === 'string') {
      const name = pathOf(schema.$ref.slice(1))?.at(-1) ?? ''
      names.add(name)
      return { ...schema, $ref: `#/$defs/${name}` }
    }
    if (formatsOfOpenApi.test(schema.format ?? '')) delete schema.format
    removeRounded(schema)
    // The root holds arguments or a result, which no direction hides.
    const hidden = written === root ? new Set<string>() : hiddenIn(schema)
    if (!isRequest || !toRegExp(schema.pattern ?? '')?.unicode) delete schema.pattern
    const { properties = {}, oneOf, ...others } = withoutRequired(model, schema, hidden)
    const shown = Object.entries(properties).filter(([name]) => !(isRequest && hidden.has(name)))
    return {
      ...(oneOf && { anyOf: oneOf }), // without a discriminator they may overlap
      ...others,
      ...(shown.length > 0 && { properties: Object.fromEntries(shown) }),
    }
  }

  /** Returns the properties of a schema that only the other direction has. */
  function hiddenIn(schema: Schema): Set<string> {
    const properties = partsOf(model, schema).flatMap(part => Object.entries(part.properties ?? {}))
    const isHidden = (property: Schema | Reference) =>
      partsOf(model, property).some(part => part[marker] === true)
    return new Set(properties.filter(([, property]) => isHidden(property)).map(([name]) => name))
  }

  const converted = convert(root)
  const defs: Record<string, unknown> = {}
  // A converted schema may add further names to the set.
  for (const name of names) defs[name] = convert(model.document.components?.schemas?.[name])
  return withInlined(converted as Record<string, unknown>, defs) // an object's schema is converted to an object
}
