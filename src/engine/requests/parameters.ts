import type { OperationModel } from '../../document/model.ts'
import type { Parameter, Place } from '../../document/types.ts'
import { noNames } from '../names.ts'
import { pathReader } from '../routes/paths.ts'
import { type Fault, noFaults, within } from './faults.ts'
import { type Field, noValues, readText, settle, type Values } from './fields.ts'
import { isJson, parseMediaType } from './media-types.ts'
import { cookiesOf, pairsOf, pairsReader } from './pairs.ts'
import type { ParseJson } from './strict-json.ts'
import type { Texts } from './texts.ts'

/** The parts of a request that hold parameters. */
export interface ParameterSource {
  /** as it was sent, with its query */
  url: string
  /** by lower-case name */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** What the parameters of a request say, by the names of the document; those of header fields in lower case. */
export interface ReadParameters {
  values: Record<Place, Record<string, unknown>>
  /** with pointers such as `/query/limit` */
  faults: readonly Fault[]
}

/**
 * Prepares the reading of an operation's parameters (OpenAPI 3.0.3, 4.7.12); nothing is done before the first request.
 * @param parseJson reads parameters that are described by `content`
 */
export function parameterReader(
  texts: Texts,
  operation: OperationModel,
  parseJson: ParseJson,
): (source: ParameterSource) => ReadParameters {
  let prepared: ReturnType<typeof prepare> | undefined
  return source => {
    prepared ??= prepare(texts, operation, parseJson)
    const path = prepared.path(source)
    const query = prepared.query(source)
    const header = prepared.header(source)
    const cookie = prepared.cookie(source)
    return {
      values: { path: path.values, query: query.values, header: header.values, cookie: cookie.values },
      faults: together(path.faults, query.faults, header.faults, cookie.faults),
    }
  }
}

/** Mostly there is none, and no list to be made. */
function together(...lists: (readonly Fault[])[]): readonly Fault[] {
  let all = noFaults
  for (const list of lists) if (list.length > 0) all = all.length > 0 ? [...all, ...list] : list
  return all
}

type Read = (source: ParameterSource) => Values

/** What there is to read where a document has no parameters. */
const nothing: Values = { values: Object.freeze(noNames()), faults: [] }
const readNothing: Read = () => nothing

function prepare(texts: Texts, operation: OperationModel, parseJson: ParseJson): Record<Place, Read> {
  const fieldsIn = (place: Place) =>
    operation.parameters.filter(parameter => parameter.in === place).map(one => fieldOf(one, parseJson))
  return {
    path: pathPart(texts, operation.path, fieldsIn('path')),
    query: queryPart(texts, fieldsIn('query'), keysInQuery(texts, operation)),
    header: headerPart(texts, fieldsIn('header')),
    cookie: cookiePart(texts, fieldsIn('cookie')),
  }
}

function fieldOf(parameter: Parameter, parseJson: ParseJson): Field {
  const {
    name,
    in: place,
    required,
    style = '',
    explode = false,
    allowEmptyValue,
    content,
    schema,
  } = parameter
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const mediaType = type === undefined ? undefined : parseMediaType(type)
  return {
    name: place === 'header' ? name.toLowerCase() : name,
    style,
    explode,
    required,
    allowEmptyValue,
    schema: schema ?? media?.schema ?? {},
    parse: mediaType && (isJson(mediaType) ? parseJson : text => ({ value: text })),
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

function pathPart(texts: Texts, template: string, fields: readonly Field[]): Read {
  if (fields.length === 0) return readNothing
  const { names, read } = pathReader(template)
  const places = fields.map(field => [field, within('/path', field.name), names.indexOf(field.name)] as const)
  return ({ url }) => {
    const into = noValues()
    const sent = read(url)
    for (const [field, where, index] of places) {
      const text = sent[index]
      settle(
        texts,
        into,
        field,
        where,
        text === undefined ? undefined : readText(texts, 'path', field, text, where),
      )
    }
    return into
  }
}

/** A query parameter that the document does not have is refused; further header fields and cookies are normal. */
function queryPart(texts: Texts, fields: readonly Field[], known: ReadonlySet<string>): Read {
  const read = pairsReader({
    texts,
    source: 'query',
    path: '/query',
    fields,
    isKnown: name => known.has(name),
    onUnknown: (name, _, { faults }) =>
      faults.push({ path: within('/query', name), message: 'is not known' }),
  })
  return ({ url }) => {
    const start = url.indexOf('?')
    if (start < 0 && fields.length === 0) return noValues()
    const pairs = pairsOf(start < 0 ? '' : url.slice(start + 1))
    if (pairs) return read(pairs)
    return { ...noValues(), faults: [{ path: '/query', message: 'holds a broken percent-encoding' }] }
  }
}

function headerPart(texts: Texts, fields: readonly Field[]): Read {
  if (fields.length === 0) return readNothing
  const places = fields.map(field => [field, within('/header', field.name)] as const)
  return ({ headers }) => {
    const into = noValues()
    for (const [field, where] of places) {
      const text = Object.hasOwn(headers, field.name) ? headers[field.name] : undefined
      const whole = typeof text === 'object' ? text.join(', ') : text
      const sent = whole === undefined ? undefined : readText(texts, 'header', field, whole, where)
      settle(texts, into, field, where, sent)
    }
    return into
  }
}

function cookiePart(texts: Texts, fields: readonly Field[]): Read {
  if (fields.length === 0) return readNothing
  const read = pairsReader({ texts, source: 'cookie', path: '/cookie', fields, onUnknown: () => undefined })
  return ({ headers: { cookie } }) => read(cookiesOf([cookie ?? []].flat().join('; ')))
}
