import { isDeepStrictEqual } from 'node:util'
import { rateLimitsOf, textOf } from '../../../src/engine/extensions.ts'
import { showsSecret } from '../../../src/engine/facts.ts'
import { changesByItself, codeIn, codes, fields, body as limits } from '../conventions.ts'
import { formsOf } from '../forms.ts'
import { type Endpoint, simpleRead } from '../interface.ts'
import type { Report } from '../report.ts'
import type { WireRequest } from '../requests.ts'
import { type Exchange, issueAmpleKey, issueCustomKey, keyHeader, type Session } from '../session.ts'

/** How a request ended, as its caller can tell. */
const isTaken = ({ reply }: Exchange) => reply.status < 400 || reply.status === 404 || reply.status === 409

/** More characters than a URL may have, and fewer than all header fields together. */
const longUrl = 9_000

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

/** The least that a request must hold, of a kind that the service takes. */
const plainDraft = async (session: Session, endpoint: Endpoint) => (await session.taken(endpoint)).drawn

/** A refusal by the service itself must have this status, and its body this code. */
function holdRefusal(report: Report, exchange: Exchange, what: string, status: number, code: string): void {
  const { reply } = exchange
  const own = codeIn(reply.body)
  report.hold(
    exchange,
    `${what} is answered ${reply.status} ${own}, and not ${status} ${code}`,
    reply.status === status && own === code,
  )
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
    'a key of another form': 'key',
    'an unknown key': `pet_live_${'0'.repeat(36)}`,
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
  const left = ({ reply }: Exchange) =>
    [...(reply.headers.ratelimit ?? '').matchAll(/;r=(\d+)/g)].map(match => Number(match[1]))
  const isFree = endpoint.operation['x-quota-free'] === true
  const [before, after] = [left(first), left(second)]
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

async function probeLongUrl(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const { request, draft } = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const url = `${request.url}${request.url.includes('?') ? '&' : '?'}a=${'b'.repeat(longUrl)}`
  const long = await session.sendRaw(endpoint, { ...request, url }, draft)
  holdRefusal(report, long, 'too long a URL', 414, codes.tooLong)
}

async function probeBodies(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const { request, draft } = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const send = (body: string, type = request.headers['content-type'] ?? '') =>
    session.sendRaw(
      endpoint,
      { ...request, body, headers: { ...request.headers, 'content-type': type } },
      draft,
    )
  const body = request.body ?? ''
  holdRefusal(report, await send('{"'), 'a body that is no JSON', 400, codes.invalid)
  holdRefusal(report, await send(' '.repeat(limits.bytes + 1)), 'too large a body', 413, codes.tooLarge)
  for (const type of ['text/plain', 'application/x-unknown']) {
    const refused = await send(body, type)
    holdRefusal(report, refused, `a body as ${type}`, 415, codes.mediaType)
    const { [fields.acceptPatch]: accepted } = refused.reply.headers
    const names = new Set(accepted?.split(/,\s*/))
    report.hold(
      refused,
      `Accept-Patch names ${accepted}, and what is taken is ${endpoint.mediaTypes}`,
      endpoint.method !== 'PATCH' || isDeepStrictEqual(names, new Set(endpoint.mediaTypes)),
    )
  }
  for (const mediaType of endpoint.mediaTypes) {
    const exchange = await session.exchange(endpoint, await plainDraft(session, endpoint), { mediaType })
    report.hold(exchange, `a body as ${mediaType} is not taken`, isTaken(exchange))
  }
}

/** A request that is repeated with another secret of the same key: only what holds a secret is not shown to that one. */
async function probeOtherSecret(session: Session, endpoint: Endpoint, taken: Exchange, report: Report) {
  const { contract, world } = session
  const key = await issueAmpleKey(contract, world)
  const sendAs = (secret: string) => {
    const request = withKey(taken.request, `other-secret-of-${endpoint.id}`)
    const headers = { ...request.headers, ...keyHeader(contract, secret) }
    return session.sendRaw(endpoint, { ...request, headers }, taken.draft)
  }
  const first = await sendAs(key)
  const second = await sendAs(await world.renewSecret(key))
  if (showsSecret(session.contract.model, endpoint) && first.reply.status < 400)
    holdRefusal(report, second, 'a repetition with another secret', 422, codes.sealed)
  else
    report.hold(
      second,
      'a request that is repeated with another secret of its key is not answered as the first one was',
      second.reply.headers[fields.replayed] === 'true' &&
        second.reply.status === first.reply.status &&
        isDeepStrictEqual(second.reply.body, first.reply.body),
    )
}

/** draft-ietf-httpapi-idempotency-key-header: the same request once, another one never, two at once in turn. */
async function probeRetries(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const first = await session.taken(endpoint, undefined, attempt => ({
    headers: { 'idempotency-key': `retry-${attempt}-of-${endpoint.id}` },
  }))
  const headers = { 'idempotency-key': String(first.request.headers['idempotency-key']) }
  const second = await session.sendRaw(endpoint, first.request, first.draft)
  report.hold(
    second,
    'a repeated request is not answered as the first one was',
    second.reply.headers[fields.replayed] === 'true' &&
      second.reply.status === first.reply.status &&
      isDeepStrictEqual(second.reply.body, first.reply.body),
  )
  const other = await session.exchange(endpoint, await plainDraft(session, endpoint), { headers })
  holdRefusal(report, other, 'an Idempotency-Key with another payload', 422, codes.reused)

  await probeOthers(session, endpoint, first, report)
  await probeOtherSecret(session, endpoint, first, report)

  const edges = formsOf(session.drawing(endpoint), endpoint).filter(form => / its maximum$/.test(form.name))
  for (const [index, { override }] of [{ override: undefined }, ...edges].entries()) {
    const sent = await session.exchange(endpoint, session.draw(endpoint, override))
    const request = withKey(sent.request, `edge-${index}`)
    const once = await session.sendRaw(endpoint, request, sent.draft)
    report.hold(once, '', true)
    const twice = await session.sendRaw(endpoint, request, sent.draft)
    // What the rules of the business refuse is an answer like any other.
    const isDue = isTaken(once)
    const isSame =
      twice.reply.headers[fields.replayed] === 'true' &&
      twice.reply.status === once.reply.status &&
      isDeepStrictEqual(twice.reply.body, once.reply.body)
    report.hold(twice, 'a refusal that is repeated is not answered as the first one was', !isDue || isSame)
  }

  const waiting = withKey(first.request, `in-flight-of-${endpoint.id}`)
  const release = await session.world.holdQueries()
  const running = session.sendRaw(endpoint, waiting, first.draft)
  await new Promise(resolve => setTimeout(resolve, inFlightMs))
  const second2 = await session.sendRaw(endpoint, waiting, first.draft)
  await release()
  holdRefusal(report, second2, 'a request that is still running', 409, codes.running)
  report.hold(await running, 'a request that was held up is not taken', isTaken(await running))
}

/** An Idempotency-Key is one caller's own, and one operation's. */
async function probeOthers(session: Session, endpoint: Endpoint, first: Exchange, report: Report) {
  const { contract, world } = session
  const isReplayed = ({ reply }: Exchange) =>
    reply.headers[fields.replayed] !== undefined || reply.status === 422
  const headers = { ...first.request.headers, ...keyHeader(contract, await issueAmpleKey(contract, world)) }
  const other = await session.sendRaw(endpoint, { ...first.request, headers }, first.draft)
  report.hold(other, 'an Idempotency-Key of another caller counts', !isReplayed(other))
  const key = String(first.request.headers['idempotency-key'])
  for (const one of contract.endpoints) {
    const isAlike = one.parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
    if (one === endpoint || !isAlike) continue
    const elsewhere = await session.taken(one, undefined, () => ({ headers: { 'idempotency-key': key } }))
    report.hold(elsewhere, `an Idempotency-Key of ${endpoint.id} counts`, !isReplayed(elsewhere))
    return
  }
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

/** How long a request that is held up gets to reach its handler, in ms. */
const inFlightMs = 25

const withKey = (request: WireRequest, key: string): WireRequest => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': key },
})

/** RFC 9110, section 13.1.2. */
async function probeKnownContent(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const first = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const ask = (tag: string) =>
    session.sendRaw(
      endpoint,
      { ...first.request, headers: { ...first.request.headers, 'if-none-match': tag } },
      first.draft,
    )
  /** Of what changes by use, another one may be there by now. */
  const askKnown = async (tagsOf: (tag: string) => string) => {
    for (let attempt = 1; ; attempt++) {
      const { reply } = await session.sendRaw(endpoint, first.request, first.draft)
      const { etag = '' } = reply.headers
      const known = await ask(tagsOf(etag))
      if (known.reply.status === 304 || attempt === 2) return { known, etag }
    }
  }
  const { known, etag } = await askKnown(tag => tag)
  report.hold(
    known,
    'known content is not answered 304 with its ETag',
    known.reply.status === 304 && known.reply.headers.etag === etag,
  )
  const ways: Record<string, (tag: string) => string> = {
    'among others': tag => `"another", ${tag}`,
    'as a weak one': tag => (tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`),
    'by any': () => '*',
  }
  for (const [what, tagsOf] of Object.entries(ways)) {
    const { known: named } = await askKnown(tagsOf)
    report.hold(named, `content that is known ${what} is sent`, named.reply.status === 304)
  }
  const changed = await ask('"another"')
  report.hold(changed, 'content with another ETag is not sent', changed.reply.status === endpoint.success)
}

/** RFC 9110, section 13.1.1. */
async function probeVersions(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
  const { record = '', path } = endpoint
  const reader = session.contract.endpoints.find(other => other.method === 'GET' && other.path === path)
  if (!reader) return report.add(endpoint, 'no operation reads the version that If-Match asks for')
  const id = (await session.make(record)).id
  const read = await session.exchange(reader, { path: { [record]: id }, query: {}, header: {} })
  const draft = { ...(await plainDraft(session, endpoint)), path: { [record]: id } }
  const send = (tag: string) => session.exchange(endpoint, draft, { headers: { 'if-match': tag } })
  const present = async () => {
    const id = (await session.make(record)).id
    draft.path = { [record]: id }
    const { reply } = await session.exchange(reader, { path: draft.path, query: {}, header: {} })
    return reply.headers.etag ?? ''
  }
  holdRefusal(report, await send('"another"'), 'a change of another version', 412, codes.version)
  const tag = read.reply.headers.etag ?? ''
  // Strong comparison (RFC 9110, section 13.1.1).
  holdRefusal(report, await send(`W/${tag}`), 'a change of a weak version', 412, codes.version)
  const any = await send('*')
  report.hold(any, 'a change of any version is refused', isTaken(any))
  const some = await send(`"another", ${await present()}`)
  report.hold(some, 'a change of one of some versions is refused', isTaken(some))
  const current = await send(await present())
  report.hold(current, 'a change of the present version is refused', isTaken(current))
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
