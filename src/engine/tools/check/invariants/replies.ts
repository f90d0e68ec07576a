import { isDeepStrictEqual } from 'node:util'
import { isObject } from 'spec-served-document/pointer'
import { excerpt } from 'spec-served-document/values/faults'
import { changedByUse, codeIn, codes, createdAt, pointersIn } from '../../records/conventions.ts'
import { effectsOf, isSame } from '../../records/effects.ts'
import { type Endpoint, type Interface, recordUrl, shapeOf } from '../../records/interface.ts'
import type { Draft, WireReply } from '../../records/messages.ts'

/** A record as one reply has it. */
interface Shown extends Pick<WireReply, 'body' | 'headers'> {
  /** those that the document declares for this reply */
  properties: ReadonlySet<string>
}

/** Whether a record was used between two looks at it: a time has come, or a later one. */
const isUsedBetween = (before: unknown, after: unknown) =>
  typeof after === 'string' && (before === undefined || (typeof before === 'string' && before < after))

/** Yields the properties of a record that its write answered otherwise than a later read shows. */
export function* recordFaults(written: Shown, read: Shown, url: string): Generator<string> {
  const [writtenBody, readBody] = [written.body, read.body]
  let isUsed = false
  if (isObject(writtenBody) && isObject(readBody))
    for (const name of new Set([...Object.keys(writtenBody), ...Object.keys(readBody)])) {
      // A reply need not have a property that it does not declare.
      if (!written.properties.has(name) || !read.properties.has(name)) continue
      if (isDeepStrictEqual(writtenBody[name], readBody[name])) continue
      if (changedByUse.has(name) && isUsedBetween(writtenBody[name], readBody[name])) isUsed = true
      else
        yield `its reply has ${name} as ${JSON.stringify(writtenBody[name])}, and GET ${url} then as ${JSON.stringify(readBody[name])}`
    }
  const [tag, next] = [written.headers.etag, read.headers.etag]
  if (!isUsed && tag !== undefined && next !== undefined && tag !== next)
    yield `its reply has the ETag ${tag}, and GET ${url} then ${next}`
}

/**
 * Compares the reply of a write with its request: properties in both are equal, and items keep their order.
 * @param text the body as it was sent, in which a name may stand twice, or a number that is read as another
 * @param atOnce longest time between the clock and what the reply calls the present, in ms
 */
export function* echoFaults(
  { model }: Interface,
  endpoint: Endpoint,
  draft: Draft,
  reply: WireReply,
  now: Date,
  atOnce: number,
  text?: string,
): Generator<string> {
  const outer = endpoint.gives
  const { properties = {} } = outer.items ? shapeOf(model, outer.items) : outer
  const effectNames = new Set(
    effectsOf(endpoint).flatMap(({ becomes = {} }) =>
      // A property that stays unless the body changes it does not count.
      Object.entries(becomes).flatMap(([name, value]) => (value === `before.${name}` ? [] : [name])),
    ),
  )
  const isOwnText = text === undefined || text === JSON.stringify(draft.body)
  const [sent, shown] = [draft.body, reply.body].map(body => (Array.isArray(body) ? body : [body]))
  if (Array.isArray(draft.body) && Array.isArray(reply.body) && sent?.length !== shown?.length)
    yield `${sent?.length} items were sent, and its reply shows ${shown?.length}`
  for (const [index, sentItem] of (sent ?? []).entries()) {
    const shownItem: unknown = shown?.[index]
    if (!isObject(sentItem) || !isObject(shownItem)) continue
    for (const [name, value] of Object.entries(sentItem))
      if (name in properties && !effectNames.has(name) && !isSame(value, shownItem[name]))
        yield `${name} was sent as ${isOwnText ? JSON.stringify(value) : `in ${excerpt(text ?? '')}`}${sent?.length === 1 ? '' : ` in item ${index}`}, and its reply shows ${JSON.stringify(shownItem[name])}`
    const made = shownItem[createdAt]
    if (endpoint.method !== 'POST' || reply.headers.location === undefined || typeof made !== 'string')
      continue
    if (Math.abs(Date.parse(made) - now.getTime()) > atOnce)
      yield `what was just made has ${createdAt} ${made}, and it is ${now.toISOString()}`
  }
}

/** Checks the pointers of a refusal by a business rule: each is in the body. A record that it names is missing. */
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
    if (pointer !== '' && !pointer.startsWith('/')) {
      yield `it is refused for ${pointer}, which is no JSON Pointer`
      continue
    }
    const names = pointer.split('/').slice(1)
    const value = valueAt(body, names)
    if (value === undefined) yield `it is refused for ${pointer}, which is nowhere in its body`
    const [reader] = contract.readers(contract.referenceIn(endpoint, names.at(-1) ?? ''))
    if (!reader || !/^(string|number)$/.test(typeof value)) continue
    const statusOf = async (id: unknown) => {
      const url = recordUrl(reader, id)
      return { url, status: (await read(url)).status }
    }
    const { url, status } = await statusOf(value)
    if (status !== 404) yield `it is refused for ${pointer}, but GET ${url} is answered ${status}`
    for (const [index] of Array.isArray(body) ? body.entries() : []) {
      const other = [String(index), ...names.slice(1)]
      const id = valueAt(body, other)
      const isMissing = id !== undefined && (id === value || (await statusOf(id)).status === 404)
      if (isMissing && !pointers.includes(`/${other.join('/')}`))
        yield `the refusal names ${pointer} but leaves out /${other.join('/')}, which names nothing either`
    }
  }
}

const valueAt = (body: unknown, names: readonly string[]): unknown =>
  names.reduce(
    (value: unknown, name) => (Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined),
    body,
  )

/** Checks that records which a refusal calls missing can't be read. */
export async function* absenceFaults(
  contract: Interface,
  { path }: Endpoint,
  draft: Draft,
  { status, body }: WireReply,
  read: (url: string) => Promise<WireReply>,
): AsyncGenerator<string> {
  if (status !== 404 || codeIn(body) !== codes.notFound.code) return
  for (const [parameter, id] of Object.entries(draft.path))
    for (const reader of contract.readers(parameter)) {
      const url = recordUrl(reader, id)
      if ((await read(url)).status === reader.success)
        yield `nothing is found at ${path}, but GET ${url} is answered ${reader.success}`
    }
}
