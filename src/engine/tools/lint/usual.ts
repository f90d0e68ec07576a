import { isDeepStrictEqual } from 'node:util'
import {
  type Due,
  type EngineResponse,
  type EngineResponseName,
  engineResponses,
} from 'spec-served/internal/errors/refusals'
import type { Model, OperationModel } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { followAt, isSecured, textOf } from 'spec-served-document/reading/nodes'
import { announcing } from 'spec-served-document/reading/notice'
import type { MediaType, OpenApi, Parameter, Reference, Response, Schema } from 'spec-served-document/types'
import { createSchemas } from 'spec-served-document/values/schemas'
import { sampler } from '../samples/samples.ts'

const to = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** The response that most operations have for a status, where they share one. */
export function usualResponse({ operations }: Model, status: string): Reference | undefined {
  return mostFrequent(operations.flatMap(({ operation }) => referenceOf(operation.responses[status])))
}

/** The description that most responses have of a header. */
export function usualHeader({ document, operations }: Model, name: string): Reference | undefined {
  const announced = Object.entries(announcing).find(([header]) => header === name)?.[1]
  if (announced !== undefined && announced in (document.components?.headers ?? {}))
    return to('headers', announced)
  const found = operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap(({ headers = {} }) => referenceOf(headers[name])),
  )
  return mostFrequent(found)
}

const referenceOf = (node: object | undefined) =>
  node && '$ref' in node && typeof node.$ref === 'string' ? [node.$ref] : []

function mostFrequent(references: readonly string[]): Reference | undefined {
  const counted = [...Map.groupBy(references, reference => reference)]
  const [best] = counted.sort(([, a], [, b]) => b.length - a.length)
  return best && { $ref: best[0] }
}

/** The refusals of the engine that an operation can meet, by their components' names, in the order of their statuses. */
export function dueRefusals(located: OperationModel): (EngineResponse & { name: string })[] {
  const meets: Record<Due, boolean> = {
    always: true,
    secured: isSecured(located),
    limited: !located.operation['x-quota-free'],
    body: located.operation.requestBody !== undefined,
  }
  return Object.entries<EngineResponse>(engineResponses).flatMap(([name, engineResponse]) =>
    engineResponse.due?.some(kind => meets[kind]) ? [{ ...engineResponse, name }] : [],
  )
}

/** The scope of the operations at the same path, by whether they read; else that of its method. */
export function usualScope({ operations }: Model, { method, path }: OperationModel): string {
  const scopes = operations
    .filter(other => other.path === path)
    .map(({ operation }) => textOf(operation, 'x-required-scope'))
  return scopes.includes('admin') ? 'admin' : ['GET', 'HEAD', 'QUERY'].includes(method) ? 'read' : 'write'
}

/** A refusal of the engine that a document lacks, with the headers and the form of those that it has. */
export function refusalIn(document: OpenApi, name: EngineResponseName) {
  const { status, codes, description } = engineResponses[name]
  const other = Object.values(document.components?.responses ?? {}).find(
    (response): response is Response => 'x-codes' in response && 'content' in response,
  )
  if (!other) return { description }
  const { headers = {}, content = {} } = other
  const isCommon = ([field]: [string, unknown]) => !/^(retry-after|www-authenticate)$/i.test(field)
  const example = { code: codes[0], message: description, status }
  return {
    description,
    'x-codes': codes,
    headers: Object.fromEntries(Object.entries(headers).filter(isCommon)),
    content: Object.fromEntries(
      Object.entries(content).map(([type, { schema }]) => [type, { schema, example }]),
    ),
  }
}

/** The parameter that a document has by this name at this place, in its components or in an operation. */
export function usualParameter(
  { document, operations }: Model,
  place: Parameter['in'],
  name: string,
): Parameter | Reference | undefined {
  const isIt = (node: object) => 'in' in node && 'name' in node && node.in === place && node.name === name
  const shared = Object.entries(document.components?.parameters ?? {}).find(([, parameter]) =>
    isIt(parameter),
  )
  if (shared) return to('parameters', shared[0])
  return operations.flatMap(({ parameters }) => parameters).find(isIt)
}

/** The example that other operations have of a schema; else one made of the examples of its properties. */
export function exampleFor(model: Model, schema: Schema | Reference): unknown {
  const contents = model.operations.flatMap(({ body, responses }) =>
    [body, ...responses.values()].flatMap((part: Partial<Response> | undefined): MediaType[] =>
      Object.values(part?.content ?? {}),
    ),
  )
  const similar = contents.find(
    media => media.example !== undefined && isDeepStrictEqual(media.schema, schema),
  )
  return similar?.example ?? sampler(createSchemas(model), { isFull: true, isLikeExamples: true })(schema)
}

/** `listBirthdays` as `List birthdays`. */
export const sentenceOf = (id: string): string =>
  id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replace(/^./, letter => letter.toUpperCase())

/** The place of an operation's response: in the operation, or as a component. */
export const responsePlace = (model: Model, { place, operation }: OperationModel, status: string): Path =>
  placeOf(model, operation.responses[status], [...place, 'responses', status])

/** The place of an operation's request body. */
export const bodyPlace = (model: Model, { place, operation }: OperationModel): Path =>
  placeOf(model, operation.requestBody, [...place, 'requestBody'])

/** The place of one of an operation's parameters. */
export const parameterPlace = (model: Model, { place, operation }: OperationModel, index: number): Path =>
  placeOf(model, operation.parameters?.[index], [...place, 'parameters', String(index)])

function placeOf({ document }: Model, node: object | undefined, place: Path): Path {
  return (node && followAt(document, node, place)?.place) ?? place
}
