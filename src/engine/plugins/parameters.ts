import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { OperationModel } from '../../document/model.ts'
import type { Parameter, Place, Schema } from '../../document/types.ts'
import { schemesOf } from '../access/security.ts'
import type { Fault } from '../requests/faults.ts'
import { type Decoded, type Field, FieldsDecoder, nothingDecoded, type Pair } from '../requests/fields.ts'
import { isJson, parseMediaType } from '../requests/media-types.ts'
import type { Schemas } from '../requests/schemas.ts'
import { cookiesOf, pairsOf, queryOf } from '../requests/values.ts'
import { operationOf, pathReader } from '../routes/paths.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the cookie parameters that the document has, decoded */
    cookieParameters: object
  }
}

type Decode = (request: FastifyRequest) => Decoded

/**
 * Decodes the parameters of operations by their `style` (OpenAPI 3.0.3, 4.7.12), before Fastify validates them: afterwards
 * `request.params`, `request.query`, the declared fields of `request.headers` and `request.cookieParameters` hold values
 * of the types that the document gives them.
 */
export const parameters = fp<{ schemas: Schemas }>(async (app, { schemas }) => {
  const decoders = new Map(schemas.model.operations.map(one => [one.id, decodersOf(schemas, one)]))
  app.decorateRequest('cookieParameters')
  app.addHook('preValidation', async request => {
    const decode = decoders.get(operationOf(request) ?? '')
    if (!decode) return
    request.params = partOf(decode.path(request))
    request.query = partOf(decode.query(request))
    request.cookieParameters = partOf(decode.cookie(request))
    const fields = decode.header(request)
    if (fields.faults.length > 0 || Object.values(fields.values).some(value => typeof value !== 'string'))
      request.headers = partOf(fields) as typeof request.headers // of the document's types
  })
})

function decodersOf(schemas: Schemas, operation: OperationModel): Record<Place, Decode> {
  const readPath = pathReader(operation.path)
  const headers = fieldsIn(operation, 'header').map(({ name }) => name)
  const pairs: Record<Place, (request: FastifyRequest) => readonly Pair[] | undefined> = {
    path: ({ url }) => [...readPath(url)],
    query: ({ url }) => pairsOf(queryOf(url)),
    header: request =>
      headers.flatMap(name => {
        const field = Object.hasOwn(request.headers, name) ? request.headers[name] : undefined
        return field === undefined ? [] : [[name, [field].flat().join(', ')]]
      }),
    cookie: request => cookiesOf(request.headers.cookie ?? ''),
  }
  const decode = (place: Place): Decode => {
    const fields = fieldsIn(operation, place)
    if (fields.length === 0 && place !== 'query') return nothingDecoded
    const decoder = new FieldsDecoder({
      schemas,
      source: place,
      fields,
      others: place === 'query' ? 'refused' : 'ignored',
      known: keysInQuery(schemas, operation),
    })
    return request => {
      const sent = pairs[place](request)
      const broken = { path: '', message: 'holds a broken percent-encoding' }
      return sent ? decoder.decode(sent) : { ...nothingDecoded(), faults: [broken] }
    }
  }
  return {
    path: decode('path'),
    query: decode('query'),
    header: decode('header'),
    cookie: decode('cookie'),
  }
}

/**
 * The schema of all parameters in one place of a request; undefined where there are none. A query has one in any case, as
 * parameters that the document does not have are faults of its decoding; further header fields and cookies are normal.
 */
export function schemaOfParameters(operation: OperationModel, place: Place): Schema | undefined {
  const fields = operation.parameters.filter(parameter => parameter.in === place)
  if (fields.length === 0 && place !== 'query') return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(fieldsIn(operation, place).map(({ name, schema }) => [name, schema])),
    required: fields.filter(({ required }) => required).map(fieldName),
  }
}

function fieldsIn({ parameters }: OperationModel, place: Place): Field[] {
  return parameters.filter(parameter => parameter.in === place).map(fieldOf)
}

const fieldName = ({ name, in: place }: Parameter) => (place === 'header' ? name.toLowerCase() : name)

function fieldOf(parameter: Parameter): Field {
  const { style = '', explode = false, allowEmptyValue, content = {}, schema } = parameter
  const [[type = '', media] = []] = Object.entries(content)
  const mediaType = parseMediaType(type)
  return {
    name: fieldName(parameter),
    style,
    explode,
    allowEmptyValue,
    schema: schema ?? media?.schema ?? {},
    content: mediaType && (isJson(mediaType) ? 'json' : 'text'),
  }
}

/** Names that hold credentials are known to the document too. */
function keysInQuery({ model }: Schemas, { security }: OperationModel): Set<string | undefined> {
  const asked = security.flatMap(requirement => Object.keys(requirement))
  const schemes = schemesOf(model).filter(({ name }) => asked.includes(name))
  return new Set(schemes.map(({ scheme }) => (scheme.in === 'query' ? scheme.name : undefined)))
}

/** Under which a decoded part keeps what its validation is to know; Fastify copies objects of header fields. */
const decoding = Symbol('decoding')

/** The values of a decoded part. */
function partOf({ values, ...found }: Decoded): object {
  const isPlain = found.faults.length === 0 && found.spread.length === 0
  return isPlain ? values : Object.assign(values, { [decoding]: found })
}

/**
 * The faults of a decoded part: first those of its decoding, then those of its schema that do not follow from them. A
 * property that was sent by its own name is named without the object that it belongs to.
 * @param check by its schema
 */
export function faultsOfPart(part: unknown, check: (part: unknown) => readonly Fault[]): readonly Fault[] {
  if (typeof part !== 'object' || part === null || !(decoding in part)) return check(part)
  const { faults, spread } = part[decoding] as Omit<Decoded, 'values'> // as it was put there
  if (faults.some(({ path }) => path === '')) return faults
  const undecoded = new Set(faults.map(nameIn))
  const others = check(part).filter(fault => !undecoded.has(nameIn(fault)))
  const named = others.map(fault => {
    const isHeld = spread.includes(nameIn(fault) ?? '')
    return isHeld ? { ...fault, path: fault.path.replace(/^\/[^/]*/, '') } : fault
  })
  return [...faults, ...named]
}

const nameIn = ({ path }: Fault) => path.split('/', 2)[1]
