import { type Values, writeContent, writeHead } from 'spec-served-document/formats/forms'
import type { OperationModel } from 'spec-served-document/model'
import { authorizationOf, partsOf, takesNull } from 'spec-served-document/model'
import type { MediaType, Place, SecurityScheme } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { shapeOf } from 'spec-served-document/values/values'
import { sampler } from './samples.ts'

/** A request, ready to be sent. */
export interface Call {
  /** the attempt, for a reader */
  about: string
  method: string
  url: string
  headers: Record<string, string>
  payload?: Buffer
}

/** A call in parts that are still apart: values by the names of their parameters. */
type Draft = Values & {
  body?: { type: string; bytes: Buffer } | undefined
}

/** Calls that the document allows: one with all that it may hold, and one with what it must. */
export async function validCalls(schemas: Schemas, operation: OperationModel): Promise<Call[]> {
  const full = finish(schemas, operation, await draftOf(schemas, operation, true), 'all that it may hold')
  return [finish(schemas, operation, await draftOf(schemas, operation, false), 'what it must hold'), full]
}

/** Calls that the document does not allow, each for one reason. */
export async function invalidCalls(schemas: Schemas, operation: OperationModel): Promise<Call[]> {
  const { model } = schemas
  const { body, parameters } = operation
  const calls: Call[] = []
  const add = async (about: string, change: (draft: Draft) => void) => {
    const draft = await draftOf(schemas, operation, false)
    change(draft)
    calls.push(finish(schemas, operation, draft, about))
  }
  const json = Object.entries(body?.content ?? {}).find(([type]) => isJsonType(type))
  const schema = json?.[1].schema
  // A schema with properties and no type takes everything that is no object.
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
  const typed = parameters.find(({ required, schema: parameterSchema = {}, content }) => {
    const { types } = shapeOf(model, parameterSchema)
    const wrong = [...types].every(type => ['integer', 'number', 'boolean'].includes(type))
    return required && !content && types.size > 0 && wrong && !partsOf(model, parameterSchema).some(takesNull)
  })
  if (typed)
    await add('a parameter of a wrong type', draft => {
      draft[typed.in][typed.name] = 'text'
    })
  const isOpen = parameters.some(
    ({ in: where, style, schema: parameterSchema = {} }) =>
      where === 'query' && style === 'form' && shapeOf(model, parameterSchema).types.has('object'),
  )
  if (!isOpen)
    await add('an unknown parameter', ({ query }) => {
      query['not-in-the-document'] = '1'
    })
  return calls
}

async function draftOf(schemas: Schemas, operation: OperationModel, isFull: boolean): Promise<Draft> {
  const sample = sampler(schemas, { isFull })
  const draft: Draft = { path: {}, query: {}, header: {}, cookie: {} }
  for (const { in: where, name, required, content, schema } of operation.parameters) {
    const isBodys =
      where === 'header' && ['content-type', 'content-length', 'accept'].includes(name.toLowerCase())
    if (isBodys || !(required || isFull)) continue
    const [media] = Object.values(content ?? {})
    const valueSchema = schema ?? media?.schema ?? {}
    // An empty list or object is not written at all (RFC 6570, section 3.2.1). It must hold something to be there.
    const value = sample(required ? { allOf: [{ minItems: 1, minProperties: 1 }, valueSchema] } : valueSchema)
    if (value === undefined || (value === null && !required)) continue
    draft[where][name] = value ?? 'null'
  }
  addCredentials(schemas, operation, draft)
  const { body } = operation
  if (body && (body.required || isFull)) draft.body = await bodyOf(schemas, body.content, sample)
  return draft
}

const isJsonType = (type: string) => isJson(parseMediaType(type))

async function bodyOf(
  { model }: Schemas,
  content: Readonly<Record<string, MediaType>>,
  sample: (schema: NonNullable<MediaType['schema']>) => unknown,
): Promise<Draft['body']> {
  const types = Object.keys(content)
  const type = types.find(isJsonType) ?? types.find(candidate => /form|text\//.test(candidate)) ?? types[0]
  if (type === undefined) return undefined
  const { schema = {}, encoding = {} } = content[type] ?? {}
  // A range stands for any type in it.
  const concrete = (range: string) => range.replace('*/*', 'text/plain').replace('/*', '/plain')
  const fields = Object.entries(encoding).map(([name, property]) => {
    const { contentType } = property
    return [name, contentType === undefined ? property : { ...property, contentType: concrete(contentType) }]
  })
  const media = { schema, encoding: Object.fromEntries(fields) }
  const written = new Response(writeContent(model, type, media, sample(schema) ?? null))
  const isForm = type.startsWith('multipart/form-data')
  return {
    type: (isForm && written.headers.get('content-type')) || concrete(type),
    bytes: Buffer.from(await written.arrayBuffer()),
  }
}

/** Sends what the shortest of the requirements asks for. A key in the Authorization field is whatever else stands there. */
function addCredentials({ model }: Schemas, { security }: OperationModel, draft: Draft): void {
  const [names = []] = security
    .map(requirement => Object.keys(requirement))
    .toSorted((a, b) => a.length - b.length)
  const written = names.flatMap(name => model.document.components?.securitySchemes?.[name] ?? [])
  const schemes: SecurityScheme[] = written.map(scheme => model.resolve(scheme))
  const keys = schemes.filter(({ type }) => type === 'apiKey')
  for (const { in: where = 'header', name = '' } of keys) draft[where as Place][name] = 'key' // one of three places
  if (schemes.some(({ type }) => type === 'mutualTLS')) draft.header['client-cert'] = ':Y2VydA==:'
  for (const scheme of schemes.filter(candidate => authorizationOf(candidate) !== undefined)) {
    const kind = authorizationOf(scheme)
    draft.header.authorization = kind === 'basic' ? `Basic ${btoa('rex:secret')}` : `${kind} key`
  }
}

function finish({ model }: Schemas, operation: OperationModel, draft: Draft, about: string): Call {
  const names = [...operation.url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => [name, 'text'] as const)
  const path = { ...Object.fromEntries(names), ...draft.path }
  const { url, headers } = writeHead(model, operation, { ...draft, path })
  const { body } = draft
  if (body) headers['content-type'] = body.type
  return { about, method: operation.method, url, headers, ...(body && { payload: body.bytes }) }
}
