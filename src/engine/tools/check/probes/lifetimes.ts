import type { Lifetimes } from 'spec-served-document/contract/extensions'
import { fields, health, usage } from '../../records/conventions.ts'
import { type Endpoint, secondsOf } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { isRepeated, takenWithKey } from './retries.ts'

const second = 1_000
const day = 86_400 * second

/** How many calls of a deprecated operation are sent at most. */
const mostCalls = 100

/** How long something lasts that the document gives a length, in ms. */
const lengthOf = ({ contract }: Session, name: keyof Lifetimes) =>
  (secondsOf(contract.model.document, name) ?? 0) * second

/** The operation that tells something of the service or its caller. */
const tellerOf = ({ contract }: Session, property: string) =>
  contract.endpoints.find(({ method, gives }) => method === 'GET' && property in (gives.properties ?? {}))

/** The same request with the same key is done once within the time, and again after it. */
export async function repliesAreKept(session: Session, endpoint: Endpoint): Promise<void> {
  const { clock } = session
  const end = clock.now().getTime() + lengthOf(session, 'idempotentReplies')
  const first = await takenWithKey(session, endpoint, 'kept')
  clock.set(new Date(end - second))
  await session.database.clean()
  const last = await session.again(first)
  session.hold(last, 'a reply is not kept for as long as the document says', isRepeated(last, first))
  clock.set(new Date(Math.max(end, clock.now().getTime())))
  const renewed = await session.again(first)
  const isNew = renewed.reply.headers[fields.replayed] === undefined
  session.hold(renewed, 'a reply is kept for longer than the document says', isNew)
  const again = await session.again(first)
  session.hold(again, 'a reply that was given again is not kept in its turn', isRepeated(again, renewed))
}

/** Calls of a deprecated operation are told for so long. They are counted by day, and may be told for the rest of a day. */
export async function probeDeprecatedCalls(session: Session): Promise<void> {
  const { clock, contract, costly } = session
  const length = lengthOf(session, 'deprecatedCalls')
  const old = contract.endpoints.find(({ sunset, secured }) => secured && sunset)
  const teller = tellerOf(session, usage.deprecated)
  if (!old?.sunset || !teller) return
  const key = await session.newKey()
  // A count that has a bound leads beyond it.
  const callShape = contract.shape(contract.shape(teller.gives.properties?.[usage.deprecated]).items)
  const { maximum } = contract.shape(callShape.properties?.[usage.use.calls])
  const calls = typeof maximum === 'number' && maximum < mostCalls ? maximum + 1 : 3
  // From the middle of a day, so that its edges are far.
  const begin = (Math.floor(clock.now().getTime() / day) + 1.5) * day
  clock.set(new Date(begin))
  if (old.sunset.getTime() <= begin + length) return
  const lastDay = old.sunset.toISOString().slice(0, 10)
  const hold = async (what: string, number: number) => {
    const exchange = await session.ask(teller, {}, { key })
    const due = number > 0 ? [{ operationId: old.id, calls: number, sunset: lastDay }] : []
    const list = recordIn(exchange.reply.body)[usage.deprecated]
    session.holdSame(exchange, `${usage.deprecated}, ${what},`, list, due)
  }
  await session.ask(costly, {}, { key })
  await hold('before a deprecated operation was called', 0)
  for (let call = 1; call <= calls; call++) {
    await session.ask(old, {}, { key })
    if (call !== calls - 1) await hold(`after ${call} calls of ${old.id}`, call) // two of them in a row
  }
  clock.set(new Date(begin + length - second))
  await session.database.clean()
  await hold('a second before their calls are too old', calls)
  clock.set(new Date(begin + length + day))
  await hold('a day after their calls are too old', 0)
}

/** Warnings of a health report: none earlier than promised, one from then on; by the text that names the operation. */
export async function probeWarnings(session: Session): Promise<void> {
  const { clock, contract } = session
  const length = lengthOf(session, 'sunsetWarnings')
  const teller = tellerOf(session, health.warnings)
  if (!teller) return
  const now = clock.now()
  for (const { id, sunset } of contract.endpoints) {
    const begin = Number(sunset) - length
    if (!sunset || begin < now.getTime()) continue
    for (const offset of [-second, 0]) {
      clock.set(new Date(begin + offset))
      const exchange = await session.ask(teller)
      const warnings = recordIn(exchange.reply.body)[health.warnings]
      const isWarned = Array.isArray(warnings) && warnings.some(text => String(text).includes(id))
      const when = offset < 0 ? 'a second before the time for it' : 'when it is time'
      session.hold(exchange, `${id} is ${isWarned ? '' : 'not '}warned of ${when}`, isWarned === offset >= 0)
    }
  }
  clock.set(now)
}
