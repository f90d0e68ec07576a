import { isDeepStrictEqual } from 'node:util'
import { lifetimesOf, textOf } from '../../../src/engine/extensions.ts'
import { fields, health, usage } from '../conventions.ts'
import { type Endpoint, shapeOfSuccess, simpleRead } from '../interface.ts'
import { type Exchange, issueAmpleKey, type Session } from '../session.ts'
import { isBody } from './differences.ts'

const second = 1_000
const day = 86_400 * second

/** The same request with the same key is done once within the time, and anew after it. */
export async function repliesAreKept(session: Session, endpoint: Endpoint): Promise<void> {
  const { contract } = session
  const { idempotentReplies: length } = lifetimesOf(contract.model.document)
  if (length === undefined) return
  const key = `kept-for-${endpoint.id}`
  const begin = session.clock.now().getTime()
  const first = await session.taken(endpoint, undefined, attempt => ({
    headers: { [fields.retryKey]: `${key}-${attempt}` },
  }))
  const isReplayed = ({ reply }: Exchange) =>
    reply.headers[fields.replayed] === 'true' &&
    reply.status === first.reply.status &&
    isDeepStrictEqual(reply.body, first.reply.body)
  session.clock.set(new Date(begin + length * second - second))
  await session.database.clean()
  const last = await session.sendRaw(endpoint, first.request, first.draft)
  session.hold(last, `a reply is not kept for ${length} seconds`, isReplayed(last))
  session.clock.set(new Date(Math.max(begin + length * second, session.clock.now().getTime())))
  const anew = await session.sendRaw(endpoint, first.request, first.draft)
  session.hold(
    anew,
    `a reply is kept for more than ${length} seconds`,
    anew.reply.headers[fields.replayed] === undefined,
  )
  const again = await session.sendRaw(endpoint, first.request, first.draft)
  session.hold(
    again,
    'a reply that was given anew is not kept in its turn',
    again.reply.headers[fields.replayed] === 'true' && isDeepStrictEqual(again.reply.body, anew.reply.body),
  )
}

/** Calls of what is deprecated are told until their day is so long ago. */
export async function callsAreTold(session: Session): Promise<void> {
  const { contract, world } = session
  const { deprecatedCalls: length } = lifetimesOf(contract.model.document)
  const old = contract.endpoints.find(({ operation, secured }) => secured && operation.deprecated)
  const read = simpleRead(contract, false)
  const endpoint = contract.endpoints.find(
    one => one.method === 'GET' && usage.deprecated in (shapeOfSuccess(contract.model, one).properties ?? {}),
  )
  if (!old || !read || !endpoint || length === undefined) return
  const key = await issueAmpleKey(contract, world)
  const calls = 2
  // From the middle of a day, so that its edges are far.
  session.clock.set(new Date((Math.floor(session.clock.now().getTime() / day) + 1.5) * day))
  const begin = session.clock.now().getTime()
  const sunset = textOf(old.operation, 'x-deprecated-sunset') ?? ''
  if (Date.parse(sunset) <= begin + length * second) return
  const told = async (what: string, number: number) => {
    const exchange = await session.exchange(endpoint, session.draw(endpoint, undefined, true), { key })
    const { reply } = exchange
    const due = number > 0 ? [{ operationId: old.id, calls: number, sunset }] : []
    const list = isBody(reply.body) ? reply.body[usage.deprecated] : undefined
    session.hold(
      exchange,
      `${what}, ${usage.deprecated} is ${JSON.stringify(list)}, and not ${JSON.stringify(due)}`,
      isDeepStrictEqual(list, due),
    )
  }
  await session.exchange(read, session.draw(read, undefined, true), { key })
  await told('before a deprecated operation was called', 0)
  for (let call = 1; call <= calls; call++) {
    await session.exchange(old, session.draw(old, undefined, true), { key })
    await told(`after ${call} calls of ${old.id}`, call)
  }
  session.clock.set(new Date(begin + length * second - day))
  await session.database.clean()
  await told('on the last day on which calls are told', calls)
  session.clock.set(new Date(begin + length * second))
  await told('on the first day on which calls are not told any more', 0)
}

/** Warnings of a health report: none earlier than promised, one from then on; by the text that names the operation. */
export async function probeWarnings(session: Session): Promise<void> {
  const { contract } = session
  const { sunsetWarnings: length } = lifetimesOf(contract.model.document)
  const [teller] = contract.endpoints.filter(
    endpoint => health.warnings in (shapeOfSuccess(contract.model, endpoint).properties ?? {}),
  )
  if (length === undefined || !teller) return
  const begin = session.clock.now()
  for (const { id, operation } of contract.endpoints) {
    const sunset = Date.parse(`${textOf(operation, 'x-deprecated-sunset')}T00:00:00Z`)
    if (!operation.deprecated || Number.isNaN(sunset) || sunset - length * second < begin.getTime()) continue
    for (const [offset, due] of [
      [-second, false],
      [0, true],
    ] as const) {
      session.clock.set(new Date(sunset - length * second + offset))
      const exchange = await session.exchange(teller, session.draw(teller, undefined, true))
      const { body } = exchange.reply
      const warnings = isBody(body) ? body[health.warnings] : undefined
      const isWarned = Array.isArray(warnings) && warnings.some(text => String(text).includes(id))
      const when = `${due ? 'from' : 'a second before'} ${length} seconds before its sunset on`
      session.hold(exchange, `${id} is ${isWarned ? '' : 'not '}warned of ${when}`, isWarned === due)
    }
  }
  session.clock.set(begin)
}
