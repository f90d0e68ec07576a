import { type Field, fieldOf, grammar, isExtension, type Kind } from 'spec-served-document/reading/grammar'
import { extensions, type JsonSchema } from '../lint/extensions.ts'

const definition = (name: string) => ({ $ref: `#/definitions/${name}` })

/** The schemas of fields that hold no objects of OpenAPI. */
const plain: Readonly<Record<string, JsonSchema>> = {
  text: { type: ['string', 'number'] },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  count: { type: 'integer', minimum: 0 },
  texts: { type: 'array', items: { type: 'string' } },
  textMap: { type: 'object', additionalProperties: { type: 'string' } },
  values: { type: 'array', minItems: 1 },
  data: {},
  type: { enum: ['string', 'number', 'integer', 'boolean', 'array', 'object'] },
  exclusive: { type: 'boolean' },
  pattern: { type: 'string', format: 'regex' },
}

/**
 * Makes a JSON Schema (draft 07) of OpenAPI 3.0.3 and this project's extensions, for editors. It follows the reader's
 * grammar and the extensions that the lint knows.
 */
export function editorSchema(): string {
  const kinds = Object.keys(grammar) as Kind[] // the record's own keys
  const definitions = Object.fromEntries(kinds.map(kind => [kind, schemaOf(kind)]))
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'OpenAPI 3.0.3, with the extensions of this project',
    ...definition('document'),
    definitions,
  }
  return `${JSON.stringify(schema, null, 1)}\n`
}

function schemaOf(kind: Kind): JsonSchema {
  const { fields, required = [], others } = grammar[kind]
  const properties = Object.keys(fields).flatMap(name => {
    const field = fieldOf(kind, name, '3.0')
    return field ? [[name, schemaOfField(field)]] : []
  })
  const further = others ? schemaOfField(others) : false
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...extensions[kind] },
    ...(required.length > 0 && { required }),
    // An extension of another name would be a misspelt one, as nothing reads it.
    ...(others && { patternProperties: { '^x-': false } }),
    additionalProperties: further,
  }
}

function schemaOfField(field: Field): JsonSchema {
  if ('is' in field) return plain[field.is] ?? {}
  const object = definition(field.of)
  const orReference = field.refs
    ? { if: { type: 'object', required: ['$ref'] }, else: object, properties: { $ref: { type: 'string' } } }
    : object
  const some = field.orBoolean ? { if: { type: 'boolean' }, else: orReference } : orReference
  if (field.in === 'list') return { type: 'array', items: some }
  if (field.in !== 'map') return some
  const isClosed = isExtension(field.of, 'x-')
  return {
    type: 'object',
    ...(isClosed && { patternProperties: { '^x-': false } }),
    additionalProperties: some,
  }
}
