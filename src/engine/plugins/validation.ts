import type { IncomingHttpHeaders } from 'node:http'
import fp from 'fastify-plugin'
import type { OperationModel } from '../../document/model.ts'
import type { Parameter, Place, Schema } from '../../document/types.ts'
import { schemesOf } from '../access/security.ts'
import type { ApiError, Fault } from '../replies/api-error.ts'
import { invalidRequest } from '../requests/faults.ts'
import { type Decoded, type Field, FieldsDecoder, type Pair } from '../requests/fields.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import type { Schemas } from '../requests/schemas.ts'
import { cookiesOf, pairsOf, queryOf } from '../requests/values.ts'
import { operationOf, pathReader } from '../routes/paths.ts'
import { isValidated, type ParsedBody } from './bodies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the declared cookie parameters, decoded */
    cookieParameters: object
  }
}

/** The schema of one place's parameters, and the form of each. */
type Part = Schema & { parameters: readonly Parameter[] }

type Verdict = { value: unknown } | { error: ApiError } | boolean

export function requestSchemaOf(operation: OperationModel) {
  const headers = partOf(operation, 'header')
  return {
    params: partOf(operation, 'path'),
    querystring: partOf(operation, 'query'),
    ...(headers.parameters.length > 0 && { headers }),
    ...(operation.body && { body: { type: 'object', description: 'By its media type.' } }),
  }
}

function partOf({ parameters }: OperationModel, place: Place): Part {
  const own = parameters.filter(parameter => parameter.in === place)
  return {
    type: 'object',
    properties: Object.fromEntries(own.map(fieldOf).map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required).map(one => fieldOf(one).name),
    parameters: own,
  }
}

/**
 * Makes Fastify validate requests by the document. Each part is decoded by its parameters' `style` (OpenAPI 3.0.3,
 * 4.7.12), and checked. Afterwards `request.params`, `request.query`, `request.body`, the declared fields of
 * `request.headers` and `request.cookieParameters` hold values of the declared types.
 */
export const validation = fp<{ schemas: Schemas }>(async (app, { schemas }) => {
  const { operations } = schemas.model
  const paths = new Map(operations.map(({ id, url }) => [id, pathReader(url)]))
  app.addHook('preValidation', async request => {
    const read = paths.get(operationOf(request) ?? '')
    if (!read) return
    request.params = [...read(request.url)]
    request.query = pairsOf(queryOf(request.url))
  })

  app.setValidatorCompiler<Part>(({ schema, httpPart }) => {
    if (httpPart === 'body') return (body: ParsedBody | null) => judgeBody(schemas, body)
    if (httpPart !== 'headers') return readerOf(schemas, schema, httpPart === 'params' ? 'path' : 'query')
    const read = readerOf(schemas, schema, 'header')
    const names = Object.keys(schema.properties ?? {})
    return (headers: IncomingHttpHeaders) => {
      const sent = names.filter(name => Object.hasOwn(headers, name))
      const verdict = read(sent.map(name => [name, [headers[name]].flat().join(', ')]))
      if ('error' in verdict) return verdict
      return Object.entries(verdict.value).every(([name, value]) => headers[name] === value) || verdict
    }
  })

  // Fastify does not validate cookies.
  const cookies = new Map(
    operations.flatMap(one => {
      const part = partOf(one, 'cookie')
      return part.parameters.length > 0 ? [[one.id, readerOf(schemas, part, 'cookie')] as const] : []
    }),
  )
  app.decorateRequest('cookieParameters')
  app.addHook('preHandler', async request => {
    const verdict = cookies.get(operationOf(request) ?? '')?.(cookiesOf(request.headers.cookie ?? ''))
    if (verdict && 'error' in verdict) throw verdict.error
    request.cookieParameters = verdict?.value ?? {}
  })
})

function judgeBody(schemas: Schemas, body: ParsedBody | null): Verdict {
  if (!body) return true
  const { accepted, value } = body
  const faults = isValidated(schemas, accepted) ? schemas.check(accepted.media.schema ?? {}, value) : []
  return faults.length > 0 ? { error: invalidRequest('The body is', faults) } : { value }
}

const subjects = {
  path: 'The path is',
  query: 'The query is',
  header: 'The header fields are',
  cookie: 'The cookies are',
}

/** Unknown header fields and cookies are normal. An unknown parameter in a query is a fault, except a credential. */
function readerOf(schemas: Schemas, { parameters, ...schema }: Part, place: Place) {
  const fields = parameters.map(fieldOf)
  const keys = schemesOf(schemas.model).flatMap(({ scheme }) => (scheme.in === place && scheme.name) || [])
  const known = keys.filter(name => fields.every(field => field.name !== name))
  const others = place === 'query' ? 'refused' : 'ignored'
  const decoder = new FieldsDecoder({ schemas, source: place, fields, others, known })
  const broken = { path: '', message: 'holds a broken percent-encoding' }
  return (pairs: readonly Pair[] | undefined): { value: object } | { error: ApiError } => {
    const decoded = pairs && decoder.decode(pairs)
    const judge = (values: object) => (fields.length > 0 ? schemas.check(schema, values) : [])
    const faults = decoded ? faultsOf(decoded, judge(decoded.values)) : [broken]
    if (decoded && faults.length === 0) return { value: decoded.values }
    const placed = faults.map(({ path, message }) => ({ path: `/${place}${path}`, message }))
    return { error: invalidRequest(subjects[place], placed) }
  }
}

function fieldOf(parameter: Parameter): Field {
  const { name, in: place, style = '', explode = false, allowEmptyValue, content = {}, schema } = parameter
  const [[type = '', media] = []] = Object.entries(content)
  const mediaType = parseMediaType(type)
  const { readOnly: _, ...own } = (schema ?? media?.schema ?? {}) as Schema // it has no meaning in a parameter
  return {
    name: place === 'header' ? name.toLowerCase() : name,
    style,
    explode,
    allowEmptyValue,
    schema: own,
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
