import { isDeepStrictEqual } from 'node:util'
import { waysInto } from 'spec-served/internal/callers/security'
import { DatabaseUnavailable } from 'spec-served/internal/database/failures'
import { authorizationOf } from 'spec-served-document/model'
import { codes, fields, mockField, unknownCredentials } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import type { Draft } from '../../records/messages.ts'
import type { Secret } from '../keys.ts'
import { isTried } from '../sampling.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { lastingFields } from '../wire.ts'
import { leftBy, quotasFor } from './quotas.ts'

/** Header parameters whose effect is shown here, each by its standard. */
const shown = new Set<string>([fields.retryKey, 'if-match', 'if-none-match'])

/** Each header parameter is one whose effect some probe shows. */
export async function probeHeaders({ holdOf }: Session, endpoint: Endpoint) {
  for (const { in: place, name } of endpoint.parameters)
    if (place === 'header')
      holdOf(endpoint, `the header ${name} has no effect that is known here`, shown.has(name.toLowerCase()))
}

/** Callers without a key, with one that nobody was given, without the scope. */
export async function probeCallers(session: Session, endpoint: Endpoint): Promise<void> {
  const { secured, scope } = endpoint
  const { limits, scopes } = session.contract
  // Unauthenticated clients share an allowance, which comes back with the next window.
  const shortest = Math.min(...(limits?.windows ?? []).map(({ seconds }) => seconds))
  const { clock } = session.world.hands
  clock?.advance(1_000 * shortest)
  // Without a clock it takes long to come back: each wrong key is tried at one operation, of another scope each.
  const examples = scopes.map(name => session.contract.endpoints.find(other => other.scope === name))
  const isTriedHere = (index: number) => clock !== undefined || examples[index % examples.length] === endpoint
  const draft = await session.plain(endpoint)
  const send = (key: Secret | null) => session.exchange(endpoint, draft, { key })
  const { guided } = session.contract
  // Only beside a right credential is it known that another one is wrong. An open operation may refuse it, or not read it.
  const isKnown = guided || (secured && session.world.credentials.length > 0)
  const unknown = unknownCredentials.filter((_, index) => isKnown && (!guided || isTriedHere(index)))
  for (const key of [null, ...unknown]) {
    const exchange = await send(key)
    const what = key === null ? 'no key' : `the unknown key ${key}`
    if (key !== null && mockField in exchange.reply.headers)
      throw new LeftOut('needs more than a mock, which takes any credential')
    if (key === null || !guided || clock) await holdHead(session, exchange, what)
    if (secured) {
      session.holdRefusal(exchange, what, codes.unauthenticated)
      // A caller who is not known is refused by 401 (RFC 9110, section 15.5.2), where the document says no other status.
      const isOther =
        exchange.reply.status === 403 && endpoint.statuses.includes(401) && !endpoint.statuses.includes(403)
      session.hold(exchange, `${what} is answered 403, which is not declared, and 401 is`, guided || !isOther)
    } else if (key === null && guided) session.holdTaken(exchange, 'an open operation without a key')
    else if (key === null && exchange.reply.status === 401)
      session.hold(exchange, 'an operation that needs no credential asks for one', false)
  }
  await holdSchemeCase(session, endpoint, draft)
  if (scope === undefined || !guided) return
  const others = scopes.filter(other => other !== scope)
  const without = await send(await session.newKey(undefined, others))
  session.holdRefusal(without, `a key without the scope ${scope}`, codes.scope)
  await holdHead(session, without, `a key without the scope ${scope}`)
  session.holdTaken(await send(await session.newKey(undefined, [scope])), `a key with the scope ${scope}`)
}

/** The name of an authentication scheme is the same in any case (RFC 9110, section 11.1). */
async function holdSchemeCase(session: Session, endpoint: Endpoint, draft: Draft): Promise<void> {
  const ways = waysInto(session.contract.model, endpoint).flat()
  if (!ways.some(({ scheme }) => authorizationOf(scheme) !== undefined)) return
  const right = await session.exchange(endpoint, draft)
  const [written = '', ...rest] = (right.request.headers.authorization ?? '').split(' ')
  if (right.reply.status >= 400 || rest.length === 0) return
  const lower = written.toLowerCase()
  const other = await session.again(right, { headers: { authorization: [lower, ...rest].join(' ') } })
  const { status } = other.reply
  const what = `a credential as "${lower}" is answered ${status}, and as "${written}" it is let in`
  session.hold(other, what, status !== 401 && status !== 403)
}

/** Whom GET refuses, HEAD refuses (RFC 9110, section 9.3.2). */
async function holdHead(session: Session, read: Exchange, what: string): Promise<void> {
  if (read.endpoint.method !== 'GET' || (read.reply.status !== 401 && read.reply.status !== 403)) return
  const head = await session.glance(read, { method: 'HEAD' })
  const { status } = head.reply
  const isRefused = session.contract.guided ? status === read.reply.status : status >= 300
  session.hold(head, `HEAD with ${what} is answered ${status}, and GET ${read.reply.status}`, isRefused)
}

/** A request costs one of each window, or nothing where the document says so; without quota it is refused. */
export async function probeQuota(session: Session, endpoint: Endpoint): Promise<void> {
  const { isFree } = endpoint
  const draft = await session.plain(endpoint)
  const first = await session.exchange(endpoint, draft)
  const second = await session.again(first)
  const due = leftBy(first.reply).map(number => number - (isFree ? 0 : 1))
  const isRight = due.length > 0 && isDeepStrictEqual(leftBy(second.reply), due)
  session.hold(second, `a request costs other than ${isFree ? 0 : 1} of each window`, isRight)
  const key = await session.newKey(quotasFor(session.limits.windows, () => 1))
  if (isFree) await session.ask(session.costly, {}, { key })
  else await session.exchange(endpoint, draft, { key })
  const over = await session.exchange(endpoint, draft, { key })
  if (isFree) session.holdTaken(over, 'a request without cost, over the limit,')
  else session.holdRefusal(over, 'a request over the limit', codes.limited)
}

/** One character more than a URL may have is too long; so many are refused for what stands in them. */
export async function probeLongUrl(session: Session, endpoint: Endpoint): Promise<void> {
  const sent = await session.exchange(endpoint, await session.plain(endpoint))
  const { url } = sent.request
  const longest = session.contract.bounds.urlCharacters
  const begun = `${url}${url.includes('?') ? '&' : '?'}undeclared=`
  const send = (length: number) => session.again(sent, { url: begun.padEnd(length, 'b') })
  if (isTried(session, 'the longest URL', session.contract.endpoints.indexOf(endpoint)))
    session.holdRefusal(await send(longest), 'the longest URL', codes.invalid)
  session.holdRefusal(await send(longest + 1), 'too long a URL', codes.tooLong)
}

/** HEAD is GET without its content (RFC 9110, section 9.3.2). */
export async function probeHead(session: Session, endpoint: Endpoint): Promise<void> {
  const read = await session.exchange(endpoint, await session.plain(endpoint))
  const head = await session.glance(read, { method: 'HEAD' })
  const [due, found] = [read.reply, head.reply].map(reply => ({
    status: reply.status,
    headers: lastingFields(reply, ['content-length', 'transfer-encoding']),
  }))
  const isRight = head.reply.text === '' && isDeepStrictEqual(found, due)
  session.hold(head, `HEAD is not GET without its content, which is answered ${read.reply.status}`, isRight)
}

/** A fault and an outage of the database, where the caller is known and where it is not. */
export async function probeFailures(session: Session, endpoint: Endpoint): Promise<void> {
  const request = await session.exchange(endpoint, await session.plain(endpoint))
  const failures = new Map<Error, number>([
    [new Error('A fault put in by the check'), 500],
    [new DatabaseUnavailable('Cut by the check'), 503],
  ])
  for (const [error, due] of failures) {
    const otherKey = session.keyHeader(await session.newKey())
    session.database.fail(error)
    const exchanges = [await session.again(request), await session.again(request, { headers: otherKey })]
    session.database.fail(undefined)
    for (const exchange of exchanges) {
      const { status } = exchange.reply
      const isSilent = !exchange.reply.text.includes(error.message)
      const isRight = isSilent && (status >= 500 || status === endpoint.success)
      session.hold(exchange, `while the database fails it is answered ${status}`, isRight)
    }
    // A caller who was seen before may be known still.
    const unknown = endpoint.secured ? exchanges.slice(1) : exchanges
    const isTold = unknown.some(({ reply }) => reply.status === due)
    session.hold(exchanges[1] ?? request, 'a client whose key the service can’t check gets in', isTold)
  }
}
