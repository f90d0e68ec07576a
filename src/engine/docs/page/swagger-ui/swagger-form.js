/** @import { Content, Contents, Examples, MediaType, Parameter, Schema } from '../document/types.js' */
import { isJson } from '../document/media.js'
import { isBytes, listedIn, wholeOf } from '../document/schemas.js'

/**
 * An object of the document, of any kind.
 * @typedef {Partial<Parameter> & Schema} Part
 */

/**
 * The document in the terms that Swagger UI's forms know: files by `format: binary`, constants as enumerations, and the
 * lists of forms with an item in each field, as OpenAPI has them (3.0.3, 4.7.15.1). The field of a JSON parameter that is
 * a text holds JSON, too.
 * @param {Contents} found
 */
export function swaggerForm({ document, resolve }) {
  /**
   * @param {unknown} node
   * @param {string} name of the field that holds it
   * @returns {unknown}
   */
  const copy = (node, name) => {
    if (typeof node !== 'object' || node === null || noSchemas.has(name)) return node
    if (Array.isArray(node)) return node.map(one => copy(one, ''))
    const isMap = namedMaps.has(name)
    /** @type {Record<string, unknown>} */
    const own = isMap ? node : withLists(withConstants(withFiles(withJsonTexts(node))))
    return Object.fromEntries(Object.entries(own).map(([key, one]) => [key, copy(one, isMap ? '' : key)]))
  }

  /**
   * @param {Part} parameter
   * @returns {Part}
   */
  function withJsonTexts(parameter) {
    /** @type {Content} */
    const content = (typeof parameter.in === 'string' && parameter.content) || {}
    const [[type, media] = ['', undefined]] = Object.entries(content)
    const schema = wholeOf(media?.schema ?? {}, resolve)
    if (!isJson(type) || schema.type !== 'string') return parameter
    /** @param {Part & Examples} part */
    const written = ({ example, examples, ...others }) => ({
      ...others,
      ...(example !== undefined && { example: JSON.stringify(example) }),
      ...(examples && {
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, one]) => [
            name,
            { ...resolve(one), value: JSON.stringify(resolve(one).value) },
          ]),
        ),
      }),
    })
    const { description, default: usual } = schema
    const listed = schema.enum ?? listedIn(schema, resolve)?.map(one => one.value)
    // Its bounds are those of the text, and not of the JSON.
    const own = written({
      type: 'string',
      ...(description && { description }),
      ...(usual !== undefined && { default: JSON.stringify(usual) }),
      ...(listed && { enum: listed.map(one => JSON.stringify(one)) }),
      ...('example' in schema && { example: schema.example }),
    })
    return { ...written(parameter), content: { [type]: { ...written(media ?? {}), schema: own } } }
  }

  /**
   * @param {Part} schema
   * @returns {Part}
   */
  function withFiles(schema) {
    const { contentMediaType, contentEncoding, ...others } = schema
    if (typeof contentMediaType !== 'string' && typeof contentEncoding !== 'string') return schema
    return isBytes(schema) ? { ...others, type: 'string', format: 'binary' } : others
  }

  /**
   * @param {Part} schema
   * @returns {Part}
   */
  function withConstants(schema) {
    const listed = listedIn(schema, resolve)
    if (!listed) return schema
    const { const: _, oneOf: __, anyOf: ___, ...others } = schema
    const [{ value }] = listed
    return {
      ...(['string', 'number', 'boolean'].includes(typeof value) && { type: typeof value }),
      ...others,
      enum: listed.map(one => one.value),
      'x-values': JSON.parse(JSON.stringify(listed)), // without what is undefined
    }
  }

  /**
   * Swagger UI joins the items of a list by commas, unless it knows how to write them.
   * @param {object} content
   */
  function withLists(content) {
    const changed = Object.entries(content).flatMap(([type, value]) => {
      /** @type {MediaType | null} */
      const media = formTypes.includes(type) ? value : null
      if (!media?.schema) return []
      const { properties = {} } = wholeOf(media.schema, resolve)
      const lists = Object.entries(properties).flatMap(([name, property]) => {
        const { items } = wholeOf(property, resolve)
        const { type: inType, properties: inner } = items
          ? wholeOf(items, resolve)
          : { type: 'object', properties: {} }
        return !inner && inType !== 'object' && inType !== 'array' && !media.encoding?.[name] ? [name] : []
      })
      const usual = Object.fromEntries(lists.map(name => [name, { style: 'form', explode: true }]))
      return [[type, { ...media, encoding: { ...usual, ...media.encoding } }]]
    })
    return changed.length > 0 ? { ...content, ...Object.fromEntries(changed) } : content
  }

  return copy(document, '')
}

const formTypes = ['multipart/form-data', 'application/x-www-form-urlencoded']
/** The keywords whose values are no schemas, and those whose members have names of the author's. */
const noSchemas = new Set(['example', 'examples', 'default', 'enum', 'const', 'x-values'])
const namedMaps = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'schemas',
  'mapping',
])
