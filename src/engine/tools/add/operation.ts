import { type EngineResponseName, engineResponses } from 'spec-served/internal/errors/refusals'
import type { Model } from 'spec-served-document/model'
import { showsSecret } from 'spec-served-document/reading/facts'
import type { Parameter, Reference, Schema } from 'spec-served-document/types'
import { completenessRules } from '../lint/completeness-rules.ts'
import { remedied } from '../lint/remedies.ts'
import { usualHeader, usualParameter, usualResponse } from '../lint/usual.ts'
import type { Mend } from '../lint/violation.ts'

/** An operation to be written. */
export interface NewOperation {
  id: string
  /** in upper case */
  method: string
  path: string
  tag: string
  /** undefined: the document has no scopes */
  scope: string | undefined
  summary: string
  description: string
  stability: string | undefined
  /** whether it answers a list in pages */
  isList: boolean
  /** whether its record has a strong ETag, which If-Match guards */
  isVersioned: boolean
  /** the schema of its success; undefined: it has no body */
  reply: Schema | Reference | undefined
  /** the name of the schema of its body */
  body: string | undefined
  /** statuses of its refusals besides the usual ones, with the names of their responses */
  refusals: ReadonlyMap<string, string>
}

const to = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** The path parameters of a path. */
export const pathParameterNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The rules whose remedies complete an operation. */
const rules = Object.fromEntries(
  Object.entries(completenessRules).filter(([name]) =>
    ['declared-statuses', 'response-headers', 'examples', 'reply-examples'].includes(name),
  ),
)

/**
 * Returns an operation with parameters, headers and refusals as others of the document have them, and with examples.
 * Whatever the rules ask for is written by their remedies.
 * @param parts the components that the document gets with it
 */
export function operationNode(model: Model, operation: NewOperation, parts: readonly Mend[]): unknown {
  const place = ['paths', operation.path, operation.method.toLowerCase()]
  return remedied(model.document, [...parts, { place, value: bareOperation(model, operation) }], place, rules)
}

function bareOperation(model: Model, operation: NewOperation): Record<string, unknown> {
  const { method, path, tag, id, summary, description, stability, scope } = operation
  const parameters = parametersFor(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(stability !== undefined && { 'x-stability': stability }),
    ...(scope !== undefined && { 'x-required-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body !== undefined && { requestBody: bodyFor(method, operation.body) }),
    responses: Object.fromEntries(
      Object.entries({
        ...refusalsFor(model, operation),
        [successOf(operation)]: success(model, operation),
      }).sort(),
    ),
  }

  function parametersFor({ isList, isVersioned }: NewOperation): (Parameter | Reference)[] {
    const pathParameters = pathParameterNames(path)
    const others: (readonly [Parameter['in'], string])[] = []
    if (isList) others.push(['query', 'limit'], ['query', 'cursor'])
    if (method === 'GET') others.push(['header', 'If-None-Match'])
    if (method === 'POST') others.push(['header', 'Idempotency-Key'])
    if (isVersioned && /^(PUT|PATCH|DELETE)$/.test(method)) others.push(['header', 'If-Match'])
    return [
      ...pathParameters.map(name => usualParameter(model, 'path', name) ?? to('parameters', name)),
      ...others.flatMap(([place, name]) => usualParameter(model, place, name) ?? []),
    ]
  }
}

/** The status of its success. */
const successOf = ({ method, reply }: NewOperation) =>
  reply === undefined ? '204' : method === 'POST' ? '201' : '200'

/** Refusals by their status. */
function refusalsFor(model: Model, operation: NewOperation): Record<string, Reference> {
  const { method, path, isList, isVersioned, refusals } = operation
  const components = model.document.components?.responses ?? {}
  const due: Record<string, string> = {}
  const expect = (name: EngineResponseName) => Object.assign(due, { [engineResponses[name].status]: name })
  if (method === 'GET')
    due[304] = isList ? 'ListNotModified' : isVersioned ? 'NotModified' : 'WeakNotModified'
  if (path.includes('{')) expect('NotFound')
  if (method === 'POST') {
    expect('InFlight')
    expect('IdempotencyKeyReused')
  }
  if (isVersioned && /^(PUT|PATCH|DELETE)$/.test(method)) due[412] = 'PreconditionFailed'
  const found = Object.entries(due).flatMap(([status, name]) => {
    const usual =
      name in components
        ? to('responses', name)
        : (usualResponse(model, status) ?? (status === '404' ? to('responses', name) : undefined))
    return usual ? [[status, usual] as const] : []
  })
  const refusalResponses = [...refusals].map(([status, name]) => [status, to('responses', name)] as const)
  return Object.fromEntries([...found, ...refusalResponses])
}

function success(model: Model, operation: NewOperation): Record<string, unknown> {
  const { method, reply, isList, isVersioned } = operation
  const headers: Record<string, string> = {}
  if (method === 'POST') headers['Idempotent-Replayed'] = 'Idempotent-Replayed'
  if (isVersioned && reply !== undefined) headers.ETag = 'ETag'
  else if (method === 'GET') headers.ETag = 'WeakETag'
  if (isList) Object.assign(headers, { Link: 'Link', 'X-Next-Cursor': 'X-Next-Cursor' })
  const content = reply && { 'application/json': { schema: reply } }
  const isSecret =
    content && showsSecret(model, { responses: new Map([['200', { description: '', content }]]) })
  headers['Cache-Control'] = isSecret ? 'NoStore' : 'CacheControl'
  const headerComponents = model.document.components?.headers ?? {}
  const described = Object.entries(headers).flatMap(([header, name]) => {
    const usual = name in headerComponents ? to('headers', name) : usualHeader(model, header)
    return usual ? [[header, usual] as const] : []
  })
  return {
    description: isList ? 'A page of them.' : reply === undefined ? 'Done.' : 'The record.',
    ...(described.length > 0 && { headers: Object.fromEntries(described) }),
    ...(content && { content }),
  }
}

function bodyFor(method: string, name: string): Record<string, unknown> {
  const media = { schema: to('schemas', name) }
  const types =
    method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return { required: true, content: Object.fromEntries(types.map(type => [type, { ...media }])) }
}
