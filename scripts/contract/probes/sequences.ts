import { isDeepStrictEqual } from 'node:util'
import type fc from 'fast-check'
import { choicesOf } from '../forms.ts'
import { type Endpoint, shapeOf, shapeOfSuccess } from '../interface.ts'
import { type Exchange, identifierIn, type Session } from '../session.ts'
import { valuesOf } from '../values.ts'
import { type Body, holdDifference, innermost, isBody } from './differences.ts'
import { walk, withoutUse } from './pages.ts'

/**
 * Follows records through their lives, by the document's paths and the service's Location header fields: create, read,
 * find in the list, change, read again, delete, read in vain. Then shows of each property of a request that it matters.
 */
export async function probeSequences(session: Session, endpoints: readonly Endpoint[]) {
  for (const [parameter, maker] of session.contract.makers) {
    const own = lifeOf(session, parameter)
    if ([maker, ...own].some(endpoint => endpoints.includes(endpoint)))
      await session.attempt(() => live(session, parameter, maker))
  }
  for (const endpoint of endpoints)
    if (endpoint.mediaTypes.length > 0) await session.attempt(() => probeProperties(session, endpoint))
}

/** The operations on single records of a kind, wherever their paths are. */
const lifeOf = ({ contract }: Session, parameter: string) =>
  contract.endpoints.filter(({ record }) => record === parameter)

async function live(session: Session, parameter: string, maker: Endpoint): Promise<void> {
  const created = await taken(session, maker, () => session.draw(maker))
  if (!created) return
  const id = identifierIn(session.contract, parameter, created)
  session.hold(created, 'Location does not lead to the new record', id !== undefined)
  if (id === undefined) return
  const path = { [parameter]: id }
  const own = lifeOf(session, parameter)
  const itemPath = `${maker.path}/{${parameter}}`
  const reader = own.find(({ method, path }) => method === 'GET' && path === itemPath)
  if (reader) {
    const read = await readAt(session, reader, path)
    session.hold(read, 'the record read is not the one created', agrees(created.reply.body, read.reply.body))
    await findInList(session, maker, read, true)
  }
  for (const changer of own.filter(({ method }) => /^(PUT|PATCH)$/.test(method)))
    await change(session, changer, path)
  for (const endpoint of session.contract.endpoints.filter(({ path }) => path.startsWith(`${itemPath}/`))) {
    for (const choice of [undefined, ...choicesOf(session.drawing(endpoint), endpoint)]) {
      const draw = () => ({ ...session.draw(endpoint, choice?.override), path, header: {} })
      await taken(session, endpoint, draw)
      if (reader) await readAt(session, reader, path)
    }
  }
  const remover = own.find(({ method, path }) => method === 'DELETE' && path === itemPath)
  if (remover) await remove(session, parameter, remover, reader)
}

/** A deleted record is gone wherever it was to be seen. */
async function remove(
  session: Session,
  parameter: string,
  remover: Endpoint,
  reader: Endpoint | undefined,
): Promise<void> {
  const path = { [parameter]: (await session.make(parameter)).id }
  const read = reader && (await readAt(session, reader, path))
  const removed = await session.exchange(remover, { path })
  session.hold(removed, 'the record was not deleted', removed.reply.status === remover.success)
  for (const endpoint of lifeOf(session, parameter)) {
    const gone = await session.exchange(endpoint, { ...session.draw(endpoint, undefined, true), path })
    session.hold(gone, 'a deleted record does not answer 404', gone.reply.status === 404)
  }
  const maker = session.contract.makers.get(parameter)
  if (read && maker) await findInList(session, maker, read, false)
}

/** A request that is taken; undefined, and a fault, when there is none. */
async function taken(
  session: Session,
  endpoint: Endpoint,
  draw: () => ReturnType<Session['draw']>,
): Promise<Exchange | undefined> {
  const exchange = await session.taken(endpoint, draw)
  const isTaken = exchange.reply.status < 300
  session.hold(exchange, 'none of its requests succeeds', isTaken)
  return isTaken ? exchange : undefined
}

async function readAt(session: Session, reader: Endpoint, path: Body): Promise<Exchange> {
  const read = await session.exchange(reader, { path })
  session.hold(read, 'the record can’t be read', read.reply.status === reader.success)
  return read
}

/** Whether two representations of a record agree in what both of them have. */
function agrees(one: unknown, other: unknown): boolean {
  if (!isBody(one) || !isBody(other)) return false
  return Object.keys(other).every(name => !(name in one) || isDeepStrictEqual(one[name], other[name]))
}

async function findInList(
  session: Session,
  { path }: Endpoint,
  read: Exchange,
  isThere: boolean,
): Promise<void> {
  const list = session.contract.at('GET', path)
  if (!list) return
  const items = await walk(session, list, {})
  const record = isBody(read.reply.body) ? withoutUse(read.reply.body) : undefined
  const found = items.some(item => isDeepStrictEqual(item, record))
  const what = isThere ? 'does not list a record that is there' : 'lists a record that was deleted'
  session.holdOf(list, what, found === isThere, read)
}

/** A change replies with what is read from then on, in a new version; it is made to the version asked for only. */
async function change(session: Session, changer: Endpoint, path: Body): Promise<void> {
  const reader = session.contract.at('GET', changer.path)
  const before = reader && (await readAt(session, reader, path))
  if (changer.mediaTypes.includes('application/merge-patch+json')) {
    const nothing = await session.exchange(changer, { path, query: {}, header: {}, body: {} })
    const isSame = isDeepStrictEqual(nothing.reply.body, before?.reply.body)
    if (reader) session.hold(nothing, 'an empty patch (RFC 7396) changes something', isSame)
  }
  const draw = () => ({ ...session.draw(changer), path, header: {} })
  const changed = await taken(session, changer, draw)
  if (!changed || !reader || !before) return
  const after = await readAt(session, reader, path)
  const { body, headers } = after.reply
  session.hold(changed, 'a change is not what is read after it', isDeepStrictEqual(changed.reply.body, body))
  const isOther = !isDeepStrictEqual(before.reply.body, body)
  session.hold(
    after,
    'a change leaves the ETag as it was',
    !isOther || before.reply.headers.etag !== headers.etag,
  )
}

/** Shows of each property of a request's body that it matters. */
async function probeProperties(session: Session, endpoint: Endpoint): Promise<void> {
  const { model } = session.contract
  const { body = {} } = endpoint.request.properties
  const outer = shapeOf(model, body)
  const isList = outer.type === 'array'
  const shape = isList ? shapeOf(model, outer.items ?? {}) : outer
  for (const [name, schema] of Object.entries(shape.properties ?? {})) {
    const at = isList ? ['body', '0', name] : ['body', name]
    const values = valuesOf(session.drawing(endpoint), schema, at)
    const send = (value: fc.Arbitrary<unknown>, isPlain: boolean) =>
      taken(session, endpoint, () => ({
        ...session.draw(endpoint, { at, value }, isPlain),
        header: {},
      }))
    if (isShown(session, endpoint, name)) {
      const exchange = await send(values, false)
      if (!exchange) continue
      const [sent, shown] = [exchange.draft.body, exchange.reply.body].map(body => innermost(body)[name])
      session.hold(exchange, `the ${name} that was sent is not the one of the reply`, isSame(sent, shown))
    } else {
      const what = `the property ${name} of its body`
      await holdDifference(session, endpoint, what, value => send(value, true), values)
    }
  }
}

/** Whether an operation's reply has a property of this name. */
function isShown({ contract: { model } }: Session, endpoint: Endpoint, name: string): boolean {
  const outer = shapeOfSuccess(model, endpoint)
  const { properties = {} } = outer.items ? shapeOf(model, outer.items) : outer
  return name in properties
}

/** Whether a value came back as it was sent: instants in whatever zone, null as nothing. */
function isSame(sent: unknown, shown: unknown): boolean {
  const isInstant = typeof sent === 'string' && /^\d{4}-\d\d-\d\dT/.test(sent)
  if (isInstant) return new Date(sent).getTime() === new Date(String(shown)).getTime()
  return isDeepStrictEqual(sent ?? undefined, shown ?? undefined)
}
