import type { Tool as Definition } from '@modelcontextprotocol/server'
import type { Contract, OperationFacts } from 'spec-served-document/contract/contract'
import { filesIn } from 'spec-served-document/formats/files'
import { type Model, type OperationModel, partsOf, takesNull, typesIn } from 'spec-served-document/model'
import type { Parameter, Place, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType, preferredType } from 'spec-served-document/values/media-types'
import { fileSchema, standaloneSchema } from 'spec-served-document/values/standalone-schema'
import { isCredential } from '../callers/forwarding.ts'
import { noticesOf } from '../lifecycle/notices.ts'
import { callTool, searchTool } from './choice.ts'

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
  /** whether clients send some arguments as header fields, too (`x-mcp-header`) */
  hasFields: boolean
}

/** Returns the argument of a parameter. */
export const argumentOf = ({ parameters }: Tool, place: Place, name: string): string | undefined =>
  [...parameters].find(
    ([, parameter]) => parameter.in === place && parameter.name.toLowerCase() === name.toLowerCase(),
  )?.[0]

/**
 * Returns a tool for each operation without `x-mcp: false`. If its reply shows a secret, it also needs `x-mcp: true`, because
 * others keep the transcripts of agents.
 */
export function toolsOf({ model, facts }: Pick<Contract, 'model' | 'facts'>): Tool[] {
  const nameFor = namer(searchTool.name, callTool.name)
  return model.operations.flatMap(operation => {
    const operationFacts = facts.get(operation.id)
    // Web-standard requests can't have the method TRACE.
    const isTool =
      operationFacts &&
      operation.method !== 'TRACE' &&
      (operation.operation['x-mcp'] ?? !operationFacts.secretReply)
    return isTool ? toolOf(model, operation, operationFacts, nameFor(operation.id)) : []
  })
}

function toolOf(model: Model, operation: OperationModel, facts: OperationFacts, name: string): Tool {
  const { method } = operation
  const body = ['GET', 'HEAD'].includes(method) ? undefined : operation.body // they carry none
  const parameters = parametersOf(model, operation)
  const [bodyType, media = {}] = preferredType(body?.content)
  const output = outputOf(model, operation)
  const files = bodyType === undefined ? [] : filesIn(model, bodyType, media)
  const isFile = files.some(file => file.name === '')
  const nodes: (readonly [string, Partial<Parameter>])[] = [...parameters]
  if (body) nodes.push(['body', { ...body, schema: isFile ? fileSchema(bodyType) : (media.schema ?? {}) }])
  const input = {
    type: 'object' as const,
    properties: Object.fromEntries(
      nodes.map(([argument, node]) => [argument, described(model, argument, node)]),
    ),
    required: nodes.flatMap(([argument, { required }]) => (required && !isRetry(argument) ? argument : [])),
    additionalProperties: false,
  }
  const types = new Map(files.map(file => [file.schema, file.type]))
  const inputSchema = standaloneSchema(model, input, 'request', types) as Definition['inputSchema'] // of an object
  const fields = [...parameters].filter(([, parameter]) => parameter[fieldKeyword])
  for (const [argument, { [fieldKeyword]: field }] of fields)
    Object.assign(inputSchema.properties?.[argument] ?? {}, { [fieldKeyword]: field })
  const isRead = ['GET', 'HEAD', 'QUERY', 'OPTIONS'].includes(method)
  const replaces = method === 'DELETE' || method === 'PUT'
  const definition = {
    name,
    title: operation.operation.summary ?? operation.id,
    description: descriptionOf(operation, facts),
    inputSchema,
    ...(output && { outputSchema: standaloneSchema(model, output, 'response') as typeof inputSchema }), // the same
    annotations: {
      ...{ readOnlyHint: isRead, destructiveHint: replaces, idempotentHint: isRead || replaces },
      openWorldHint: false,
    },
  }
  const names = new Set(files.map(file => file.name))
  return { operation, facts, definition, parameters, bodyType, files: names, hasFields: fields.length > 0 }
}

/** Whether an argument is the key by which a request may be repeated. The server makes one where it is absent. */
const isRetry = (argument: string) => /^idempotency-key$/i.test(argument)

/** The extension of a parameter that clients send as a header field, too, which proxies may read. */
const fieldKeyword = 'x-mcp-header'

/** Returns the schema of an argument. If its name differs from the one that is sent, the schema names that one. */
function described(model: Model, argument: string, node: Partial<Parameter>) {
  const {
    content = {},
    schema = Object.values(content)[0]?.schema ?? {},
    description,
    name,
    in: place,
  } = node
  const fieldSchema: Schema = { ...(node[fieldKeyword] ? model.resolve<Schema>(schema) : schema) } // such a field needs a type
  const sent = name !== undefined && name !== argument
  const texts = [
    sent && `The ${place} parameter \`${name}\`.`,
    description ?? fieldSchema.description,
    isRetry(argument) &&
      'Send the same to repeat this call safely. The result shows the key that is made if none is sent.',
  ].filter(Boolean)
  return {
    ...fieldSchema,
    ...(sent && { title: name }),
    ...(texts.length > 0 && { description: texts.join(' ') }),
  }
}

/** Returns a function that gives each thing a name of its own, with characters that all clients take. */
function namer(...taken: readonly string[]) {
  const usedNames = new Set(taken)
  return (wanted: string) => {
    const plain = wanted.replace(/[^\w-]/g, '_')
    let name = plain.slice(0, 64)
    for (let i = 2; usedNames.has(name); i++) name = `${plain.slice(0, 60)}_${i}`
    usedNames.add(name)
    return name
  }
}

/** Header fields that are no arguments: credentials, validators of the client's cache, and forms of bodies. */
const notAsked = /^header (if-none-match|if-modified-since|authorization|accept|content-type)$/i

/** Returns the parameters by their arguments. The place distinguishes two of the same name: `query_id`. */
function parametersOf(model: Model, { parameters, body }: OperationModel): Map<string, Parameter> {
  const asked = parameters.filter(
    parameter => !isCredential(model, parameter) && !notAsked.test(`${parameter.in} ${parameter.name}`),
  )
  const nameFor = namer(...(body ? ['body'] : []))
  const isAlone = ({ name }: Parameter) =>
    name !== 'body' && asked.filter(parameter => parameter.name === name).length === 1
  return new Map(
    asked.map(parameter => [
      nameFor(isAlone(parameter) ? parameter.name : `${parameter.in}_${parameter.name}`),
      parameter,
    ]),
  )
}

/** Returns the schema of results, which must be objects; undefined if successes differ, or are no JSON. */
function outputOf(model: Model, { method, responses }: OperationModel): Schema | undefined {
  const successes = [...responses].filter(([status]) => status.startsWith('2'))
  const schemas = successes.map(([, { content }]) => {
    const [type = '', media] = preferredType(content)
    return isJson(parseMediaType(type)) ? media?.schema : undefined
  })
  const [schema, ...others] = new Map(
    schemas.map(candidate => [JSON.stringify(candidate), candidate]),
  ).values()
  if (!schema || others.length > 0 || method === 'HEAD') return undefined
  const parts = partsOf(model, schema)
  const type = parts.some(takesNull) ? '' : [...new Set(parts.flatMap(typesIn))].join()
  if (type === 'object') return { type, allOf: [schema] }
  if (type !== 'array') return undefined
  const description = 'The cursor of the next page; absent on the last page.'
  const properties = { items: schema, nextCursor: { type: 'string' as const, description } }
  return { type: 'object', properties, required: ['items'] }
}

function descriptionOf({ operation, method, path }: OperationModel, facts: OperationFacts): string {
  const { summary, description } = operation
  return [summary, description, ...noticesOf(facts)].filter(Boolean).join('\n\n') || `${method} ${path}`
}
