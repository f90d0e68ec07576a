import { type Model, responseFor } from '../../document/model.ts'
import { textOf } from '../reading/nodes.ts'
import { fields } from './conventions.ts'
import { type Endpoint, takesField } from './interface.ts'
import { createReplyChecker } from './reply-checker.ts'
import type { WireRequest } from './requests.ts'
import type { SecondOracle } from './second-oracle.ts'
import type { WireReply } from './wire.ts'

/** Fields of HTTP itself, which no document declares. */
const transport = new Set([
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
  const check = createReplyChecker(model)
  const checkForm = createReplyChecker(model, { codes: false })
  const bodyOf = ({ text, body }: WireReply) => (text === '' ? undefined : (body ?? text))
  /** Returns the faults that both judges find in a reply. A disagreement between them is a fault of ours. */
  async function judged(endpoint: Endpoint, reply: WireReply): Promise<string[]> {
    const body = bodyOf(reply)
    const first = check(endpoint.id, { status: reply.status, headers: reply.headers, body })
    const second = (await oracle?.reply(endpoint.method, endpoint.at[1] ?? '', { ...reply, body })) ?? []
    const isOfSchema = first.some(fault => / the (body|header .*)\/? .*/.test(fault))
    if (second.length > 0 && first.length === 0)
      return [`the two judges disagree: the engine's schemas allow it, and ${second.join('; ')}`]
    if (oracle && isOfSchema && second.length === 0)
      return [...first, 'the two judges disagree: the second validator allows it']
    return first
  }
  return {
    /** Lists every way in which a reply is not what the document says of its operation. */
    reply: async (endpoint: Endpoint, request: WireRequest, reply: WireReply): Promise<string[]> => [
      ...(await judged(endpoint, reply)),
      ...headerFaults(endpoint, reply),
      ...lifecycleFaults(model, endpoint, request, reply),
      ...errorFaults(reply),
    ],
    /** The same for a reply outside any operation, as if it were this one's refusal of an invalid request. */
    error: (endpoint: Endpoint, reply: WireReply): string[] =>
      checkForm(endpoint.id, { status: 400, headers: reply.headers, body: bodyOf(reply) }),
  }
}

/** Header fields that neither the response nor the operation's lifecycle declares, and an ETag that conditions lack. */
function* headerFaults(endpoint: Endpoint, reply: WireReply): Generator<string> {
  const { operation } = endpoint
  const names = Object.keys(responseFor(endpoint, reply.status)?.headers ?? {})
  const known = new Set(names.map(name => name.toLowerCase()))
  if (operation.deprecated) for (const name of ['deprecation', 'sunset', 'link']) known.add(name)
  if (operation['x-stability']) known.add(fields.stability)
  for (const name of Object.keys(reply.headers))
    if (!known.has(name) && !transport.has(name))
      yield `${endpoint.id} ${reply.status}: the header ${name} is not declared`
  if (known.has('etag') && takesField(endpoint, 'if-none-match') && reply.headers.etag === undefined)
    yield `${endpoint.id} ${reply.status}: there is no ETag, and requests may have If-None-Match`
}

/** Each reply of a deprecated or unstable operation says so, in the words of the standards. Other replies don't. */
function* lifecycleFaults(
  model: Model,
  { id, path, operation }: Endpoint,
  request: WireRequest,
  { status, headers }: WireReply,
): Generator<string> {
  const midnight = (key: `x-${string}`) => new Date(`${textOf(operation, key)}T00:00:00Z`)
  const expected = {
    [fields.stability]: textOf(operation, 'x-stability'),
    deprecation: operation.deprecated ? `@${midnight('x-deprecated-at').getTime() / 1_000}` : undefined,
    sunset: operation.deprecated ? midnight('x-deprecated-sunset').toUTCString() : undefined,
  }
  for (const [name, value] of Object.entries(expected))
    if (headers[name] !== value) yield `${id} ${status}: ${name} is ${headers[name]} instead of ${value}`
  if (!operation.deprecated) return
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
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
  const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '([^/?]*)')}`)
  const values = pattern.exec(url)?.slice(1) ?? []
  return template.replace(/\{(\w+)\}/g, (_, name: string) => values[names.indexOf(name)] ?? '')
}

/** An error names its own status. */
function* errorFaults({ status, body }: WireReply): Generator<string> {
  const named = (body as { status?: unknown } | undefined)?.status
  if (status >= 400 && typeof named === 'number' && named !== status)
    yield `the error says ${named} and the reply ${status}`
}
