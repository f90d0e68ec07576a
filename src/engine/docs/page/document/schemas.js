/** @import { ListedValue, Referable, Resolve, Schema } from './types.js' */

/**
 * Merges a schema with the parts of its `allOf`.
 * @param {Schema | undefined} written
 * @param {Resolve} resolve
 * @returns {Schema}
 */
export function wholeOf(written, resolve, depth = 0) {
  const schema = resolve(written)
  if (!schema.allOf || depth > 20) return schema
  const { allOf, ...own } = schema
  const parts = [...allOf.map(part => wholeOf(part, resolve, depth + 1)), own]
  /** @type {Record<string, Schema>} */
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = [...new Set(parts.flatMap(part => part.required ?? []))]
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

/**
 * The name of the component that a reference leads to.
 * @param {Referable} written
 */
export const componentNamed = ({ $ref = '' }) => /^#\/components\/\w+\/([^/]+)$/.exec($ref)?.[1]

/**
 * Returns the values that a schema lists by `const`, or by alternatives each of which is one, with their titles and
 * descriptions (OpenAPI 3.1.0, 4.8.24); undefined if it lists none that way.
 * @param {Schema} schema
 * @param {Resolve} resolve
 * @returns {[ListedValue, ...ListedValue[]] | undefined}
 */
export function listedIn(schema, resolve) {
  if (schema.const !== undefined) return [{ value: schema.const }]
  const [first, ...others] = (schema.oneOf ?? schema.anyOf ?? [])
    .map(one => wholeOf(one, resolve))
    .map(({ const: value, title, description }) => ({ value, title, description }))
  return first && [first, ...others].every(({ value }) => value !== undefined)
    ? [first, ...others]
    : undefined
}

/**
 * Whether a schema describes bytes, which a form sends as a file.
 * @param {Schema} schema
 */
export const isBytes = ({ format, contentMediaType, contentEncoding }) =>
  format === 'binary' ||
  (typeof contentMediaType === 'string' &&
    contentEncoding === undefined &&
    !/^text\/|[/+](json|xml)\b|x-www-form-urlencoded|multipart/i.test(contentMediaType))
