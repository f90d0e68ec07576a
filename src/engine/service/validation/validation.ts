import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import type { preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { isPlain, pathReader as rawPathReader } from 'spec-served-document/contract/path-templates'
import { type Decoded, type Field, FieldsDecoder, type Pair } from 'spec-served-document/formats/fields'
import type { OperationModel } from 'spec-served-document/model'
import type { Parameter, Place, Schema } from 'spec-served-document/types'
import type { Fault } from 'spec-served-document/values/faults'
import { badText } from 'spec-served-document/values/faults'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { cookiesOf, decoders, fromText, pairsOf, queryOf, shapeOf } from 'spec-served-document/values/values'
import { schemesOf } from '../callers/security.ts'
import type { ApiError } from '../errors/api-error.ts'
import { invalidRequest } from '../errors/invalid-request.ts'
import { isValidated, ParsedBody } from './bodies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the declared cookie parameters, decoded; undefined: none are declared */
    cookieParameters: object | undefined
  }
}

/** One place's parameters: their schema, and the form of each. */
interface Part {
  schema: Schema
  parameters: readonly Parameter[]
  /** whether the router's own values are decoded, and by name */
  isPlain: boolean
}

type Verdict = { value: unknown } | { error: ApiError } | boolean

const noPairs: readonly Pair[] = []

/** Returns the schema of the route of an operation, as fastify-openapi-glue makes it of a whole document. */
export function requestSchemaOf(operation: OperationModel) {
  const places = { params: 'path', querystring: 'query', headers: 'header' } as const
  const parts = Object.entries(places).map(([name, place]) => [name, partOf(operation, place)] as const)
  const declared = parts.filter(([, { parameters }]) => parameters.length > 0)
  const media = Object.entries(operation.body?.content ?? {})
  const content = media.flatMap(([type, { schema }]) => (schema ? [[type, { schema }]] : []))
  return {
    ...Object.fromEntries(declared.map(([name, { schema }]) => [name, schema])),
    ...(operation.body && { body: { content: Object.fromEntries(content) } }),
  }
}

function partOf({ parameters, url }: OperationModel, place: Place): Part {
  const placed = parameters.filter(parameter => parameter.in === place)
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(
      placed.map(fieldOf).map(({ name, schema: fieldSchema }) => [name, fieldSchema]),
    ),
    required: placed.filter(({ required }) => required).map(parameter => fieldOf(parameter).name),
  }
  return { schema, parameters: placed, isPlain: place === 'path' && isPlain(url) }
}

/** The refusal of a request that is sent within the service, because it can't be written. It comes after those of its caller. */
export const refusals = new AsyncLocalStorage<ApiError>()

/**
 * Makes Fastify validate requests by the document. Each part is decoded by its parameters' `style` (OpenAPI 3.0.3,
 * 4.7.12), and checked. Afterwards `request.params`, `request.query`, `request.body`, the declared fields of
 * `request.headers` and `request.cookieParameters` hold values of the declared types.
 */
export const validation = fp<{ schemas: Schemas }>(async (app, { schemas }) => {
  const { operation } = schemas.model
  app.addHook('preParsing', (_request, _reply, _payload, done) => {
    const refusal = refusals.getStore()
    if (refusal) done(refusal)
    else done()
  })

  app.decorateRequest('cookieParameters')
  app.addHook('onRoute', route => {
    const validators = operation(route.config?.operationId ?? '')
    if (!validators) return
    route.validatorCompiler = ({ httpPart }) => validatorOf(schemas, validators, httpPart)
    // An operation without parameters in the query refuses those that come.
    if (route.schema) route.schema.querystring ??= partOf(validators, 'query').schema
    route.serializerCompiler = () => JSON.stringify // replies are written by the handlers' side already
    const readPath = takesRouterValues(schemas, partOf(validators, 'path'))
      ? undefined
      : rawPathReader(validators.url)
    // The document defines the meaning of a query: until it is validated, it is a list of pairs.
    route.preValidation = (request, _reply, done) => {
      const { url } = request
      request.query = url.includes('?') ? pairsOf(queryOf(url)) : noPairs
      if (readPath) request.params = [...readPath(url)]
      done()
    }
    route.preHandler = restReader(schemas, validators)
  })
})

/**
 * Returns a hook for what Fastify does not validate: a body whose media type the document names otherwise (as a range, or
 * with parameters), and cookies.
 */
function restReader(schemas: Schemas, operation: OperationModel): preHandlerHookHandler {
  const cookies = partOf(operation, 'cookie')
  const readCookies = cookies.parameters.length > 0 ? readerOf(schemas, cookies, 'cookie') : undefined
  return (request, _reply, done) => {
    if (request.body instanceof ParsedBody) {
      const body = judgeBody(schemas, request.body)
      if ('error' in body) return done(body.error)
      request.body = body.value
    }
    if (readCookies) {
      const verdict = readCookies(cookiesOf(request.headers.cookie ?? ''))
      if ('error' in verdict) return done(verdict.error)
      request.cookieParameters = verdict.value
    }
    done()
  }
}

/** Returns the validator of a part of an operation's requests. It reads the values, too. */
function validatorOf(schemas: Schemas, operation: OperationModel, part: string | undefined) {
  if (part === 'body') return (body: ParsedBody | null) => body === null || judgeBody(schemas, body)
  if (part === 'headers') return headersReader(schemas, partOf(operation, 'header'))
  if (part === 'querystring') return readerOf(schemas, partOf(operation, 'query'), 'query')
  const path = partOf(operation, 'path')
  return takesRouterValues(schemas, path) ? pathReader(schemas, path) : readerOf(schemas, path, 'path')
}

/** Whether the router's own values of a path's parameters serve. It decodes them, and knows no other styles. */
const takesRouterValues = (schemas: Schemas, { isPlain: hasPlainUrl, parameters }: Part) =>
  hasPlainUrl && parameters.every(parameter => isScalar(schemas, fieldOf(parameter)))

/** Reads the router's values. Wrong values are read once more, for the faults. */
function pathReader(schemas: Schemas, part: Part) {
  const { parameters, schema } = part
  const readScalars = scalarsReader(schemas, parameters.map(fieldOf), text => text)
  const read = readerOf(schemas, part, 'path')
  return (params: Readonly<Record<string, string>>) => {
    const pairs = Object.entries(params)
    const scalars = readScalars(pairs)
    if (scalars && schemas.check(schema, scalars).length === 0) return { value: scalars }
    return read(pairs.map(([name, value]) => [name, encodeURIComponent(value)]))
  }
}

function headersReader(schemas: Schemas, part: Part) {
  const read = readerOf(schemas, part, 'header')
  const names = Object.keys(part.schema.properties ?? {})
  return (headers: IncomingHttpHeaders): Verdict => {
    const sent = names.filter(name => headers[name] !== undefined)
    const verdict = read(sent.map(name => [name, [headers[name]].flat().join(', ')]))
    if ('error' in verdict) return verdict
    return Object.entries(verdict.value).every(([name, value]) => headers[name] === value) || verdict
  }
}

function judgeBody(
  schemas: Schemas,
  { accepted, value }: ParsedBody,
): { value: unknown } | { error: ApiError } {
  if (!isValidated(schemas, accepted)) return { value }
  const { schema = {} } = accepted.media
  const taken = schemas.hasBigints(schema)
    ? schemas.take(schema, value)
    : { value, faults: schemas.check(schema, value) }
  return taken.faults.length > 0 ? { error: invalidRequest('The body is', taken.faults) } : taken
}

const subjects = {
  path: 'The path is',
  query: 'The query is',
  header: 'The header fields are',
  cookie: 'The cookies are',
}

type Read = (pairs: readonly Pair[] | undefined) => { value: object } | { error: ApiError }

/** Unknown header fields and cookies are normal. An unknown parameter in a query is a fault, except a credential. */
function readerOf(schemas: Schemas, { parameters, schema }: Part, place: Place): Read {
  const fields = parameters.map(fieldOf)
  const keys = schemesOf(schemas.model).flatMap(({ scheme }) => (scheme.in === place && scheme.name) || [])
  const credentialNames = keys.filter(name => fields.every(field => field.name !== name))
  const others = place === 'query' ? 'refused' : 'ignored'
  const decoder = new FieldsDecoder({ schemas, source: place, fields, others, known: credentialNames })
  const broken = { path: '', message: 'holds a broken percent-encoding' }
  const judge = (values: object) => (fields.length > 0 ? schemas.check(schema, values) : [])
  const readScalars = scalarsReader(schemas, fields, decoders[place])
  const read: Read = pairs => {
    const scalars = pairs && readScalars(pairs)
    if (scalars && judge(scalars).length === 0) return { value: scalars }
    const decoded = pairs && decoder.decode(pairs)
    const faults = decoded ? faultsOf(decoded, judge(decoded.values)) : [broken]
    if (decoded && faults.length === 0) return { value: decoded.values }
    const placed = faults.map(({ path, message }) => ({ path: `/${place}${path}`, message }))
    return { error: invalidRequest(subjects[place], placed) }
  }
  return read
}

function fieldOf(parameter: Parameter): Field {
  const { name, in: place, style = '', explode = false, allowEmptyValue, content = {}, schema } = parameter
  const [[type = '', media] = []] = Object.entries(content)
  const mediaType = parseMediaType(type)
  const { readOnly: _, ...parameterSchema } = (schema ?? media?.schema ?? {}) as Schema // it has no meaning in a parameter
  return {
    name: place === 'header' ? name.toLowerCase() : name,
    style,
    explode,
    allowEmptyValue,
    schema: parameterSchema,
    content: mediaType && (isJson(mediaType) ? 'json' : 'text'),
  }
}

/** Returns the faults of a part: those of its decoding, and those of its schema that do not follow from them. */
function faultsOf({ faults, spread }: Decoded, ofSchema: readonly Fault[]): readonly Fault[] {
  const undecoded = new Set(faults.map(nameIn))
  const others = ofSchema.filter(fault => !undecoded.has(nameIn(fault)))
  const named = others.map(fault => {
    // A property that was sent by its own name is named without its object.
    const isHeld = spread.includes(nameIn(fault) ?? '')
    return isHeld ? { ...fault, path: fault.path.replace(/^\/[^/]*/, '') } : fault
  })
  return [...faults, ...named]
}

const nameIn = ({ path }: Fault) => path.split('/', 2)[1]

/**
 * Returns a short way to read fields, for parts of a request that hold nothing but single values, each once.
 * @param decode decodes the escapes of a text
 * @returns undefined for any other part: `FieldsDecoder` reads it, and names its faults
 */
function scalarsReader(schemas: Schemas, fields: readonly Field[], decode: (text: string) => string) {
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
function isScalar(schemas: Schemas, { name, schema, style, content, allowEmptyValue }: Field): boolean {
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
