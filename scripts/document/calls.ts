import type { OperationModel } from '../../src/document/model.ts'
import { partsOf, takesNull } from '../../src/document/model.ts'
import type { MediaType, Parameter, Place, SecurityScheme } from '../../src/document/types.ts'
import { authorizationOf } from '../../src/engine/access/security.ts'
import { isJson, parseMediaType } from '../../src/engine/requests/media-types.ts'
import type { Schemas } from '../../src/engine/requests/schemas.ts'
import { shapeOf } from '../../src/engine/requests/values.ts'
import { sequenceOf } from '../../src/engine/sequences.ts'
import { sampler } from './samples.ts'

/** A request, ready to be sent. */
export interface Call {
  /** what it tries, for a reader */
  about: string
  method: string
  url: string
  headers: Record<string, string>
  payload?: Buffer
}

type Pair = readonly [name: string, text: string]

/** A call in parts that are still apart: names and texts already escaped. */
interface Draft {
  path: Map<string, string>
  query: Pair[]
  headers: Record<string, string>
  cookies: Pair[]
  body?: { type: string; bytes: Buffer } | undefined
}

/** Calls that the document allows: one with all that it may hold, and one with what it must. */
export async function validCalls(schemas: Schemas, operation: OperationModel): Promise<Call[]> {
  const full = finish(operation, await draftOf(schemas, operation, true), 'all that it may hold')
  return [finish(operation, await draftOf(schemas, operation, false), 'what it must hold'), full]
}

/** Calls that the document does not allow, each for one reason. */
export async function invalidCalls(schemas: Schemas, operation: OperationModel): Promise<Call[]> {
  const { model } = schemas
  const { body, parameters } = operation
  const calls: Call[] = []
  const add = async (about: string, change: (draft: Draft) => void) => {
    const draft = await draftOf(schemas, operation, false)
    change(draft)
    calls.push(finish(operation, draft, about))
  }
  const json = Object.entries(body?.content ?? {}).find(([type]) => isJsonType(type))
  const schema = json?.[1].schema
  // What has properties and no type takes anything that is no object.
  if (
    json &&
    schema &&
    partsOf(model, schema).some(({ type }) => type !== undefined && ![type].flat().includes('boolean'))
  )
    await add('a body of a wrong type', draft => {
      draft.body = { type: json[0], bytes: Buffer.from('true') }
    })
  if (body?.required)
    await add('no body', draft => {
      draft.body = undefined
    })
  const typed = parameters.find(({ required, schema = {}, content }) => {
    const { types } = shapeOf(model, schema)
    const wrong = [...types].every(type => ['integer', 'number', 'boolean'].includes(type))
    return required && !content && types.size > 0 && wrong && !partsOf(model, schema).some(takesNull)
  })
  if (typed)
    await add('a parameter of a wrong type', draft =>
      place(draft, typed.in, typed.name, `${prefixes[typed.style ?? '']?.(typed.name) ?? ''}text`),
    )
  const isOpen = parameters.some(
    ({ in: where, style, schema = {} }) =>
      where === 'query' && style === 'form' && shapeOf(model, schema).types.has('object'),
  )
  if (!isOpen) await add('an unknown parameter', ({ query }) => query.push(['not-in-the-document', '1']))
  return calls
}

const prefixes: Record<string, (name: string) => string> = { label: () => '.', matrix: name => `;${name}=` }

function place(draft: Draft, where: Place, name: string, text: string): void {
  const others = (pairs: readonly Pair[]) => pairs.filter(([other]) => other !== name)
  if (where === 'path') draft.path.set(name, text)
  else if (where === 'query') draft.query = [...others(draft.query), [name, text]]
  else if (where === 'header') draft.headers[name.toLowerCase()] = text
  else draft.cookies = [...others(draft.cookies), [name, text]]
}

async function draftOf(schemas: Schemas, operation: OperationModel, isFull: boolean): Promise<Draft> {
  const sample = sampler(schemas, { isFull })
  const draft: Draft = { path: new Map(), query: [], headers: {}, cookies: [] }
  for (const parameter of operation.parameters) {
    const { in: where, name, required, content, schema } = parameter
    const isBodys =
      where === 'header' && ['content-type', 'content-length', 'accept'].includes(name.toLowerCase())
    if (isBodys || !(required || isFull)) continue
    const [media] = Object.values(content ?? {})
    const own = schema ?? media?.schema ?? {}
    // A list or an object of nothing is not written at all (RFC 6570, section 3.2.1): it must hold something to be there.
    const value = sample(required ? { allOf: [{ minItems: 1, minProperties: 1 }, own] } : own)
    if (value === undefined || (value === null && !required)) continue
    if (content) place(draft, where, name, escaped(where, JSON.stringify(value)))
    else write(draft, parameter, value)
  }
  addCredentials(schemas, operation, draft)
  const { body } = operation
  if (body && (body.required || isFull)) draft.body = await bodyOf(body.content, sample)
  return draft
}

const escaped = (where: Place, text: string) => (where === 'header' ? text : encodeURIComponent(text))
const textOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** Writes a parameter in its style (OpenAPI 3.0.3, 4.7.12.3). */
function write(
  draft: Draft,
  { in: where, name, style = '', explode = false }: Parameter,
  value: unknown,
): void {
  const text = (one: unknown) => escaped(where, textOf(one))
  if (typeof value !== 'object' || value === null) {
    place(draft, where, name, `${prefixes[style]?.(name) ?? ''}${text(value)}`)
    return
  }
  const pairs = (Array.isArray(value) ? [] : Object.entries(value)).map(
    ([key, one]): Pair => [key, text(one)],
  )
  const items = Array.isArray(value) ? value.map(text) : pairs.map(pair => pair.join(explode ? '=' : ','))
  const isSpread = (where === 'query' || where === 'cookie') && explode && style === 'form'
  const into = where === 'cookie' ? draft.cookies : draft.query
  if (style === 'deepObject') {
    if (Array.isArray(value)) into.push(...items.map((one): Pair => [name, one]))
    else draft.query.push(...pairs.map(([key, one]): Pair => [`${name}[${key}]`, one]))
  } else if (isSpread) into.push(...(Array.isArray(value) ? items.map((one): Pair => [name, one]) : pairs))
  else if (explode && (style === 'spaceDelimited' || style === 'pipeDelimited'))
    into.push(...items.map((one): Pair => [name, one]))
  else if (style === 'matrix' && explode)
    place(
      draft,
      where,
      name,
      items.map(one => (Array.isArray(value) ? `;${name}=${one}` : `;${one}`)).join(''),
    )
  else {
    const delimiters: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '|', label: '.' }
    place(draft, where, name, `${prefixes[style]?.(name) ?? ''}${items.join(delimiters[style] ?? ',')}`)
  }
}

const isJsonType = (type: string) => isJson(parseMediaType(type))

async function bodyOf(
  content: Readonly<Record<string, MediaType>>,
  sample: (schema: NonNullable<MediaType['schema']>) => unknown,
): Promise<Draft['body']> {
  const types = Object.keys(content)
  const type = types.find(isJsonType) ?? types.find(one => /form|text\//.test(one)) ?? types[0]
  if (type === undefined) return undefined
  const value = sample(content[type]?.schema ?? {})
  if (isJsonType(type)) return { type, bytes: Buffer.from(JSON.stringify(value ?? null)) }
  const sequence = Array.isArray(value) ? sequenceOf(type) : undefined
  if (sequence) return { type, bytes: Buffer.from([value].flat().map(sequence.write).join('')) }
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const spread = fields.flatMap(([name, one]): [string, unknown][] =>
    Array.isArray(one) ? one.map(item => [name, item]) : [[name, one]],
  )
  if (type.startsWith('multipart/form-data')) {
    const form = new FormData()
    for (const [name, one] of spread) form.append(name, textOf(one))
    const response = new Response(form)
    return {
      type: response.headers.get('content-type') ?? '',
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  }
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const query = new URLSearchParams(spread.map(([name, one]): [string, string] => [name, textOf(one)]))
    return { type, bytes: Buffer.from(String(query)) }
  }
  // A range stands for any type in it.
  return {
    type: type.replace('*/*', 'text/plain').replace('/*', '/plain'),
    bytes: Buffer.from(textOf(value)),
  }
}

/** Sends what the shortest of the requirements asks for. A key in the Authorization field is whatever else stands there. */
function addCredentials({ model }: Schemas, { security }: OperationModel, draft: Draft): void {
  const [names = []] = security.map(one => Object.keys(one)).toSorted((a, b) => a.length - b.length)
  const written = names.flatMap(name => model.document.components?.securitySchemes?.[name] ?? [])
  const schemes: SecurityScheme[] = written.map(scheme => model.resolve(scheme))
  const keys = schemes.filter(({ type }) => type === 'apiKey')
  for (const { in: where = 'header', name = '' } of keys) place(draft, where as Place, name, 'key') // one of three places
  if (schemes.some(({ type }) => type === 'mutualTLS')) draft.headers['client-cert'] = ':Y2VydA==:'
  for (const scheme of schemes.filter(one => authorizationOf(one) !== undefined)) {
    const kind = authorizationOf(scheme)
    draft.headers.authorization = kind === 'basic' ? `Basic ${btoa('rex:secret')}` : `${kind} key`
  }
}

function finish({ method, url }: OperationModel, draft: Draft, about: string): Call {
  const filled = url
    .split(/(\{[^{}]+\})/)
    .map(piece =>
      piece.startsWith('{') ? (draft.path.get(piece.slice(1, -1)) ?? 'text') : encodeURI(decoded(piece)),
    )
    .join('')
    .replace(/[?#]/g, encodeURIComponent)
  const query = draft.query.map(([name, text]) => `${encodeURIComponent(name)}=${text}`).join('&')
  const cookie = draft.cookies.map(pair => pair.join('=')).join('; ')
  const { body } = draft
  const headers = { ...draft.headers, ...(cookie && { cookie }), ...(body && { 'content-type': body.type }) }
  return {
    about,
    method,
    url: query ? `${filled}?${query}` : filled,
    headers,
    ...(body && { payload: body.bytes }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
