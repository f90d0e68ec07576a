import { createReplyChecker, createReplyJudge, headerValues } from 'spec-served/internal/validation/replies'
import { type Model, responseFor } from 'spec-served-document/model'
import { textOf } from 'spec-served-document/reading/nodes'
import { createSchemas } from 'spec-served-document/values/schemas'
import { fields, mockField } from '../records/conventions.ts'
import { type Endpoint, isGuided, takesField } from '../records/interface.ts'
import type { WireReply, WireRequest } from '../records/messages.ts'
import { type NumberTexts, readBody, unseenFaults } from './reading.ts'
import type { SecondOracle } from './second-oracle.ts'

/** Fields of HTTP itself, and the mark of mocks, which no document declares. */
const transport = new Set<string>([
  mockField,
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
])

/** Prepares the examination of replies as they came over the wire: status, headers, content type, closed body. */
export function createExamination(model: Model, oracle: SecondOracle | undefined) {
  const judge = createReplyJudge<NumberTexts>(model, { unseen: unseenFaults })
  const checkForm = createReplyChecker(model, { codes: false })
  const schemas = createSchemas(model)
  const guided = isGuided(model)

  /** The header fields that a response declares, as they are read. */
  function fieldsOf(endpoint: Endpoint, { status, headers }: WireReply): Record<string, unknown> {
    const declared = Object.entries(responseFor(endpoint, status)?.headers ?? {}).map(([name, header]) => {
      const [{ value = undefined } = {}] = headerValues(schemas, name, header, headers)
      return [name.toLowerCase(), value]
    })
    return { ...headers, ...Object.fromEntries(declared) }
  }

  /**
   * Returns the faults that both judges find in a reply. In a document of ours, a disagreement between them is a fault:
   * one of them is wrong about it.
   */
  async function judged(endpoint: Endpoint, reply: WireReply): Promise<string[]> {
    const { value: body, faults, written } = readBody(reply)
    const first = judge(endpoint.id, { status: reply.status, headers: reply.headers, body, written })
    const faultsOfExchange = [
      ...faults.map(fault => `${endpoint.id} ${reply.status}: ${fault}`),
      // A body that is malformed has no value that a schema could describe.
      ...first.map(({ text }) => text).filter(fault => faults.length === 0 || !fault.includes(': the body')),
    ].filter(fault => guided || !isSilentOn(endpoint, reply.status, fault))
    if (!oracle || !guided || faults.length > 0) return faultsOfExchange
    const headers = fieldsOf(endpoint, reply)
    const second = await oracle.reply(endpoint.method, endpoint.place[1] ?? '', { ...reply, headers, body })
    if (second.length > 0 && faultsOfExchange.length === 0)
      return [`the two judges disagree: the engine's schemas allow it, and ${second.join('; ')}`]
    if (first.some(({ isOfSchema }) => isOfSchema) && second.length === 0)
      return [...faultsOfExchange, 'the two judges disagree: the second validator allows it']
    return faultsOfExchange
  }
  return {
    /** Lists every way in which a reply is not what the document says of its operation. */
    reply: async (endpoint: Endpoint, request: WireRequest, reply: WireReply): Promise<string[]> => [
      ...(await judged(endpoint, reply)),
      ...headerFaults(endpoint, reply, guided),
      ...lifecycleFaults(model, endpoint, request, reply, guided),
      ...(guided || /^application\/problem\+json\b/i.test(reply.headers['content-type'] ?? '')
        ? errorFaults(reply)
        : []),
    ],
    /** The same for a reply outside any operation, as if it were this one's refusal of an invalid request. */
    error(endpoint: Endpoint, reply: WireReply): string[] {
      const { value: body, faults } = readBody(reply)
      return [...faults, ...checkForm(endpoint.id, { status: 400, headers: reply.headers, body })]
    },
  }
}

/**
 * The statuses by which HTTP itself refuses a request that a server can't read, take or admit (RFC 9110, 6585). A document
 * need not tell of each (OpenAPI 3.0.3, 4.7.16).
 */
const usualRefusals = new Set([400, 401, 403, 405, 406, 408, 411, 413, 414, 415, 422, 428, 429, 431])

/**
 * Whether a document of others says nothing of what a fault is about: of the body of a response that it declares without
 * content, of the refusals of an operation of which it describes none, of those that any request may meet, and of a record
 * that is not there. A reply to HEAD has no body (RFC 9110, section 9.3.2).
 */
function isSilentOn({ method, responses, path }: Endpoint, status: number, fault: string): boolean {
  if (fault.endsWith('declares no body, and there is one')) return true
  if (method === 'HEAD' && fault.endsWith('declares a body, and there is none')) return true
  if (!fault.includes('does not declare the status') || status < 400 || status >= 500) return false
  const isAbsence = (status === 404 || status === 410) && path.includes('{')
  return (
    isAbsence ||
    usualRefusals.has(status) ||
    ![...responses.keys()].some(candidate => candidate.startsWith('4'))
  )
}

/**
 * Header fields that neither the response nor the operation's lifecycle declares, and an ETag that conditions lack. Only
 * this project's guide says that a document has them all.
 */
function* headerFaults(endpoint: Endpoint, reply: WireReply, guided: boolean): Generator<string> {
  if (!guided) return
  const { operation } = endpoint
  const names = Object.keys(responseFor(endpoint, reply.status)?.headers ?? {})
  const lowerNames = new Set(names.map(name => name.toLowerCase()))
  if (operation.deprecated) for (const name of ['deprecation', 'sunset', 'link']) lowerNames.add(name)
  if (operation['x-stability']) lowerNames.add(fields.stability)
  for (const name of Object.keys(reply.headers))
    if (!lowerNames.has(name) && !transport.has(name))
      yield `${endpoint.id} ${reply.status}: the header ${name} is not declared`
  if (lowerNames.has('etag') && takesField(endpoint, 'if-none-match') && reply.headers.etag === undefined)
    yield `${endpoint.id} ${reply.status}: there is no ETag, and requests may have If-None-Match`
}

/** Each reply of a deprecated or unstable operation says so, in the words of the standards. Other replies don't. */
function* lifecycleFaults(
  model: Model,
  { id, path, operation }: Endpoint,
  request: WireRequest,
  { status, headers }: WireReply,
  guided: boolean,
): Generator<string> {
  const dayOf = (key: `x-${string}`) => {
    const text = operation.deprecated ? textOf(operation, key) : undefined
    return text === undefined ? undefined : new Date(`${text}T00:00:00Z`)
  }
  const [since, sunset] = [dayOf('x-deprecated-at'), dayOf('x-deprecated-sunset')]
  const expected = {
    [fields.stability]: textOf(operation, 'x-stability'),
    deprecation: since && `@${since.getTime() / 1_000}`,
    sunset: sunset?.toUTCString(),
  }
  // A document of others says nothing of a field by not having its extension.
  for (const [name, value] of Object.entries(expected))
    if (headers[name] !== value && (guided || value !== undefined))
      yield `${id} ${status}: ${name} is ${headers[name]} instead of ${value}`
  if (!operation.deprecated || (!guided && !since)) return
  const successor =
    textOf(operation, 'x-successor-url') ?? model.operation(textOf(operation, 'x-successor') ?? '')?.url
  const links = headers.link ?? ''
  if (!links.includes('rel="deprecation"')) yield `${id} ${status}: Link does not lead to its deprecation`
  const due = successor && `<${fillIn(successor, path, request.url)}>; rel="successor-version"`
  if (due && !links.includes(due)) yield `${id} ${status}: Link has no ${due}`
  if (!due && links.includes('successor-version'))
    yield `${id} ${status}: Link names a successor, there is none`
}

/** A URL template with the path parameters of a request. */
function fillIn(template: string, path: string, url: string): string {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(match => match[1])
  const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^{}]+\}/g, '([^/?]*)')}`)
  const values = pattern.exec(url)?.slice(1) ?? []
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => values[names.indexOf(name)] ?? '')
}

/** An error names its own status, and says something. */
function* errorFaults({ status, body }: WireReply): Generator<string> {
  const { status: named, message } = (body ?? {}) as { status?: unknown; message?: unknown } // of any value
  if (status >= 400 && typeof named === 'number' && named !== status)
    yield `the error says ${named} and the reply ${status}`
  if (status >= 400 && typeof message === 'string' && message.trim() === '')
    yield 'the message of the error says nothing'
}
