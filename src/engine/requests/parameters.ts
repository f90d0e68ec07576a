import type { IncomingHttpHeaders } from 'node:http'
import type { OperationModel } from '../../document/model.ts'
import type { Parameter, Place, Schema } from '../../document/types.ts'
import { pathReader } from '../routes/paths.ts'
import { within } from './faults.ts'
import { type Field, noValues, readText, settle, type Values } from './fields.ts'
import { isJson, parseMediaType } from './media-types.ts'
import { cookiesOf, pairsOf, pairsReader } from './pairs.ts'
import { parseStrictJson } from './strict-json.ts'
import type { Texts } from './texts.ts'

/** The parts of a request that hold parameters. */
export interface ParameterSource {
  /** as it was sent, with its query */
  url: string
  headers: IncomingHttpHeaders
}

/** Decodes the parameters of a request, by their places; those of header fields are named in lower case. */
export type DecodeParameters = Record<Place, (source: ParameterSource) => Values>

/** Prepares the decoding of an operation's parameters by their `style` (OpenAPI 3.0.3, 4.7.12). */
export function parameterDecoder(texts: Texts, operation: OperationModel): DecodeParameters {
  return {
    path: pathPart(texts, operation.path, fieldsIn(operation, 'path')),
    query: queryPart(texts, fieldsIn(operation, 'query'), keysInQuery(texts, operation)),
    header: headerPart(texts, fieldsIn(operation, 'header')),
    cookie: cookiePart(texts, fieldsIn(operation, 'cookie')),
  }
}

/**
 * The schema of all parameters in one place of a request; undefined where there are none. A query has one in any case, as
 * parameters that the document does not have are faults of its decoding; further header fields and cookies are normal.
 */
export function schemaOfParameters(operation: OperationModel, place: Place): Schema | undefined {
  const fields = fieldsIn(operation, place)
  if (fields.length === 0 && place !== 'query') return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
}

function fieldsIn({ parameters }: OperationModel, place: Place): Field[] {
  return parameters.filter(parameter => parameter.in === place).map(fieldOf)
}

function fieldOf({ name, in: place, style = '', explode = false, ...parameter }: Parameter): Field {
  const { required, allowEmptyValue, content, schema } = parameter
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const mediaType = type === undefined ? undefined : parseMediaType(type)
  return {
    name: place === 'header' ? name.toLowerCase() : name,
    style,
    explode,
    required,
    allowEmptyValue,
    schema: schema ?? media?.schema ?? {},
    parse: mediaType && (isJson(mediaType) ? parseStrictJson : text => ({ value: text })),
  }
}

/** Names that hold credentials are known to the document too. */
function keysInQuery({ schemas: { model } }: Texts, { security }: OperationModel): Set<string> {
  const schemes = model.document.components?.securitySchemes ?? {}
  return new Set(
    security
      .flatMap(requirement => Object.keys(requirement))
      .flatMap(name => {
        const scheme = schemes[name] && model.resolve(schemes[name])
        return scheme?.in === 'query' && scheme.name !== undefined ? scheme.name : []
      }),
  )
}

type Decode = DecodeParameters[Place]

function pathPart(texts: Texts, template: string, fields: readonly Field[]): Decode {
  const { names, read } = pathReader(template)
  const places = fields.map(field => [field, within('', field.name), names.indexOf(field.name)] as const)
  return ({ url }) => {
    const into = noValues()
    if (places.length === 0) return into
    const sent = read(url)
    for (const [field, where, index] of places) {
      const text = sent[index]
      settle(texts, into, field, text === undefined ? undefined : readText(texts, 'path', field, text, where))
    }
    return into
  }
}

function queryPart(texts: Texts, fields: readonly Field[], known: ReadonlySet<string>): Decode {
  const read = pairsReader({
    texts,
    source: 'query',
    path: '',
    fields,
    isKnown: name => known.has(name),
    onUnknown: (name, _, { faults }) => faults.push({ path: within('', name), message: 'is not known' }),
  })
  return ({ url }) => {
    const start = url.indexOf('?')
    const pairs = pairsOf(start < 0 ? '' : url.slice(start + 1))
    if (pairs) return read(pairs)
    return { ...noValues(), faults: [{ path: '', message: 'holds a broken percent-encoding' }] }
  }
}

function headerPart(texts: Texts, fields: readonly Field[]): Decode {
  const places = fields.map(field => [field, within('', field.name)] as const)
  return ({ headers }) => {
    const into = noValues()
    for (const [field, where] of places) {
      const text = Object.hasOwn(headers, field.name) ? headers[field.name] : undefined
      const whole = typeof text === 'object' ? text.join(', ') : text
      settle(
        texts,
        into,
        field,
        whole === undefined ? undefined : readText(texts, 'header', field, whole, where),
      )
    }
    return into
  }
}

function cookiePart(texts: Texts, fields: readonly Field[]): Decode {
  const read = pairsReader({ texts, source: 'cookie', path: '', fields, onUnknown: () => undefined })
  return ({ headers: { cookie } }) => (fields.length === 0 ? noValues() : read(cookiesOf(cookie ?? '')))
}
