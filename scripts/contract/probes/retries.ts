import { isDeepStrictEqual } from 'node:util'
import { showsSecret } from '../../document/facts.ts'
import { codes, fields } from '../conventions.ts'
import { formsOf } from '../forms.ts'
import { type Endpoint, shapeOf } from '../interface.ts'
import type { WireRequest } from '../requests.ts'
import { type Exchange, issueAmpleKey, keyHeader, type Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'

/** How long a request that is held up gets to reach its handler, in ms. */
const inFlightMs = 25

const withKey = (request: WireRequest, key: string): WireRequest => ({
  ...request,
  headers: { ...request.headers, [fields.retryKey]: key },
})

/** Whether a reply is the one that its request had before, and says so. */
const isRepeated = ({ reply }: Exchange, { reply: before }: Exchange) =>
  reply.headers[fields.replayed] === 'true' &&
  reply.status === before.status &&
  isDeepStrictEqual(reply.body, before.body)

/** A request that is repeated with another secret of the same key: only what holds a secret is not shown to that one. */
async function probeOtherSecret(session: Session, endpoint: Endpoint, taken: Exchange) {
  const { contract, world } = session
  const key = await issueAmpleKey(contract, world)
  const sendAs = (secret: string) => {
    const request = withKey(taken.request, `other-secret-of-${endpoint.id}`)
    const headers = { ...request.headers, ...keyHeader(contract, secret) }
    return session.sendRaw(endpoint, { ...request, headers }, taken.draft)
  }
  const first = await sendAs(key)
  const second = await sendAs(await session.keys.renew(key))
  if (showsSecret(session.contract.model, endpoint) && first.reply.status < 400)
    holdRefusal(session, second, 'a repetition with another secret', 422, codes.sealed)
  else
    session.hold(
      second,
      'a request that is repeated with another secret of its key is not answered as the first one was',
      isRepeated(second, first),
    )
}

/** draft-ietf-httpapi-idempotency-key-header: the same request once, another one never, two at once in turn. */
export async function probeRetries(session: Session, endpoint: Endpoint): Promise<void> {
  const first = await session.taken(endpoint, undefined, attempt => ({
    headers: { [fields.retryKey]: `retry-${attempt}-of-${endpoint.id}` },
  }))
  const headers = { [fields.retryKey]: String(first.request.headers[fields.retryKey]) }
  const second = await session.sendRaw(endpoint, first.request, first.draft)
  const isMarked = second.reply.headers[fields.replayed] === 'true'
  session.hold(second, `a repeated request is answered without ${fields.replayed}: true`, isMarked)
  const isSame = isRepeated(second, first)
  const what = `a repeated request is not answered as the first one was: ${first.reply.status} ${first.reply.text}`
  session.hold(second, what, isSame || !isMarked)
  const other = await session.exchange(endpoint, await plainDraft(session, endpoint), { headers })
  holdRefusal(session, other, 'an Idempotency-Key with another payload', 422, codes.reused)

  await probeOthers(session, endpoint, first)
  await probeOtherKeys(session, endpoint, first)
  await probeOtherRecord(session, endpoint, first)
  await probeOtherSecret(session, endpoint, first)

  const edges = formsOf(session.drawing(endpoint), endpoint).filter(form => / its maximum$/.test(form.name))
  for (const [index, { override }] of [{ override: undefined }, ...edges].entries()) {
    const sent = await session.exchange(endpoint, session.draw(endpoint, override))
    const request = withKey(sent.request, `edge-${index}`)
    const once = await session.sendRaw(endpoint, request, sent.draft)
    const twice = await session.sendRaw(endpoint, request, sent.draft)
    // What the rules of the business refuse is an answer like any other.
    const isDue = isTaken(once)
    const isSame = isRepeated(twice, once)
    session.hold(twice, 'a refusal that is repeated is not answered as the first one was', !isDue || isSame)
  }

  const waiting = withKey(first.request, `in-flight-of-${endpoint.id}`)
  const release = await session.database.hold()
  const running = session.sendRaw(endpoint, waiting, first.draft)
  await new Promise(resolve => setTimeout(resolve, inFlightMs))
  const second2 = await session.sendRaw(endpoint, waiting, first.draft)
  await release()
  holdRefusal(session, second2, 'a request that is still running', 409, codes.running)
  session.hold(await running, 'a request that was held up is not taken', isTaken(await running))
}

/** An Idempotency-Key is one caller's own, and one operation's. */
async function probeOthers(session: Session, endpoint: Endpoint, first: Exchange) {
  const { contract, world } = session
  const isReplayed = ({ reply }: Exchange) =>
    reply.headers[fields.replayed] !== undefined || reply.status === 422
  const headers = { ...first.request.headers, ...keyHeader(contract, await issueAmpleKey(contract, world)) }
  const other = await session.sendRaw(endpoint, { ...first.request, headers }, first.draft)
  session.hold(other, 'an Idempotency-Key of another caller counts', !isReplayed(other))
  const key = String(first.request.headers[fields.retryKey])
  for (const one of contract.endpoints) {
    const isAlike = one.parameters.some(({ name }) => name.toLowerCase() === fields.retryKey)
    if (one === endpoint || !isAlike) continue
    const elsewhere = await session.taken(one, undefined, () => ({ headers: { [fields.retryKey]: key } }))
    session.hold(elsewhere, `an Idempotency-Key of ${endpoint.id} counts`, !isReplayed(elsewhere))
    return
  }
}

/** Keys that differ at their very end, or in case, are not the same. */
async function probeOtherKeys(session: Session, endpoint: Endpoint, first: Exchange) {
  const declared = endpoint.parameters.find(({ name }) => name.toLowerCase() === fields.retryKey)
  const { maxLength = 100 } = shapeOf(session.contract.model, declared?.schema ?? {})
  const send = (end: string) =>
    session.sendRaw(endpoint, withKey(first.request, end.padStart(maxLength, 'long-')), first.draft)
  await send('a')
  for (const end of ['b', 'A']) {
    const other = await send(end)
    const isNew = other.reply.headers[fields.replayed] === undefined && other.reply.status !== 422
    session.hold(other, 'an Idempotency-Key that ends otherwise, or in another case, counts', isNew)
  }
}

/** The same body for another record is another payload. */
async function probeOtherRecord(session: Session, endpoint: Endpoint, first: Exchange) {
  const headers = { [fields.retryKey]: String(first.request.headers[fields.retryKey]) }
  for (const parameter of session.contract.makers.keys()) {
    if (!(parameter in first.draft.path)) continue
    const path = { ...first.draft.path, [parameter]: (await session.make(parameter)).id }
    const other = await session.exchange(endpoint, { ...first.draft, path }, { headers })
    holdRefusal(session, other, 'an Idempotency-Key with another record', 422, codes.reused)
  }
}
