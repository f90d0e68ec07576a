import type { Tool as Definition } from '@modelcontextprotocol/server'
import { type Model, type OperationModel, partsOf, takesNull, typesIn } from '../../document/model.ts'
import type { MediaType, Parameter, Schema } from '../../document/types.ts'
import { schemesOf } from '../callers/security.ts'
import type { Contract, OperationFacts } from '../contract/contract.ts'
import { sequenceOf } from '../formats/sequences.ts'
import { bodyKind, bytesIn, isJson, parseMediaType } from '../values/media-types.ts'
import { shapeOf } from '../values/values.ts'
import { callTool, searchTool } from './choice.ts'
import { fileSchema, standaloneSchema } from './schemas.ts'

/** An operation as agents see it. */
export interface Tool {
  operation: OperationModel
  facts: OperationFacts
  /** as `tools/list` has it */
  definition: Definition
  /** the parameters by the names of arguments; the argument of a body is `body` */
  parameters: ReadonlyMap<string, Parameter>
  /** the media type of the body */
  bodyType: string | undefined
  /** the parts of a form that are files; '' is the whole body */
  files: ReadonlySet<string>
}

type Argument = Pick<Parameter, 'schema' | 'content' | 'description' | 'required'> & Partial<Parameter>

const isJsonType = (name: string) => isJson(parseMediaType(name))

/** Returns the first media type of JSON, or else the first one. */
function preferred(content: Readonly<Record<string, MediaType>> = {}) {
  const all = Object.entries(content)
  return all.find(([name]) => isJsonType(name)) ?? all[0] ?? []
}

/**
 * Returns a tool for each operation without `x-mcp: false`. If its reply shows a secret, it also needs `x-mcp: true`, because
 * others keep the transcripts of agents.
 */
export function toolsOf({ model, facts }: Pick<Contract, 'model' | 'facts'>): Tool[] {
  const nameFor = namer()
  for (const { name } of [searchTool, callTool]) nameFor(name)
  return model.operations.flatMap(operation => {
    const own = facts.get(operation.id)
    // Web-standard requests can't have the method TRACE.
    const isTool = own && operation.method !== 'TRACE' && (operation.operation['x-mcp'] ?? !own.secretReply)
    return isTool ? toolOf(model, operation, own, nameFor(operation.id)) : []
  })
}

function toolOf(model: Model, operation: OperationModel, facts: OperationFacts, name: string): Tool {
  const { method } = operation
  const body = ['GET', 'HEAD'].includes(method) ? undefined : operation.body // they carry none
  const parameters = parametersOf(model, operation)
  const [bodyType, media] = preferred(body?.content)
  const output = outputOf(model, operation)
  const files = bodyType === undefined ? [] : filesIn(model, bodyType, media ?? {})
  const isFile = files.some(({ name }) => name === '')
  const nodes: (readonly [string, Argument])[] = [...parameters]
  if (body) nodes.push(['body', { ...body, schema: isFile ? fileSchema(bodyType) : (media?.schema ?? {}) }])
  const input = {
    type: 'object' as const,
    properties: Object.fromEntries(nodes.map(([argument, node]) => [argument, described(argument, node)])),
    required: nodes.flatMap(([argument, { required }]) => (required && !isRetry(argument) ? argument : [])),
    additionalProperties: false,
  }
  const isRead = ['GET', 'HEAD', 'QUERY', 'OPTIONS'].includes(method)
  const replaces = method === 'DELETE' || method === 'PUT'
  const definition = {
    name,
    title: operation.operation.summary ?? operation.id,
    description: descriptionOf(operation, facts),
    inputSchema: standaloneSchema(model, input, 'request', new Map(files.map(one => [one.schema, one.type]))),
    ...(output && { outputSchema: standaloneSchema(model, output, 'response') }),
    annotations: {
      ...{ readOnlyHint: isRead, destructiveHint: replaces, idempotentHint: isRead || replaces },
      openWorldHint: false,
    },
  } as Definition // both schemas are of objects, as written above
  return { operation, facts, definition, parameters, bodyType, files: new Set(files.map(({ name }) => name)) }
}

/** Whether an argument is the key by which a request may be repeated. The server makes one where it is absent. */
const isRetry = (argument: string) => /^idempotency-key$/i.test(argument)

/** Returns the schema of an argument. If its name differs from the one that is sent, the schema tells that one. */
function described(argument: string, { schema, content = {}, description, name, in: place }: Argument) {
  const own: Schema = { ...(schema ?? Object.values(content)[0]?.schema) }
  const sent = name !== undefined && name !== argument ? `The ${place} parameter \`${name}\`.` : undefined
  const repeat = isRetry(argument)
    ? 'Send the same to repeat this call safely. The result tells the one that is made if none is sent.'
    : undefined
  const texts = [sent, description ?? own.description, repeat].filter(Boolean)
  return { ...own, ...(sent && { title: name }), ...(texts.length > 0 && { description: texts.join(' ') }) }
}

/** Returns the files in a body: the whole, or parts of a form. */
function filesIn(model: Model, bodyType: string, media: MediaType) {
  const kind = bodyKind(model, [bodyType, media])
  const isText = /[/+](xml|yaml)\b/.test(bodyType) || sequenceOf(bodyType)
  if (kind === 'bytes' && !isText) return [{ name: '', schema: media.schema ?? {}, type: bodyType }]
  const parts = kind === 'parts' ? [...shapeOf(model, media.schema ?? {}).properties] : []
  return parts.flatMap(([name, part]) =>
    [part, shapeOf(model, part).items].flatMap(schema => {
      const found = schema && bytesIn(model, schema)
      const type = media.encoding?.[name]?.contentType ?? found
      return schema && found ? [{ name, schema, type: type?.includes('*') ? undefined : type }] : []
    }),
  )
}

/** Returns a function that gives each thing a name of its own, with characters that all clients take. */
function namer() {
  const given = new Set<string>()
  return (wanted: string) => {
    const plain = wanted.replace(/[^\w-]/g, '_')
    let name = plain.slice(0, 64)
    for (let i = 2; given.has(name); i++) name = `${plain.slice(0, 60)}_${i}`
    given.add(name)
    return name
  }
}

/** Header fields that are no arguments: credentials, validators of the client's cache, and forms of bodies. */
const notAsked = /^(if-none-match|if-modified-since|authorization|accept|content-type)$/i

/** Returns the parameters by their arguments. The place tells two of the same name apart: `query_id`. */
function parametersOf(model: Model, { parameters, body }: OperationModel): Map<string, Parameter> {
  const schemes = schemesOf(model).map(({ scheme }) => scheme)
  const isCredential = (one: Parameter) =>
    schemes.some(({ in: place, name }) => place === one.in && name?.toLowerCase() === one.name.toLowerCase())
  const asked = parameters.filter(
    one => !isCredential(one) && !(one.in === 'header' && notAsked.test(one.name)),
  )
  const nameFor = namer()
  if (body) nameFor('body')
  const isAlone = ({ name }: Parameter) =>
    name !== 'body' && asked.filter(one => one.name === name).length === 1
  return new Map(asked.map(one => [nameFor(isAlone(one) ? one.name : `${one.in}_${one.name}`), one]))
}

/** Returns the schema of results, which must be objects; undefined if successes differ, or are no JSON. */
function outputOf(model: Model, { method, responses }: OperationModel): Schema | undefined {
  const successes = [...responses].filter(([status]) => status.startsWith('2'))
  const schemas = successes.map(([, { content }]) => {
    const [type = '', media] = preferred(content)
    return isJsonType(type) ? media?.schema : undefined
  })
  const [schema, ...others] = new Map(schemas.map(one => [JSON.stringify(one), one])).values()
  if (!schema || others.length > 0 || method === 'HEAD') return undefined
  const parts = partsOf(model, schema)
  const type = parts.some(takesNull) ? '' : [...new Set(parts.flatMap(typesIn))].join()
  if (type === 'object') return { type, allOf: [schema] }
  if (type !== 'array') return undefined
  const description = 'The cursor of the next page; absent on the last page.'
  const properties = { items: schema, nextCursor: { type: 'string' as const, description } }
  return { type: 'object', properties, required: ['items'] }
}

const stabilities: Readonly<Record<string, string>> = {
  experimental: 'Experimental: it may change or end at any time.',
  beta: 'Beta: it may still change.',
}

function descriptionOf({ operation, method, path }: OperationModel, facts: OperationFacts): string {
  const { at, sunset, successor } = facts.deprecation ?? {}
  const end = [
    at && `since ${at}`,
    sunset && `ends on ${sunset}`,
    successor && `use ${successor.operationId}`,
  ]
  const notice = `Deprecated: ${end.filter(Boolean).join('; ') || 'do not start to use it'}.`
  const { summary, description } = operation
  const texts = [summary, description, stabilities[facts.stability ?? ''], facts.deprecation && notice]
  return texts.filter(Boolean).join('\n\n') || `${method} ${path}`
}
