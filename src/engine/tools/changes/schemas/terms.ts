import type { ReadDocument } from 'spec-served-document/reading/read'
import { schemasIn } from 'spec-served-document/reading/walk'
import type { Schema } from 'spec-served-document/types'

/**
 * Returns a document whose schemas use the terms of JSON Schema (draft 2020-12), whatever its version. Where the same
 * can be said in several ways, one is chosen. Parts stay where they are, so that places are those of the document.
 */
export function inJsonSchema(read: ReadDocument): ReadDocument {
  const document = structuredClone(read.document)
  const schemas = new Set([...schemasIn(document)].map(({ schema }) => schema))
  for (const schema of schemas) {
    sayNull(schema)
    sayBounds(schema)
    sayContents(schema)
    sayParts(schema)
  }
  return { ...read, document }
}

/**
 * `nullable` stays beside `allOf`, `not` or `oneOf`: it means there that null is taken whatever the others say. The
 * engine reads it so (src/engine/document/values/json-schema.ts).
 */
function sayNull(schema: Schema): void {
  const { nullable, type, enum: values, allOf, not, oneOf, anyOf } = schema
  if (!nullable) return
  const isMixed = [values, oneOf, anyOf].filter(Boolean).length > 1
  if (type === undefined && (allOf || not || isMixed)) return
  if (type !== undefined || !oneOf) delete schema.nullable
  if (type !== undefined) schema.type = [...new Set([type].flat()), 'null']
  else if (values) schema.enum = [...values, null]
  else (oneOf ?? anyOf)?.push({ type: 'null' })
}

/** A bound that is excluded is a keyword of its own. */
function sayBounds(schema: Schema): void {
  const bounds = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const
  for (const [bound, exclusive] of bounds) {
    if (typeof schema[exclusive] !== 'boolean') continue
    const { [bound]: limit, [exclusive]: isExcluded } = schema
    delete schema[exclusive]
    if (!isExcluded || limit === undefined) continue
    delete schema[bound]
    schema[exclusive] = limit
  }
}

/** Rewrites the keywords that 3.1 has for the contents of a text as formats of 3.0. */
function sayContents(schema: Schema): void {
  const { const: value, contentEncoding, contentMediaType, format } = schema
  if (value !== undefined) schema.enum = [value]
  delete schema.const
  if (format !== undefined) return
  if (contentEncoding === 'base64' && contentMediaType === undefined) {
    schema.format = 'byte'
    delete schema.contentEncoding
  }
  if (contentMediaType === 'application/octet-stream' && contentEncoding === undefined) {
    schema.format = 'binary'
    delete schema.contentMediaType
  }
}

/** Whether a schema is the one that no value fits. */
export const isNothing = (schema: unknown) => JSON.stringify(schema) === '{"not":{}}'

/** Keywords that may say more of items than those beside them. */
const evaluating = ['allOf', 'anyOf', 'oneOf', 'if', 'contains', 'dependentSchemas']

/** Rewrites keywords of items, properties and conditions, and drops those without effect. */
function sayParts(schema: Schema): void {
  const { prefixItems, items, maxItems = Infinity, minContains, maxContains } = schema
  for (const keyword of ['additionalProperties', 'unevaluatedProperties'] as const)
    if (isNothing(schema[keyword])) schema[keyword] = false
  if (schema.unevaluatedItems === false) schema.unevaluatedItems = { not: {} }
  for (const keyword of ['unevaluatedItems', 'unevaluatedProperties'])
    if (schema[keyword] === true) delete schema[keyword]
  if (
    prefixItems &&
    isNothing(items ?? schema.unevaluatedItems) &&
    !evaluating.some(candidate => schema[candidate])
  ) {
    schema.maxItems = Math.min(maxItems, prefixItems.length)
    delete schema.items
    delete schema.unevaluatedItems
  }
  if (minContains === 0 && maxContains === undefined) delete schema.contains
  if (!schema.then && !schema.else) delete schema.if
}
