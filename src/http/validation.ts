import type { ErrorObject, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { ApiError } from '../contract/api-error.ts'
import { createAjv, type Schema, toJsonSchema } from '../contract/json-schema.ts'
import type { ErrorDetail } from '../generated/schema.ts'
import { badText, escapePointer, excerpt, invalidRequest } from './details.ts'
import { isExactNumber } from './exact-number.ts'

/**
 * What is larger than this, in characters of texts and names, has only its first fault listed: to look for all costs time
 * and memory.
 */
const thoroughLimit = 100_000
/** What each value counts for, in characters. */
const valueSize = 10

/**
 * Fastify's validator compiler for this service. Bodies are taken as they are; path, query and header values,
 * which arrive as text, are converted strictly by the type that the document gives them.
 * Equal schemas are compiled once, whichever routes they come from.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Schema> {
  const first = createAjv({ allErrors: false })
  const all = createAjv({ allErrors: true })
  const compiled = new Map<string, Validator>()
  return ({ schema, httpPart }) => {
    const part = httpPart === 'body' ? undefined : place(httpPart)
    const own = (part ? parameterSchema(schema, part) : toJsonSchema(schema)) as Schema // it keeps an object an object
    const key = JSON.stringify(own)
    const validator = compiled.get(key) ?? { first: first.compile(own), all: () => all.compile(own) }
    compiled.set(key, validator)
    const properties = part ? (own.properties as Record<string, Schema>) : {}
    return value => {
      const parameters = part && convert(value, properties)
      const data = parameters ?? value
      const details = [...(parameters ? badTexts(parameters) : []), ...faultsOf(data, validator)]
      return details.length === 0 ? { value: data } : { error: invalid(details, part) }
    }
  }
}

/** A schema's validators: one stops at the first fault, the other, made when it is needed, goes on. */
interface Validator {
  first: ValidateFunction
  all: () => ValidateFunction
}

function faultsOf(data: unknown, { first, all }: Validator): ErrorDetail[] {
  if (first(data)) return []
  const thorough = isLargerThan(thoroughLimit, data) ? first : all()
  thorough(data)
  return describe(thorough.errors ?? [])
}

/** Whether a value's size is above a limit; looks no further than that. */
function isLargerThan(limit: number, value: unknown): boolean {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    size += typeof one === 'string' ? valueSize + one.length : valueSize
    if (size > limit) return true
    if (typeof one !== 'object' || one === null) continue
    for (const [name, child] of Object.entries(one)) {
      size += name.length
      open.push(child)
    }
  }
  return false
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
  if (type === 'integer') return /^(0|-?[1-9]\d*)$/.test(text) && isExactNumber(text) ? Number(text) : text
  if (type === 'number')
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && isExactNumber(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}

/** Parameters are texts or lists of them; those of a body were looked at when it was parsed. */
function badTexts(parameters: Record<string, unknown>): ErrorDetail[] {
  return Object.entries(parameters).flatMap(([name, value]) => {
    const path = `/${escapePointer(name)}`
    const items = Array.isArray(value)
      ? value.map((item, index) => ({ item, path: `${path}/${index}` }))
      : [{ item: value, path }]
    return [
      ...badText(name, path),
      ...items.flatMap(one => (typeof one.item === 'string' ? badText(one.item, one.path) : [])),
    ]
  })
}

/** Ajv's errors as the wire's details, one a fault. */
export function describe(errors: readonly ErrorObject[]): ErrorDetail[] {
  return errors.map(({ instancePath, keyword, params, message = 'is not valid' }) => {
    switch (keyword) {
      case 'required':
        return { path: within(instancePath, params.missingProperty), message: 'is required' }
      case 'additionalProperties':
        return { path: within(instancePath, params.additionalProperty), message: 'is not known' }
      case 'enum':
        return { path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` }
      case 'type':
        return { path: instancePath, message: `must be ${[params.type].flat().join(' or ')}` }
      default:
        return { path: instancePath, message }
    }
  })
}

/** Cut early: a name may be as long as a body. */
const within = (path: string, name: string) => `${path}/${escapePointer(excerpt(name))}`

function invalid(details: readonly ErrorDetail[], part: Place | undefined): ApiError {
  if (!part) return invalidRequest('The body is', details)
  const subject = { path: 'The path is', query: 'The query is', header: 'The header fields are' }[part]
  return invalidRequest(
    subject,
    details.map(({ path, message }) => ({ path: `/${part}${path}`, message })),
  )
}
