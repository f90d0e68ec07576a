import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { ApiError } from '../contract/api-error.ts'
import { createAjv, type Schema, toJsonSchema } from '../contract/json-schema.ts'
import type { ErrorDetail } from '../generated/schema.ts'

/** At most this many faults of one request are listed. */
const detailsLimit = 100

/**
 * Fastify's validator compiler for this service. Bodies are taken as they are; path, query and header values,
 * which arrive as text, are converted strictly by the type that the document gives them.
 * Equal schemas are compiled once, whichever routes they come from.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Schema> {
  const ajv = createAjv()
  const compiled = new Map<string, ValidateFunction>()
  return ({ schema, httpPart }) => {
    const part = httpPart === 'body' ? undefined : place(httpPart)
    const own = part ? parameterSchema(schema, part) : toJsonSchema(schema)
    const key = JSON.stringify(own)
    const validate = compiled.get(key) ?? ajv.compile(own as Schema) // toJsonSchema keeps an object an object
    compiled.set(key, validate)
    const properties = part ? ((own as Schema).properties as Record<string, Schema>) : {}
    return value => {
      const data = part ? convert(value, properties) : value
      const details = [...badText(data), ...(validate(data) ? [] : describe(validate.errors ?? []))]
      return details.length === 0 ? { value: data } : { error: invalid(details, part) }
    }
  }
}

type Place = 'path' | 'query' | 'header'

function place(httpPart: string | undefined): Place {
  return httpPart === 'params' ? 'path' : httpPart === 'querystring' ? 'query' : 'header'
}

/** A query parameter that the document does not have is refused; further path values can't be, further headers are normal. */
function parameterSchema(schema: Schema, part: Place): Schema {
  // Parameters always come as an object schema; Fastify and the glue build it so.
  const {
    properties = {},
    required = [],
    ...rest
  } = toJsonSchema(schema) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  if (part === 'query') return { ...rest, properties, required, additionalProperties: false }
  if (part === 'path') return { ...rest, properties, required }
  const lowerCase = Object.entries(properties).map(([name, value]) => [name.toLowerCase(), value])
  return {
    ...rest,
    properties: Object.fromEntries(lowerCase),
    required: required.map(name => name.toLowerCase()),
  }
}

/** Converts the texts of parameters; what does not convert stays text, for the schema to refuse. */
function convert(values: unknown, schemas: Record<string, Schema>): Record<string, unknown> {
  const converted: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(values ?? {})) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    converted[name] = schema ? convertOne(value, schema) : value
  }
  return converted
}

function convertOne(value: unknown, schema: Schema): unknown {
  if (typeOf(schema) !== 'array')
    return typeof value === 'string' ? convertText(value, typeOf(schema)) : value
  const items = schema.items as Schema | undefined // an array parameter's items are a schema object in OpenAPI 3.0
  const texts = (Array.isArray(value) ? value : [value]).flatMap(text => String(text).split(','))
  return texts.map(text => convertText(text, items && typeOf(items)))
}

/** The type that a parameter's schema demands, through `allOf` and `nullable`. */
function typeOf(schema: Schema): string | undefined {
  if (typeof schema.type === 'string') return schema.type
  if (Array.isArray(schema.type)) return schema.type.find(type => type !== 'null')
  if (Array.isArray(schema.allOf)) return schema.allOf.map(typeOf).find(type => type !== undefined)
  return undefined
}

function convertText(text: string, type: string | undefined): unknown {
  if (type === 'integer') return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text
  if (type === 'number') return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}

/** Finds text that no database stores faithfully: NUL characters and lone surrogates, in values and names. */
function badText(value: unknown, path = ''): ErrorDetail[] {
  if (typeof value === 'string') {
    if (value.includes('\0')) return [{ path, message: 'must not hold a NUL character' }]
    return value.isWellFormed() ? [] : [{ path, message: 'must not hold a lone surrogate' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => {
    const where = `${path}/${escapePointer(name.toWellFormed())}`
    return [...badText(name, where), ...badText(child, where)]
  })
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Ajv's errors as the wire's details, one a fault. */
export function describe(errors: readonly ErrorObject[]): ErrorDetail[] {
  return errors.map(({ instancePath, keyword, params, message = 'is not valid' }) => {
    switch (keyword) {
      case 'required':
        return { path: `${instancePath}/${escapePointer(params.missingProperty)}`, message: 'is required' }
      case 'additionalProperties':
        return {
          path: `${instancePath}/${escapePointer(params.additionalProperty)}`,
          message: 'is not known',
        }
      case 'enum':
        return { path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` }
      case 'type':
        return { path: instancePath, message: `must be ${[params.type].flat().join(' or ')}` }
      default:
        return { path: instancePath, message }
    }
  })
}

function invalid(details: ErrorDetail[], part: Place | undefined): ApiError {
  const located = details
    .slice(0, detailsLimit)
    .map(({ path, message }) => ({ path: part ? `/${part}${path}` : path, message }))
  const subject = { path: 'path', query: 'query', header: 'header fields', body: 'body' }[part ?? 'body']
  const first = located[0]
  return new ApiError(
    400,
    'invalid_request',
    `The ${subject} ${part === 'header' ? 'are' : 'is'} not valid: ${first?.path || 'the whole'} ${first?.message}` +
      (details.length > 1 ? ` (and ${details.length - 1} more).` : '.'),
    { details: located },
  )
}
