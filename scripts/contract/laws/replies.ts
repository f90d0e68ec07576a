import { isObject } from '../../../src/document/pointer.ts'
import { codeIn, codes, createdAt, pointersIn } from '../conventions.ts'
import { type Endpoint, type Interface, shapeOf, shapeOfSuccess } from '../interface.ts'
import type { Draft } from '../requests.ts'
import type { WireReply } from '../wire.ts'
import { effectsOf, isSame } from './effects.ts'

/**
 * What a write says of what it was sent: each property that it shows is the one sent, and items keep their order.
 * @param atOnce longest time between the clock and what the reply calls the present, in ms
 */
export function* echoFaults(
  { model }: Interface,
  endpoint: Endpoint,
  draft: Draft,
  reply: WireReply,
  now: Date,
  atOnce: number,
): Generator<string> {
  const outer = shapeOfSuccess(model, endpoint)
  const { properties = {} } = outer.items ? shapeOf(model, outer.items) : outer
  const told = new Set(
    effectsOf(endpoint).flatMap(({ becomes = {} }) =>
      // What stays unless the body says otherwise.
      Object.entries(becomes).flatMap(([name, value]) => (value === `before.${name}` ? [] : [name])),
    ),
  )
  const [sent, shown] = [draft.body, reply.body].map(body => (Array.isArray(body) ? body : [body]))
  if (Array.isArray(draft.body) && Array.isArray(reply.body) && sent?.length !== shown?.length)
    yield `${sent?.length} items were sent, and its reply shows ${shown?.length}`
  for (const [index, one] of (sent ?? []).entries()) {
    const other: unknown = shown?.[index]
    if (!isObject(one) || !isObject(other)) continue
    for (const [name, value] of Object.entries(one))
      if (name in properties && !told.has(name) && !isSame(value, other[name]))
        yield `${name} was sent as ${JSON.stringify(value)}${sent?.length === 1 ? '' : ` in item ${index}`}, and its reply shows ${JSON.stringify(other[name])}`
    const made = other[createdAt]
    if (endpoint.method !== 'POST' || reply.headers.location === undefined || typeof made !== 'string')
      continue
    if (Math.abs(Date.parse(made) - now.getTime()) > atOnce)
      yield `what was just made has ${createdAt} ${made}, and it is ${now.toISOString()}`
  }
}

/** What a refusal by the rules of the business says is wrong is there, and names what is missing if it names records. */
export async function* pointerFaults(
  contract: Interface,
  endpoint: Endpoint,
  { body }: Draft,
  reply: WireReply,
  read: (url: string) => Promise<WireReply>,
): AsyncGenerator<string> {
  if (reply.status === 400) return
  const pointers = pointersIn(reply.body)
  for (const pointer of pointers) {
    const names = pointer.split('/').slice(1)
    const value = valueAt(body, names)
    if (value === undefined) yield `it is refused for ${pointer}, which is nowhere in its body`
    const parameter = contract.referenceIn(endpoint, names.at(-1) ?? '')
    const reader = contract.endpoints.find(
      ({ method, record }) => method === 'GET' && record !== undefined && record === parameter,
    )
    if (!reader || !/^(string|number)$/.test(typeof value)) continue
    const statusOf = async (id: unknown) => {
      const url = reader.path.replace(`{${parameter}}`, encodeURIComponent(String(id)))
      return { url, status: (await read(url)).status }
    }
    const { url, status } = await statusOf(value)
    if (status !== 404) yield `it is refused for ${pointer}, and yet GET ${url} is answered ${status}`
    for (const [index] of Array.isArray(body) ? body.entries() : []) {
      const other = [String(index), ...names.slice(1)]
      const id = valueAt(body, other)
      const isMissing = id !== undefined && (id === value || (await statusOf(id)).status === 404)
      if (isMissing && !pointers.includes(`/${other.join('/')}`))
        yield `it is refused for ${pointer}, and not for /${other.join('/')}, which names nothing either`
    }
  }
}

function valueAt(body: unknown, names: readonly string[]): unknown {
  let value = body
  for (const name of names) value = isIn(value, name) ? value[name] : undefined
  return value
}

/** What is said not to be there can't be read. */
export async function* absenceFaults(
  { endpoints }: Interface,
  { path }: Endpoint,
  draft: Draft,
  { status, body }: WireReply,
  read: (url: string) => Promise<WireReply>,
): AsyncGenerator<string> {
  if (status !== 404 || codeIn(body) !== codes.notFound) return
  for (const [parameter, id] of Object.entries(draft.path))
    for (const { method, record, path: own, success } of endpoints) {
      if (method !== 'GET' || record !== parameter) continue
      const url = own.replace(`{${parameter}}`, encodeURIComponent(String(id)))
      if ((await read(url)).status === success)
        yield `nothing is found at ${path}, and yet GET ${url} is answered ${success}`
    }
}

const isIn = (value: unknown, name: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
