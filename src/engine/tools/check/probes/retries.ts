import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from 'spec-served-document/pointer'
import { showsSecret } from 'spec-served-document/reading/facts'
import { codes, fields } from '../../records/conventions.ts'
import { type Endpoint, takesField } from '../../records/interface.ts'
import { longestOf, maximumOverrides } from '../forms.ts'
import { isTaken } from '../holding.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { issue, livesOf, overlapsOf, replace } from './issuing.ts'

/** How long a request that is held up gets to reach its handler, in ms. */
const inFlightMs = 25

const withKey = (key: string) => ({ headers: { [fields.retryKey]: key } })
const keyOf = ({ request }: Exchange) => String(request.headers[fields.retryKey])

/** A request with an Idempotency-Key that is taken. @param key the beginning of the key */
export const takenWithKey = (session: Session, endpoint: Endpoint, key: string) =>
  session.taken(endpoint, undefined, attempt => withKey(`${key}-${attempt}-of-${endpoint.id}`))

/** Whether a reply is the one that its request had before, and says so. */
export const isRepeated = ({ reply }: Exchange, { reply: before }: Exchange) =>
  reply.headers[fields.replayed] === 'true' &&
  reply.status === before.status &&
  isDeepStrictEqual(reply.body, before.body)

/** Whether a request was answered by itself: no record is made by two. */
function isNew(exchange: Exchange, earlier: Exchange): boolean {
  const { status, headers } = exchange.reply
  const id = identifierIn(exchange)
  const isSame = id !== undefined && exchange.endpoint === earlier.endpoint && id === identifierIn(earlier)
  return headers[fields.replayed] === undefined && status !== 422 && !isSame
}

/** draft-ietf-httpapi-idempotency-key-header: the same request once, another one never, two at once in turn. */
export async function probeRetries(session: Session, endpoint: Endpoint): Promise<void> {
  const first = await takenWithKey(session, endpoint, 'retry')
  const { status, text } = first.reply
  const what = `a repeated request is not answered as the first one was, and marked: ${status} ${text}`
  const second = await session.again(first)
  session.hold(second, what, isRepeated(second, first))
  const other = await session.exchange(endpoint, await session.plain(endpoint), withKey(keyOf(first)))
  session.holdRefusal(other, 'an Idempotency-Key with another payload', codes.reused)

  await probeLong(session, endpoint)
  await probeOthers(session, endpoint, first)
  await probeOtherKeys(session, endpoint, first)
  await probeOtherRecord(session, endpoint, first)
  await probeOtherSecret(session, endpoint, first)

  for (const [index, override] of [
    undefined,
    ...maximumOverrides(session.drawing(endpoint), endpoint),
  ].entries()) {
    const sent = await session.exchange(endpoint, session.draw(endpoint, override))
    const once = await session.again(sent, withKey(`edge-${index}`))
    const twice = await session.again(once)
    // A refusal by a rule of the business is replayed like any other reply.
    const isSame = isRepeated(twice, once)
    session.hold(twice, 'a refusal is not repeated as the first one was', !isTaken(once) || isSame)
  }

  const waiting = withKey(`in-flight-of-${endpoint.id}`)
  const release = await session.database.hold()
  const running = session.again(first, waiting)
  await sleep(inFlightMs)
  const meanwhile = await session.again(first, waiting)
  await release()
  session.holdRefusal(meanwhile, 'a request that is still running', codes.running)
  session.holdTaken(await running, 'a request that was held up')
}

/** A payload that differs from the first at the end of its longest part is another one. */
async function probeLong(session: Session, endpoint: Endpoint) {
  for (const [index, override] of longestOf(session.drawing(endpoint), endpoint).entries()) {
    const sending = withKey(`long-${index}-of-${endpoint.id}`)
    const sent = await session.exchange(endpoint, session.least(endpoint, undefined, override), sending)
    if (sent.reply.status >= 400) continue
    const { body, ...parts } = sent.draft
    const other = await session.exchange(endpoint, { ...parts, body: endingOtherwise(body) }, sending)
    // The other payload need not be valid.
    if (other.reply.status !== 400)
      session.holdRefusal(other, 'an Idempotency-Key with a payload that ends otherwise', codes.reused)
  }
}

const lengthOf = (value: unknown) => JSON.stringify(value).length

/** A value that differs at the end of its longest part. */
function endingOtherwise(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, -1) + (value.endsWith('x') ? 'y' : 'x')
  if (Array.isArray(value)) return value.slice(0, -1)
  if (!isObject(value)) return value
  const [longest = ''] = Object.keys(value).toSorted((a, b) => lengthOf(value[b]) - lengthOf(value[a]))
  return { ...value, [longest]: endingOtherwise(value[longest]) }
}

/** An Idempotency-Key is one caller's own, and one operation's. */
async function probeOthers(session: Session, endpoint: Endpoint, first: Exchange) {
  const other = await session.again(first, { headers: session.keyHeader(await session.newKey()) })
  session.hold(other, 'an Idempotency-Key of another caller counts', isNew(other, first))
  const otherEndpoint = session.contract.endpoints.find(
    candidate => candidate !== endpoint && takesField(candidate, fields.retryKey),
  )
  if (!otherEndpoint) return
  const plain = await session.plain(otherEndpoint)
  const elsewhere = await session.exchange(otherEndpoint, plain, withKey(keyOf(first)))
  session.hold(elsewhere, `an Idempotency-Key of ${endpoint.id} counts`, isNew(elsewhere, first))
}

/** Keys that differ at their very end, or in case, are not the same. */
async function probeOtherKeys(session: Session, endpoint: Endpoint, first: Exchange) {
  const declared = endpoint.parameters.find(({ name }) => name.toLowerCase() === fields.retryKey)
  const { maxLength = 100 } = session.contract.shape(declared?.schema)
  const send = (end: string) => session.again(first, withKey(end.padStart(maxLength, 'long-')))
  const before = await send('a')
  for (const end of ['b', 'A']) {
    const other = await send(end)
    const isOwn = isNew(other, before)
    session.hold(other, 'an Idempotency-Key that ends otherwise, or in another case, counts', isOwn)
  }
}

/** The same body for another record is another payload. */
async function probeOtherRecord(session: Session, endpoint: Endpoint, first: Exchange) {
  for (const parameter of session.contract.makers.keys()) {
    if (!(parameter in first.draft.path)) continue
    const path = { ...first.draft.path, [parameter]: (await session.make(parameter)).id }
    const other = await session.exchange(endpoint, { ...first.draft, path }, withKey(keyOf(first)))
    session.holdRefusal(other, 'an Idempotency-Key with another record', codes.reused)
  }
}

/** Repeats a request with another secret of the same key. Only replies with a secret are not replayed to that one. */
async function probeOtherSecret(session: Session, endpoint: Endpoint, taken: Exchange) {
  const [life] = livesOf(session)
  if (!life) return
  const issued = await issue(life)
  const [hours = 1] = overlapsOf(life)
  const renewed = await replace(life, issued, hours)
  const sendAs = (secret: string) => {
    const { headers } = withKey(`other-secret-of-${endpoint.id}`)
    return session.again(taken, { headers: { ...headers, ...session.keyHeader(secret) } })
  }
  const [first, second] = [await sendAs(issued.secret), await sendAs(renewed)]
  if (showsSecret(session.contract.model, endpoint) && first.reply.status < 400)
    session.holdRefusal(second, 'a repetition with another secret', codes.sealed)
  else
    session.hold(
      second,
      'a repetition with another secret of its key is not the same',
      isRepeated(second, first),
    )
}
