import type { FreeTools } from 'spec-served/internal/context'
import type { AnyReply } from 'spec-served/internal/errors/api-error'
import type { AnyHandler, AnyInput } from 'spec-served/internal/routes/binding'
import { writeBody } from 'spec-served-document/formats/writing'
import { type Model, type OperationModel, operationsIn, responseFor } from 'spec-served-document/model'
import { isObject, lookUp, pathOf } from 'spec-served-document/pointer'
import type {
  MediaType,
  Operation,
  PathItem,
  Reference,
  RequestBody,
  Schema,
} from 'spec-served-document/types'
import { typeWithin } from 'spec-served-document/values/media-types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { visibleLine } from 'spec-served-document/visible-text'
import { mockValues } from './values.ts'

/** The most calls that wait for their turn, and how long each may take, in ms. */
const most = { waiting: 100, ms: 5_000 }
/** The deepest part of a body that shows a record. */
const deepest = 3

/** The receiver of the webhooks and callbacks that a mock sends. */
export interface WebhookTarget {
  /** receives webhooks; callbacks go to their own paths at this origin, and to no other */
  url: URL
  /** is given a line for each call */
  say(line: string): void
}

/** The requests of a webhook or callback, as the document describes them. */
type Item = PathItem<Partial<Operation>>
type Node = Schema | Reference

/** A success of an operation, after which calls are made. */
interface Success {
  operation: OperationModel
  input: AnyInput
  reply: AnyReply
  url: string
}

/**
 * Prepares the calls by which a document's service says to others what has happened. After a success, the operation's callbacks are
 * sent, and after a write the webhooks that show a record of the same schema. A webhook that shows none is sent after each write. One
 * call follows the other, without a retry, and no redirect is followed.
 */
export function createWebhooks(model: Model, schemas: Schemas, { url: target, say }: WebhookTarget) {
  const values = mockValues(schemas)
  const closing = new AbortController()
  let turn: Promise<void> = Promise.resolve()
  let waiting = 0
  const webhooks = Object.entries(model.document.webhooks ?? {}).flatMap(([name, item]) =>
    callsIn(name, item).map(call => ({ ...call, shown: componentsOf(call.media?.schema) })),
  )
  const writes = model.operations.filter(({ method }) => !isSafe(method))
  const shownBy = new Map(writes.map(write => [write, componentsOf(...schemasOf(write))]))
  const isApart = (components: ReadonlySet<string>, others: ReadonlySet<string>) =>
    components.values().every(name => !others.has(name))
  const isOfNone = (shown: ReadonlySet<string>) =>
    shownBy.values().every(components => isApart(components, shown))

  /** Returns the names of the components that schemas are made of. */
  function componentsOf(...nodes: readonly (Node | undefined)[]): Set<string> {
    const found = new Set<string>()
    const look = (node: unknown, depth: number): void => {
      if (typeof node !== 'object' || node === null) return
      const { $ref } = Object(node)
      if (typeof $ref === 'string') {
        if (!found.has($ref) && depth < deepest) look(model.resolve<object>({ $ref }), depth + 1)
        found.add($ref)
      } else for (const part of Object.values(node)) look(part, depth)
    }
    for (const node of nodes) look(node, 0)
    return found
  }

  function callsIn(name: string, item: Item | Reference) {
    return operationsIn(model.resolve<Item>(item)).map(({ method, operation }) => {
      const content = operation.requestBody && model.resolve<RequestBody>(operation.requestBody).content
      const [[type, media] = []] = Object.entries(content ?? {})
      return { name, method, type, media }
    })
  }
  type Call = ReturnType<typeof callsIn>[number]

  /** Returns the body of a call: with the record of a reply where it shows one, or else the document's example. */
  function bodyOf({ type = '', media }: Call, success?: Success): unknown {
    if (!media) return undefined
    const { schema = {}, example, examples = {} } = media
    const named = Object.values(examples).map(item => model.resolve<{ value?: unknown }>(item).value)
    const sample = values.fitting(
      schema,
      [example, ...named].filter(candidate => candidate !== undefined),
    ).value
    const whole = success && withRecord(schema, sample, recordOf(success))
    // Clients read it as they read a reply.
    const fits = whole !== undefined && schemas.check(schema, structuredClone(whole), 'response').length === 0
    return writeBody(fits ? whole : sample, typeWithin(type))
  }

  /** Puts the record of a reply in the places of its schema. */
  function withRecord(declared: Node, sample: unknown, record: Shown, depth = 0): unknown {
    if ('$ref' in declared && declared.$ref === record.name) return record.value
    const { properties = {} } = model.resolve<Schema>(declared)
    if (!isObject(sample) || depth === deepest) return sample
    const members = Object.entries(sample).map(([name, part]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, property ? withRecord(property, part, record, depth + 1) : part]
    })
    return Object.fromEntries(members)
  }

  async function send(call: Call, url: string, success?: Success): Promise<void> {
    const { name, method, type } = call
    const body = ['GET', 'HEAD'].includes(method) ? undefined : bodyOf(call, success)
    const isTyped = type !== undefined && body !== undefined && !(body instanceof FormData)
    const outcome = await fetch(url, {
      method,
      ...(body !== undefined && { body: body as string }), // as `fetch` takes it
      headers: isTyped ? { 'Content-Type': typeWithin(type) } : {},
      redirect: 'manual',
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(most.ms)]),
    }).then(
      async reply => {
        await reply.body?.cancel()
        return String(reply.status)
      },
      (error: Error & { cause?: Error }) => error.cause?.message || error.message,
    )
    say(visibleLine(`${name}: ${method} ${url}: ${outcome}`))
  }

  /** Lets a call wait for its turn. */
  function enqueue(call: Call, url: string, success?: Success): void {
    if (waiting >= most.waiting) {
      say(visibleLine(`${call.name}: not sent, as ${waiting} calls wait`))
      return
    }
    waiting++
    turn = turn
      .then(() => (closing.signal.aborted ? undefined : send(call, url, success)))
      .catch(error => say(visibleLine(`${call.name}: not sent: ${error.message}`)))
      .finally(() => void waiting--)
  }

  function callBack(success: Success): void {
    for (const [name, declared] of Object.entries(success.operation.operation.callbacks ?? {}))
      for (const [expression, item] of Object.entries(
        model.resolve<Record<string, Item>>(declared as Record<string, Item>),
      )) {
        if (expression.startsWith('x-')) continue
        const url = URL.parse(addressOf(expression, success) ?? '')
        if (url?.origin === target.origin)
          for (const call of callsIn(name, item)) enqueue(call, url.href, success)
        else
          say(
            visibleLine(
              url
                ? `${name}: not sent, as it leads to ${url.origin}, and --webhooks names ${target.origin}`
                : `${name}: not sent, as the request names no URL for ${expression}`,
            ),
          )
      }
  }

  function answered(success: Success): void {
    const { operation, reply } = success
    if (Number(reply.status) < 200 || Number(reply.status) > 299) return
    callBack(success)
    const components = shownBy.get(operation)
    for (const { shown, ...call } of components ? webhooks : [])
      if (components && (isOfNone(shown) || !isApart(components, shown))) enqueue(call, target.href, success)
  }

  // A document without a write has no better moment.
  if (writes.length === 0) for (const call of webhooks) enqueue(call, target.href)

  return {
    /** Returns a handler after whose successes calls are made. */
    after:
      (operation: OperationModel, handler: AnyHandler<object>): AnyHandler<object> =>
      async (input, tools) => {
        const reply = await handler(input, tools)
        const { request } = tools as FreeTools // the engine hands over all
        const url = `${request.protocol}://${request.host}${request.url}`
        if (!('code' in reply)) answered({ operation, input, reply, url })
        return reply
      },
    /** Ends the call under way, and makes no other. */
    async close(): Promise<void> {
      closing.abort()
      await turn
    },
  }
}

/** Whether a document declares webhooks or callbacks. */
export const hasCalls = ({ document, operations }: Model): boolean =>
  Object.keys(document.webhooks ?? {}).length > 0 ||
  operations.some(({ operation }) => operation.callbacks !== undefined)

const isSafe = (method: string) => ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'].includes(method)

/** The record that a reply shows, and the reference to its schema. */
interface Shown {
  name: unknown
  value: unknown
}

function recordOf({ operation, reply }: Success): Shown {
  const [media] = Object.values(responseFor(operation, Number(reply.status))?.content ?? {})
  const { schema = {} } = media ?? {}
  return { name: '$ref' in schema ? schema.$ref : NaN, value: writtenValue(reply.body) } // a schema of its own is no other's
}

/** Returns the schemas of what an operation takes and answers. */
function schemasOf({ body, responses }: OperationModel): (Node | undefined)[] {
  const contents = [
    body?.content,
    ...[...responses].map(([status, response]) => (/^2/.test(status) ? response.content : {})),
  ]
  return contents.flatMap((content: Record<string, MediaType> = {}) =>
    Object.values(content).map(item => item.schema),
  )
}

/** The value of a body, which may be written already. */
function writtenValue(body: unknown): unknown {
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Returns the address that a callback's expression stands for (OpenAPI 3.1, Runtime Expressions); undefined if a part is not there. */
function addressOf(expression: string, success: Success): string | undefined {
  let isWhole = true
  const written = expression.startsWith('$') ? `{${expression}}` : expression
  const address = written.replace(/\{(\$[^{}]+)\}/g, (_, part: string) => {
    const value = valueAt(part, success)
    isWhole &&= value !== undefined && value !== null && typeof value !== 'object'
    return String(value)
  })
  return isWhole ? address : undefined
}

function valueAt(expression: string, { operation, input, reply, url }: Success): unknown {
  if (expression === '$url') return url
  if (expression === '$method') return operation.method
  if (expression === '$statusCode') return reply.status
  const [, side, place, name = ''] =
    /^\$(request|response)\.(header|query|path|body)[.#]?(.*)$/.exec(expression) ?? []
  if (place === 'body') {
    const body = writtenValue(side === 'request' ? input.body : reply.body)
    return name === '' ? body : lookUp(body, pathOf(name) ?? [])
  }
  const fields = side === 'request' ? { ...input.headers } : { ...reply.headers }
  if (place === 'header')
    return Object.entries(fields).find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1]
  return side === 'request' ? lookUp(place === 'path' ? input.path : input.query, [name]) : undefined
}
