import { isDeepStrictEqual } from 'node:util'
import { rateLimitsOf, textOf } from '../../../src/engine/extensions.ts'
import { changesByItself, codes, fields, unknownCredentials, urlLength } from '../conventions.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import { issueAmpleKey, issueCustomKey, keyHeader, type Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'
import { leftBy } from './quotas.ts'

/** Header parameters whose effect is shown here, each by its standard. */
const shown = new Set<string>([fields.retryKey, 'if-match', 'if-none-match'])

/** Each header parameter is one whose effect some probe shows. */
export async function probeHeaders(session: Session, endpoint: Endpoint) {
  for (const { in: place, name } of endpoint.parameters)
    if (place === 'header')
      session.holdOf(
        endpoint,
        `the header ${name} has no effect that is known here`,
        shown.has(name.toLowerCase()),
      )
}

/** Callers without a key, with one that nobody was given, without the scope. */
export async function probeCallers(session: Session, endpoint: Endpoint): Promise<void> {
  const { secured, operation } = endpoint
  const { endpoints, model } = session.contract
  const scopes = [
    ...new Set(endpoints.flatMap(({ operation }) => textOf(operation, 'x-required-scope') ?? [])),
  ]
  const windows = rateLimitsOf(model.document)?.windows ?? []
  // Strangers share an allowance, which comes back with the next window.
  session.world.hands.clock?.advance(1_000 * Math.min(...windows.map(({ seconds }) => seconds)))
  const strangers = {
    'no key': null,
    ...Object.fromEntries(unknownCredentials.map(text => [`the unknown key ${text}`, text])),
  }
  const draft = await plainDraft(session, endpoint)
  for (const [what, key] of Object.entries(strangers)) {
    const exchange = await session.exchange(endpoint, draft, { key })
    if (secured) holdRefusal(session, exchange, what, 401, codes.unauthenticated)
    else if (key === null) session.hold(exchange, 'an open operation asks for a key', isTaken(exchange))
  }
  const required = textOf(operation, 'x-required-scope')
  if (required === undefined) return
  const others = await issueAmpleKey(
    session.contract,
    session.world,
    scopes.filter(scope => scope !== required),
  )
  const without = await session.exchange(endpoint, draft, { key: others })
  holdRefusal(session, without, `a key without the scope ${required}`, 403, codes.scope)
  const own = await issueAmpleKey(session.contract, session.world, [required])
  const within = await session.exchange(endpoint, draft, { key: own })
  session.hold(within, `a key with the scope ${required} is refused`, isTaken(within))
}

/** A request costs one of each window, or nothing where the document says so; without quota it is refused. */
export async function probeQuota(session: Session, endpoint: Endpoint): Promise<void> {
  const draft = await plainDraft(session, endpoint)
  const first = await session.exchange(endpoint, draft)
  const second = await session.sendRaw(endpoint, first.request, first.draft)
  const isFree = endpoint.operation['x-quota-free'] === true
  const [before, after] = [leftBy(first.reply), leftBy(second.reply)]
  session.hold(
    second,
    `a request costs other than ${isFree ? 0 : 1} of each window`,
    before.length > 0 &&
      isDeepStrictEqual(
        before.map(number => number - (isFree ? 0 : 1)),
        after,
      ),
  )
  const key = await issueCustomKey(session.contract, session.world, { minute: 1, day: 1 })
  const costly = isFree ? simpleRead(session.contract, false) : endpoint
  if (!costly) return
  await session.exchange(costly, isFree ? session.draw(costly, undefined, true) : draft, { key })
  const over = await session.exchange(endpoint, draft, { key })
  if (isFree) session.hold(over, 'a request that is free is refused over the limit', isTaken(over))
  else holdRefusal(session, over, 'a request over the limit', 429, codes.limited)
}

/** One character more than a URL may have is too long; so many are refused for what stands in them. */
export async function probeLongUrl(session: Session, endpoint: Endpoint): Promise<void> {
  const { request, draft } = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const begun = `${request.url}${request.url.includes('?') ? '&' : '?'}undeclared=`
  const send = (length: number) =>
    session.sendRaw(endpoint, { ...request, url: begun.padEnd(length, 'b') }, draft)
  holdRefusal(session, await send(urlLength), 'the longest URL', 400, codes.invalid)
  holdRefusal(session, await send(urlLength + 1), 'too long a URL', 414, codes.tooLong)
}

/** HEAD is GET without its content (RFC 9110, section 9.3.2). */
export async function probeHead(session: Session, endpoint: Endpoint): Promise<void> {
  const read = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const request = { ...read.request, method: 'HEAD' }
  const reply = await session.world.send(request)
  const lasting = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(fields).filter(
        ([name]) => !/^(content-length|transfer-encoding)$/.test(name) && !changesByItself.test(name),
      ),
    )
  session.hold(
    { ...read, request, reply },
    `HEAD is not GET without its content, which is answered ${read.reply.status}`,
    reply.status === read.reply.status &&
      reply.text === '' &&
      isDeepStrictEqual(lasting(reply.headers), lasting(read.reply.headers)),
  )
}

/** A fault and an outage of the database, where the caller is known and where it is not. */
export async function probeFailures(session: Session, endpoint: Endpoint): Promise<void> {
  const { world, contract } = session
  const known = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const failures = [
    { error: new Error('A fault put in by the check'), status: 500 },
    { error: new Error('Connection terminated by the check'), status: 503 },
  ]
  for (const { error, status } of failures) {
    const unknown = keyHeader(contract, await issueAmpleKey(contract, world))
    session.database.fail(error)
    const stranger = { ...known.request, headers: { ...known.request.headers, ...unknown } }
    const exchanges = [
      await session.sendRaw(endpoint, known.request, known.draft),
      await session.sendRaw(endpoint, stranger, known.draft),
    ]
    session.database.fail(undefined)
    for (const exchange of exchanges)
      session.hold(
        exchange,
        `while the database fails it is answered ${exchange.reply.status}`,
        exchange.reply.status >= 500 || exchange.reply.status === endpoint.success,
      )
    session.hold(
      exchanges[1] ?? known,
      'a caller who can’t be identified is let in',
      exchanges.some(({ reply }) => reply.status === status),
    )
  }
}
