import { isDeepStrictEqual } from 'node:util'
import { rateLimitsOf, textOf } from '../../../src/engine/extensions.ts'
import { changesByItself, codes, fields, unknownCredentials, urlLength } from '../conventions.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import type { Report } from '../report.ts'
import { issueAmpleKey, issueCustomKey, keyHeader, type Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'
import { probeBodies } from './bodies.ts'
import { probeKnownContent, probeVersions } from './preconditions.ts'
import { leftBy } from './quotas.ts'
import { probeRetries } from './retries.ts'

/** Header parameters whose effect is shown here, each by its standard. */
const shown = new Set<string>([fields.retryKey, 'if-match', 'if-none-match'])

/**
 * Puts each operation in the conditions that HTTP and the document foresee for all of them: callers without a key or
 * scope, bodies that can't be read, repeated and conditional requests, a service whose database fails.
 */
export async function probeConditions(session: Session, endpoints: readonly Endpoint[], report: Report) {
  const { contract, world } = session
  const scopes = [
    ...new Set(contract.endpoints.flatMap(({ operation }) => textOf(operation, 'x-required-scope') ?? [])),
  ]
  const windows = rateLimitsOf(contract.model.document)?.windows ?? []
  for (const endpoint of endpoints) {
    // Strangers share an allowance, which comes back with the next window.
    world.clock.advance(1_000 * Math.min(...windows.map(({ seconds }) => seconds)))
    await probeCallers(session, endpoint, scopes, report)
    await probeQuota(session, endpoint, report)
    await probeLongUrl(session, endpoint, report)
    if (endpoint.mediaTypes.length > 0) await probeBodies(session, endpoint, report)
    for (const parameter of endpoint.parameters.filter(({ in: place }) => place === 'header')) {
      const name = parameter.name.toLowerCase()
      if (name === fields.retryKey) await probeRetries(session, endpoint, report)
      if (name === 'if-none-match') await probeKnownContent(session, endpoint, report)
      if (name === 'if-match') await probeVersions(session, endpoint, report)
      if (!shown.has(name))
        report.add(endpoint, `the header ${parameter.name} has no effect that is known here`)
    }
    if (endpoint.method === 'GET') await probeHead(session, endpoint, report)
    await probeFailures(session, endpoint, report)
  }
}

async function probeCallers(
  session: Session,
  endpoint: Endpoint,
  scopes: readonly string[],
  report: Report,
): Promise<void> {
  const { secured, operation } = endpoint
  const strangers = {
    'no key': null,
    ...Object.fromEntries(unknownCredentials.map(text => [`the unknown key ${text}`, text])),
  }
  const draft = await plainDraft(session, endpoint)
  for (const [what, key] of Object.entries(strangers)) {
    const exchange = await session.exchange(endpoint, draft, { key })
    if (secured) holdRefusal(report, exchange, what, 401, codes.unauthenticated)
    else if (key === null) report.hold(exchange, 'an open operation asks for a key', isTaken(exchange))
  }
  const required = textOf(operation, 'x-required-scope')
  if (required === undefined) return
  const others = await issueAmpleKey(
    session.contract,
    session.world,
    scopes.filter(scope => scope !== required),
  )
  const without = await session.exchange(endpoint, draft, { key: others })
  holdRefusal(report, without, `a key without the scope ${required}`, 403, codes.scope)
  const own = await issueAmpleKey(session.contract, session.world, [required])
  const within = await session.exchange(endpoint, draft, { key: own })
  report.hold(within, `a key with the scope ${required} is refused`, isTaken(within))
}

/** A request costs one of each window, or nothing where the document says so; without quota it is refused. */
async function probeQuota(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const draft = await plainDraft(session, endpoint)
  const first = await session.exchange(endpoint, draft)
  const second = await session.sendRaw(endpoint, first.request, first.draft)
  const isFree = endpoint.operation['x-quota-free'] === true
  const [before, after] = [leftBy(first.reply), leftBy(second.reply)]
  report.hold(
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
  if (isFree) report.hold(over, 'a request that is free is refused over the limit', isTaken(over))
  else holdRefusal(report, over, 'a request over the limit', 429, codes.limited)
}

/** One character more than a URL may have is too long; so many are refused for what stands in them. */
async function probeLongUrl(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const { request, draft } = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const begun = `${request.url}${request.url.includes('?') ? '&' : '?'}undeclared=`
  const send = (length: number) =>
    session.sendRaw(endpoint, { ...request, url: begun.padEnd(length, 'b') }, draft)
  holdRefusal(report, await send(urlLength), 'the longest URL', 400, codes.invalid)
  holdRefusal(report, await send(urlLength + 1), 'too long a URL', 414, codes.tooLong)
}

/** HEAD is GET without its content (RFC 9110, section 9.3.2). */
async function probeHead(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const read = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const { status, headers, text } = await session.world.send({ ...read.request, method: 'HEAD' })
  const lasting = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(fields).filter(([name]) => name !== 'content-length' && !changesByItself.test(name)),
    )
  report.hold(
    read,
    'HEAD is not GET without its content',
    status === read.reply.status &&
      text === '' &&
      isDeepStrictEqual(lasting(headers), lasting(read.reply.headers)),
  )
}

/** A fault and an outage of the database, where the caller is known and where it is not. */
async function probeFailures(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const { world, contract } = session
  const known = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const failures = [
    { error: new Error('A fault put in by the check'), status: 500 },
    { error: new Error('Connection terminated by the check'), status: 503 },
  ]
  for (const { error, status } of failures) {
    const unknown = keyHeader(contract, await issueAmpleKey(contract, world))
    world.failQueries(error)
    const stranger = { ...known.request, headers: { ...known.request.headers, ...unknown } }
    const exchanges = [
      await session.sendRaw(endpoint, known.request, known.draft),
      await session.sendRaw(endpoint, stranger, known.draft),
    ]
    world.failQueries(undefined)
    for (const exchange of exchanges)
      report.hold(
        exchange,
        `while the database fails it is answered ${exchange.reply.status}`,
        exchange.reply.status >= 500 || exchange.reply.status === endpoint.success,
      )
    report.hold(
      exchanges[1] ?? known,
      'a caller who can’t be identified is let in',
      exchanges.some(({ reply }) => reply.status === status),
    )
  }
}
