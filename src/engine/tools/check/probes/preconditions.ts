import { isDeepStrictEqual } from 'node:util'
import { responseFor } from 'spec-served-document/model'
import { codes, parameters } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import { type Body, type Draft, recordIn } from '../../records/messages.ts'
import { withoutUse } from '../invariants/versions.ts'
import { isTried } from '../sampling.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { lastingFields } from '../wire.ts'
import { addersOf, wholeFor } from './consequences.ts'

/** The number of changes after which a version has two digits; fewer where another operation has shown that. */
const changes = { first: 10, later: 2 }
/** How many records are tried to find one on which what is looked at can be done. */
const attempts = 12
/** How many requests are sent at once, and how often. */
const atOnce = 4
const rounds = { own: 10, running: 2 }

/** Versions that no record has. Some are larger numbers than a column holds. Not 0, with which versions may begin. */
const strangeTags = ['"another"', ...[-1, 2 ** 31, 2 ** 32, 2 ** 63].map(number => `"${BigInt(number)}"`)]

const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } })

/** RFC 9110, section 13.1.2. */
export async function probeKnownContent(session: Session, endpoints: readonly Endpoint[]): Promise<void> {
  const taken: Exchange[] = []
  await session.eachAtOnce(endpoints, endpoint =>
    session.attempt(async () => void taken.push(await session.taken(endpoint))),
  )
  // Nothing is written while all are read.
  await session.eachAtOnce(taken, read => session.attempt(() => askForKnown(session, read)))
}

async function askForKnown(session: Session, { endpoint, draft: plain }: Exchange): Promise<void> {
  await holdFields(session, await session.exchange(endpoint, plain))
  const hasPages = endpoint.parameters.some(({ name }) => name === parameters.limit)
  if (hasPages)
    await holdFields(
      session,
      await session.exchange(endpoint, { ...plain, query: { ...plain.query, limit: 1 } }),
    )
  const first = await session.exchange(endpoint, plain)
  const ask = (tag: string) => session.again(first, { headers: { 'if-none-match': tag } })
  const ways: Record<string, (tag: string) => string> = {
    alone: tag => tag,
    'among others': tag => `"another", ${tag}`,
    'as a weak one': tag => (tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`),
    'by any': () => '*',
  }
  for (const [what, tagsOf] of Object.entries(ways)) {
    // A record that changes by use may have another ETag by now.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { etag = '' } = (await session.again(first)).reply.headers
      const conditional = await ask(tagsOf(etag))
      if (conditional.reply.status !== 304 && attempt === 1) continue
      session.holdStatus(conditional, `content that is known ${what}`, 304)
      session.holdSame(conditional, 'the ETag of a 304', conditional.reply.headers.etag, etag)
      // An operation of its own says itself which conditions it knows.
      if (session.contract.endpointFor('HEAD', endpoint.path)) break
      const change = { method: 'HEAD', headers: { 'if-none-match': tagsOf(etag) } }
      const { status } = (await session.glance(first, change)).reply
      const isRight = status === 304 || (await ask(tagsOf(etag))).reply.status !== 304
      session.hold(conditional, `HEAD of content that is known ${what} is answered ${status}`, isRight)
      break
    }
  }
  session.holdStatus(await ask('"another"'), 'content with another ETag')
}

/** A 304 has the header fields of the 200 that its response declares (RFC 9110, section 15.4.5). */
async function holdFields(session: Session, read: Exchange) {
  const { etag = '', ...others } = lastingFields(read.reply, [])
  const conditional = await session.again(read, { headers: { 'if-none-match': etag } })
  if (conditional.reply.status !== 304) return
  for (const name of Object.keys(responseFor(read.endpoint, 304)?.headers ?? {}).map(item =>
    item.toLowerCase(),
  ))
    if (name in others)
      session.holdSame(
        conditional,
        `the header ${name} of a 304`,
        conditional.reply.headers[name],
        others[name],
      )
}

/** A record, and what is done to it under its versions. */
type Versioned = Awaited<ReturnType<typeof makeVersioned>>

/** Makes a record that an operation may change. @param reader reads its version @param draw makes a request for it */
async function makeVersioned(
  session: Session,
  endpoint: Endpoint,
  reader: Endpoint,
  draw = (): Draft => session.least(endpoint),
) {
  const { id } = await session.make(endpoint.record ?? '')
  const [changer] = changersAt(session, endpoint.path)
  const record = {
    id,
    tag: async () => (await session.on(reader, id)).reply.headers.etag ?? '',
    send: (tag: string, draft: Draft = draw()) => session.on(endpoint, id, draft, ifMatch(tag)),
    /** Changes it in any way, where there is one. */
    async change(sending = {}) {
      if (!changer || session.contract.guided)
        return changer && session.on(changer, id, session.draw(changer), sending)
      // A service of others may have rules that a request breaks, and ask for the version.
      for (let attempt = 1; ; attempt++) {
        const draft = session.inTurns(changer, attempt)
        const sent = await session.on(changer, id, draft, ifMatch(await record.tag()))
        if (sent.reply.status < 300 || attempt === attempts) return sent
      }
    },
  }
  return record
}

/** A request that the service takes, of a record that has the version it names. @throws LeftOut */
async function drawTaken(session: Session, endpoint: Endpoint, reader: Endpoint): Promise<Draft> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const record = await makeVersioned(session, endpoint, reader)
    const draft = session.inTurns(endpoint, attempt)
    if ((await record.send(await record.tag(), draft)).reply.status < 300) return draft
  }
  throw new LeftOut(`${endpoint.id} takes no request that is drawn for it`)
}

const changersAt = ({ contract }: Session, path: string) =>
  contract.endpoints.filter(other => other.path === path && /^(PUT|PATCH)$/.test(other.method))

/** RFC 9110, section 13.1.1. */
export async function probeVersions(session: Session, endpoint: Endpoint): Promise<void> {
  const reader = session.contract.endpointFor('GET', endpoint.path)
  if (!reader) {
    const what = 'no operation reads the version that If-Match asks for'
    if (session.contract.guided) return session.add(endpoint, what)
    throw new LeftOut(`${endpoint.id}: ${what}`)
  }
  const draft = session.contract.guided ? undefined : await drawTaken(session, endpoint, reader)
  const make = () => makeVersioned(session, endpoint, reader, draft && (() => draft))
  const refuse = async (what: string, record: Versioned, tag: string) =>
    session.holdRefusal(await record.send(tag), `a change of ${what}`, codes.version)
  const [first, second, third] = [await make(), await make(), await make()]
  for (const [index, other] of strangeTags.entries())
    if (isTried(session, `the version ${other}`, index)) await refuse('another version', first, other)
  // Strong comparison (RFC 9110, section 13.1.1).
  await refuse('a weak version', first, `W/${await first.tag()}`)
  session.holdTaken(await first.send('*'), 'a change of any version')
  if (session.contract.guided || takesSeveral(endpoint))
    session.holdTaken(
      await second.send(`"another", ${await second.tag()}`),
      'a change of one of some versions',
    )
  session.holdTaken(await third.send(await third.tag()), 'a change of the present version')
  const aged = await make()
  const before = await age(session, aged)
  if (before !== undefined) await refuse('the version before', aged, before)
  const last = await aged.send(await aged.tag())
  session.hold(last, 'the present version is refused', last.reply.status !== codes.version.status)
  await probeStale(session, endpoint, make)
  if (!session.contract.guided) await changeEach(session, endpoint, reader)
  // A version belongs to one URL. The version of the same record at another URL does not count.
  const others = session.contract.readers(endpoint.record).filter(candidate => candidate !== reader)
  if (others.length === 0 && session.contract.guided) {
    const foreign = await foreignVersion(session, endpoint)
    const record = await make()
    if (foreign !== undefined && foreign !== (await record.tag()))
      await refuse('a version of a record of another kind', record, foreign)
  }
  for (const other of others)
    for (const { path } of [other, reader]) {
      const record = await make()
      for (const changer of changersAt(session, path))
        await session.on(changer, record.id, session.draw(changer))
      const { etag: strange } = (await session.on(other, record.id)).reply.headers
      if (strange !== undefined && strange !== (await record.tag()))
        await refuse(`the version that GET ${other.path} has`, record, strange)
    }
}

/** Whether an operation's text speaks of several versions: many services compare the field as a whole, and say nothing of it. */
const takesSeveral = ({ operation, parameters: declared }: Endpoint) =>
  [operation.description, ...declared.map(({ description }) => description)].some(text =>
    /\b(list|several|more than one|any|one) of (\w+ )?(e?tags|versions|them)\b/i.test(text ?? ''),
  )

/**
 * Changes one property of a record after the other. The session's invariants hold the versions, each of which stands for one
 * content.
 */
async function changeEach(session: Session, endpoint: Endpoint, reader: Endpoint): Promise<void> {
  const { record = '', takes, method } = endpoint
  const { id } = await session.make(record, session.simple)
  const change = async (body: Body) => {
    const { etag = '' } = (await session.on(reader, id)).reply.headers
    const draft = { ...session.simple(endpoint), body }
    return (await session.on(endpoint, id, draft, ifMatch(etag))).reply.status < 300
  }
  const whole = await firstTaken(session, endpoint, change)
  for (const name of Object.keys(takes.properties ?? {}).slice(0, mostProperties))
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { [name]: value } = recordIn(session.draw(endpoint, undefined, false, true).body)
      if (value === undefined || isDeepStrictEqual(value, whole[name])) continue
      if (!(await change({ ...(method === 'PUT' && whole), [name]: value }))) continue
      await session.on(reader, id)
      break
    }
  const kind = session.contract.kindOf(record)
  for (const adder of kind ? addersOf(session, kind) : [])
    await session.attempt(async () => {
      const added = kind && (await wholeFor(session, kind, adder, true))
      for (const step of [added?.read, added?.add, added?.read]) await step?.()
    })
}

/** The body of a request that is taken; that of the last one where none is. */
async function firstTaken(session: Session, endpoint: Endpoint, change: (body: Body) => Promise<boolean>) {
  for (let attempt = 1; ; attempt++) {
    const body = recordIn(session.simple(endpoint).body)
    if (attempt === attempts || (await change(body))) return body
  }
}

/** How many properties of a record are changed one by one. */
const mostProperties = 12

/** The version of a new record of another kind: the first, as that of any new one. */
async function foreignVersion(session: Session, { record }: Endpoint): Promise<string | undefined> {
  for (const { parameter, reader } of session.contract.kinds) {
    if (!reader || parameter === record) continue
    const { id } = await session.make(parameter)
    const { etag = 'W/' } = (await session.on(reader, id)).reply.headers
    if (!etag.startsWith('W/')) return etag
  }
  return undefined
}

/** However often a record was changed, its present version is let in. @returns the version before */
async function age(session: Session, record: Versioned): Promise<string | undefined> {
  let [before, present]: (string | undefined)[] = [undefined, await record.tag()]
  const count = isTried(session, 'an old version', 1) ? changes.first : changes.later
  for (let change = 0; change < count; change++) {
    const changed = await record.change(ifMatch(present ?? ''))
    if (!changed) return undefined
    const { status, headers } = changed.reply
    const what = `the present version ${present}, after ${change} changes, is refused`
    session.hold(changed, what, status !== codes.version.status)
    if (status < 300 && headers.etag !== present) [before, present] = [present, headers.etag]
  }
  return before
}

/** A version that a change has ended is refused where the same request with the present one is taken. */
async function probeStale(session: Session, endpoint: Endpoint, make: () => Promise<Versioned>) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const record = await make()
    const before = await record.tag()
    if (!(await record.change())) return
    const present = await record.tag()
    if (present === before) continue
    const draft = session.inTurns(endpoint, session.contract.guided ? 0 : attempt + 1)
    const [stale, fresh] = [await record.send(before, draft), await record.send(present, draft)]
    if (stale.reply.status >= 300 && fresh.reply.status >= 300) continue
    return session.holdRefusal(stale, 'what would be taken of the present version', codes.version)
  }
  const never = 'it is never taken of a record that has changed'
  if (!session.contract.guided) throw new LeftOut(`${endpoint.id}: ${never}`)
  session.holdOf(endpoint, never, false)
}

/**
 * Checks that one of several changes to the same version is accepted when they are sent at once, and that contents which
 * were made at once have versions of their own.
 */
export async function probeVersionsTogether(session: Session, endpoint: Endpoint): Promise<void> {
  const { path: url, record = '' } = endpoint
  const reader = session.contract.endpointFor('GET', url)
  if (!reader) return
  for (let round = 0; round < session.either(rounds); round++) await changeTogether(session, endpoint)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const path = session.pathOf(record, (await session.make(record)).id)
    const { etag = '' } = (await session.exchange(reader, { path })).reply.headers
    const draft = await session.placed({ ...session.draw(endpoint), path, header: {} })
    const same = Array.from({ length: atOnce }, () => ({ endpoint, draft }))
    const sent = await session.together(same, { 'if-match': etag })
    // Changes that change nothing leave the version as it is.
    const after = await session.exchange(reader, { path })
    if (after.reply.headers.etag === etag) continue
    for (const first of sent.slice(0, 1)) {
      const taken = sent.filter(({ reply }) => reply.status < 300).length
      session.hold(
        first,
        `of ${atOnce} changes of the version ${etag} at once ${taken} are taken`,
        taken === 1,
      )
    }
    return
  }
}

/** Changes a record by several requests at once, each of which makes something else of it. */
async function changeTogether(session: Session, endpoint: Endpoint): Promise<void> {
  const { record = '' } = endpoint
  const { id } = await session.make(record)
  const drawn = Array.from({ length: atOnce }, () => session.draw(endpoint))
  const drafts = await Promise.all(
    drawn.map(item => session.placed({ ...item, path: session.pathOf(record, id), header: {} })),
  )
  const contents = new Map<string, string>()
  for (const exchange of await session.together(drafts.map(draft => ({ endpoint, draft })))) {
    const { status, text, headers } = exchange.reply
    if (status >= 300 || !headers.etag || text === '') continue
    const what = `as it is changed by others at once, its ETag ${headers.etag} stands for two contents`
    const earlierText = contents.get(headers.etag) ?? text
    session.hold(exchange, what, withoutUse(earlierText) === withoutUse(text))
    contents.set(headers.etag, text)
  }
}
