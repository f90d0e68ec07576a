import { isDeepStrictEqual } from 'node:util'
import { codeIn, codes, compression } from '../../records/conventions.ts'
import { type Endpoint, takesField } from '../../records/interface.ts'
import { recordIn, type WireReply } from '../../records/messages.ts'
import { withoutUse } from '../invariants/versions.ts'
import { isTried } from '../sampling.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { inTurns } from '../turns.ts'
import { lastingFields } from '../wire.ts'
import { showsUse } from './usage.ts'

const { codings, worth } = compression
const plain = 'identity'

/** Values of Accept-Encoding, each with the codings that may answer it (RFC 9110, section 12.5.3). */
const wishes: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(codings.map(coding => [coding, [coding]])),
  ...Object.fromEntries(codings.map(coding => [`unknown, ${coding};q=0.001`, [coding]])),
  ...Object.fromEntries(
    codings.map(refused => [`*, ${refused};q=0`, codings.filter(coding => coding !== refused)]),
  ),
  'br;q=0.2, zstd;q=0.3, gzip;q=0.4': ['gzip'],
  'br;q=0.2, gzip;q=0.3, zstd;q=0.4': ['zstd'],
  'gzip;q=0.2, zstd;q=0.3, br;q=0.4': ['br'],
  'br;q=0, *;q=0.5, gzip;q=0.9': ['gzip'],
  'br, gzip, zstd': codings,
  '*': codings,
  'X-GZip': ['gzip'],
  'BR ; Q=0 , GZIP ; Q=1': ['gzip'],
  'gzip;q=0.5, identity;q=0.4': ['gzip'],
  'gzip;q=0.4, identity;q=0.5': [plain],
  'identity, *;q=0.1': [plain],
  '': [plain],
  identity: [plain],
  unknown: [plain],
  'br;q=0, zstd;q=0, gzip;q=0': [plain],
  '*;q=0': [plain],
}
/** The same for content that no coding makes much shorter. */
const shortWishes = { gzip: [plain, 'gzip'], 'identity;q=0, gzip': ['gzip'] }

/** A character of four bytes. */
const manyBytes = '\u{1f43e}'

/** With how many codings, its own among them, each is asked for what is known. */
const others = { own: Infinity, running: 2 }

/** The most records that are made until a list is worth a coding. */
const most = 12

/** Makes a record with each of its texts as long as may be, in characters that take many bytes. */
async function makeLong(session: Session, parameter: string) {
  const { contract } = session
  const maker = contract.makers.get(parameter)
  if (!maker) return undefined
  const made = await session.taken(maker, () => {
    const draft = session.least(maker)
    const body = recordIn(draft.body)
    for (const [name, declared] of Object.entries(maker.takes.properties ?? {})) {
      const { type, maxLength = 0, pattern, format, enum: values } = contract.shape(declared)
      if (type !== 'string' || maxLength === 0 || pattern || format || values) continue
      const text = [...String(body[name] ?? '')].slice(0, maxLength)
      body[name] = text.join('') + manyBytes.repeat(maxLength - text.length)
    }
    return { ...draft, body }
  })
  return identifierIn(made)
}

/** Reads content that is worth a coding, where the operation can have such. */
async function readLong(session: Session, endpoint: Endpoint): Promise<Exchange> {
  const { path, record } = endpoint
  const listed = session.contract.kinds.find(({ maker }) => maker.path === path)?.parameter
  const parameter = record ?? listed
  for (let made = 1; ; made++) {
    const id = parameter === undefined ? undefined : await makeLong(session, parameter)
    const target = record !== undefined && id !== undefined ? { path: { [record]: id } } : {}
    const read = await session.ask(endpoint, target)
    if (read.reply.length >= worth || listed === undefined || made === most) return read
  }
}

const lasting = (reply: WireReply) => lastingFields(reply, ['content-length', 'content-encoding', 'etag'])
const codingOf = ({ headers }: WireReply) => headers['content-encoding'] ?? plain
const variesBy = ({ headers }: WireReply) => /\baccept-encoding\b/i.test(headers.vary ?? '')
const isStrong = (tag = '') => /^"[^"]*"$/.test(tag)
const inCoding = (coding: string, etag?: string) => ({
  headers: { 'accept-encoding': coding, 'if-none-match': etag },
})

/**
 * Reads in each coding. The content is the same, and so are the fields, apart from those of the coding. A strong ETag
 * stands for one coding alone, and reads and changes go by it.
 */
export async function probeCodings(session: Session, endpoints: readonly Endpoint[]): Promise<void> {
  const reads: Exchange[] = []
  await session.eachAtOnce(endpoints, endpoint =>
    session.attempt(async () => void reads.push(await readLong(session, endpoint))),
  )
  const seenOf = new Map<Exchange, readonly string[]>()
  const compare = (read: Exchange) =>
    session.attempt(async () => void seenOf.set(read, await compareCodings(session, read)))
  const isUsed = ({ endpoint }: Exchange) => showsUse(endpoint, session.contract)
  // Nothing is written while all are read. Reading is a use as well, which some of them show.
  await session.eachAtOnce(
    reads.filter(read => !isUsed(read)),
    compare,
  )
  for (const read of reads.filter(isUsed)) await compare(read)
  await session.eachAtOnce([...seenOf], ([{ endpoint }, seen]) =>
    session.attempt(() => probeChanges(session, endpoint, seen)),
  )
}

/** Holds the content in each coding against that in none. @returns the codings that were seen */
async function compareCodings(session: Session, read: Exchange): Promise<readonly string[]> {
  const { endpoint } = read
  const isLong = read.reply.length >= worth
  const plainly = async () => (await session.glance(read, {})).reply
  const isUsed = showsUse(endpoint, session.contract)
  let before = await plainly()
  const tags = new Map([[plain, before.headers.etag]])
  const asked = Object.entries(isLong ? wishes : shortWishes).filter(
    ([wish], index) => index < codings.length || isTried(session, wish, index),
  )
  const ask = async ([wish, due]: (typeof asked)[number]) => ({
    ...{ wish, due, exchange: await session.glance(read, inCoding(wish)) },
    // A record that its use changes is read again with each.
    used: isUsed ? await plainly() : undefined,
  })
  const replies = isUsed ? await inTurns(asked, 1, ask) : await session.eachAtOnce(asked, ask)
  const unused = isUsed ? before : await plainly()
  for (const { wish, due, exchange, used: after = unused } of replies) {
    const { reply } = exchange
    const { etag, 'content-length': length } = reply.headers
    const coding = codingOf(reply)
    const hold = (what: string, holds: boolean) =>
      session.hold(exchange, `asked for in "${wish}", ${what}`, holds)
    const isLength = length === undefined || Number(length) === reply.length
    hold(`it comes in ${coding} instead of ${due.join(' or ')}`, due.includes(coding))
    hold('Vary does not name Accept-Encoding', variesBy(reply))
    hold(`it has ${reply.length} bytes instead of ${length}`, isLength)
    const isSteady = before.status === after.status && withoutUse(before.text) === withoutUse(after.text)
    if (isUsed) before = after
    if (!isSteady) continue
    hold('it is not what it is without a coding', withoutUse(reply.text) === withoutUse(after.text))
    hold('its header fields are others than without', isDeepStrictEqual(lasting(reply), lasting(after)))
    if (reply.text !== after.text) continue
    const { etag: usual } = after.headers
    hold(`the ETag ${etag} is weak or strong where ${usual} is not`, isStrong(etag) === isStrong(usual))
    if (!tags.has(coding)) await session.judge(exchange)
    const earlierTag = tags.has(coding) ? tags.get(coding) : etag
    hold(`its ETag is ${etag}, and was ${earlierTag} in ${coding}`, etag === earlierTag || !isStrong(etag))
    tags.set(coding, etag)
    const [other] = [...tags].filter(([name, tag]) => tag === etag && name !== coding)
    hold(`it has the ETag ${etag}, as in ${other?.[0]}`, other === undefined || !isStrong(etag))
  }
  const seen = isLong ? [...tags.keys()] : [plain]
  if (endpoint.statuses.includes(304)) await probeKnown(session, read, seen)
  return seen
}

/** Asks in a coding for what is known in another; again where it was used, and is another content, meanwhile. */
async function askKnown(session: Session, read: Exchange, coding: string, other: string) {
  for (let attempt = 1; ; attempt++) {
    const { text, headers } = (await session.glance(read, inCoding(other))).reply
    const condition = inCoding(coding, headers.etag ?? '')
    const exchange = await session.glance(read, condition)
    const { reply: head } = await session.glance(read, { method: 'HEAD', ...condition })
    const isSame = attempt === 3 || (await session.glance(read, inCoding(other))).reply.text === text
    if (isSame) return { etag: headers.etag, exchange, head }
  }
}

/** A strong ETag is known only in the coding that it came in. HEAD is GET without its content. */
async function probeKnown(session: Session, read: Exchange, seen: readonly string[]): Promise<void> {
  for (const [index, coding] of seen.entries())
    for (const [place, other] of seen.entries()) {
      if ((seen.length + place - index) % seen.length >= session.either(others)) continue
      const { etag, exchange, head } = await askKnown(session, read, coding, other)
      await session.judge(exchange)
      const { reply } = exchange
      const due = other === coding || !isStrong(etag) ? 304 : read.endpoint.success
      session.holdStatus(exchange, `what is known in ${other}, asked for in ${coding},`, due)
      const [ofHead, ofGet] = [head, reply].map(item => [item.status, item.headers.etag, lasting(item)])
      const isHead = head.length === 0 && isDeepStrictEqual(ofHead, ofGet)
      session.hold(exchange, `HEAD in ${coding} is not GET without its content`, isHead)
      session.hold(exchange, 'Vary does not name Accept-Encoding', variesBy(reply))
      if (reply.status !== 304) continue
      session.holdSame(exchange, 'the ETag of the 304', reply.headers.etag, etag)
      session.hold(exchange, 'a 304 has content', reply.length === 0 && codingOf(reply) === plain)
    }
}

/** A record as it was read, in whatever coding, may be changed. */
async function probeChanges(session: Session, reader: Endpoint, seen: readonly string[]): Promise<void> {
  const { path, record } = reader
  if (record === undefined) return
  for (const changer of session.contract.endpoints) {
    if (changer.path !== path || !takesField(changer, 'if-match')) continue
    for (const coding of seen) {
      const id = await makeLong(session, record)
      const { etag = '' } = (await session.glance(await session.on(reader, id), inCoding(coding))).reply
        .headers
      const changed = await session.on(changer, id, undefined, { headers: { 'if-match': etag } })
      const isRefused = codeIn(changed.reply.body) === codes.version.code
      session.hold(changed, `the version ${etag}, read in ${coding}, is not the present one`, !isRefused)
    }
  }
}
