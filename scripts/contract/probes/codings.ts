import { isDeepStrictEqual } from 'node:util'
import { changesByItself, codeIn, codes, compression } from '../conventions.ts'
import { type Endpoint, shapeOf } from '../interface.ts'
import { withoutUse } from '../laws/versions.ts'
import type { WireRequest } from '../requests.ts'
import { type Exchange, identifierIn, type Session } from '../session.ts'
import type { WireReply } from '../wire.ts'
import type { World } from '../world.ts'
import { type Body, innermost } from './differences.ts'

const { codings, worth } = compression
const plain = 'identity'

/** What may be asked for, and the codings that may come then (RFC 9110, section 12.5.3). */
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

/** A character of four bytes. */
const manyBytes = '\u{1f43e}'

/** How many records are made at most, that a list becomes worth a coding. */
const most = 12

/** Makes a record with each of its texts as long as may be, in characters that take many bytes. */
async function makeLong(session: Session, parameter: string): Promise<string | number | undefined> {
  const { contract } = session
  const maker = contract.makers.get(parameter)
  if (!maker) return undefined
  const { properties = {} } = shapeOf(contract.model, maker.request.properties.body ?? {})
  const made = await session.taken(maker, () => {
    const draft = session.draw(maker, undefined, true)
    const own: Body = { ...innermost(draft.body) }
    for (const [name, declared] of Object.entries(properties)) {
      const { type, maxLength = 0, pattern, format, enum: values } = shapeOf(contract.model, declared)
      if (type !== 'string' || maxLength === 0 || pattern || format || values) continue
      const text = [...String(own[name] ?? '')].slice(0, maxLength)
      own[name] = text.join('') + manyBytes.repeat(maxLength - text.length)
    }
    return { ...draft, body: own }
  })
  return identifierIn(contract, parameter, made)
}

/** Reads content that is worth a coding, where the operation can have such. */
async function readLong(session: Session, endpoint: Endpoint): Promise<Exchange> {
  const { path, record } = endpoint
  const item = [...session.contract.makers].find(([, maker]) => maker.path === path)?.[0]
  const parameter = record ?? item
  for (let made = 1; ; made++) {
    const id = parameter === undefined ? undefined : await makeLong(session, parameter)
    const draft = session.draw(endpoint, undefined, true)
    const own = record !== undefined && id !== undefined ? { ...draft, path: { [record]: id } } : draft
    const read = await session.exchange(endpoint, own)
    if (read.reply.length >= worth || item === undefined || made === most) return read
  }
}

const ofCoding = new Set(['content-length', 'content-encoding', 'etag'])

/** The fields that are the same in whatever coding, and with each request. */
const lasting = ({ headers }: WireReply) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ofCoding.has(name) && !changesByItself.test(name)),
  )

const codingOf = ({ headers }: WireReply) => headers['content-encoding'] ?? plain
const variesBy = ({ headers }: WireReply) => /\baccept-encoding\b/i.test(headers.vary ?? '')
const isStrong = (tag = '') => /^"[^"]*"$/.test(tag)

/**
 * Reads in each coding: the content is the same, the fields too but for those of the coding, and a strong ETag stands for
 * one coding alone, by which reads and changes go.
 */
export async function probeCodings(session: Session, endpoint: Endpoint): Promise<void> {
  const read = await readLong(session, endpoint)
  const { request } = read
  const ask = (headers: Record<string, string>, method = 'GET') =>
    session.world.send({ ...request, method, headers: { ...request.headers, ...headers } })
  const isLong = read.reply.length >= worth
  let before = await ask({})
  const tags = new Map([[plain, before.headers.etag]])
  for (const [wish, due] of Object.entries(isLong ? wishes : { gzip: [plain, 'gzip'] })) {
    const headers = { 'accept-encoding': wish }
    const [reply, after] = [await ask(headers), await ask({})]
    const exchange = { ...read, request: { ...request, headers }, reply, faults: session.world.takeLog() }
    const hold = (what: string, holds: boolean) =>
      session.hold(exchange, `asked for in "${wish}", ${what}`, holds)
    const coding = codingOf(reply)
    hold(`it comes in ${coding}, and not in ${due.join(' or ')}`, due.includes(coding))
    hold('Vary does not name Accept-Encoding', variesBy(reply))
    const length = reply.headers['content-length']
    hold(
      `it has ${reply.length} bytes and not ${length}`,
      length === undefined || Number(length) === reply.length,
    )
    const isSteady = before.status === after.status && withoutUse(before.text) === withoutUse(after.text)
    before = after
    if (!isSteady) continue
    hold('it is not what it is without a coding', withoutUse(reply.text) === withoutUse(after.text))
    hold('its header fields are others than without', isDeepStrictEqual(lasting(reply), lasting(after)))
    const { etag } = reply.headers
    if (reply.text !== after.text) continue
    hold(
      `the ETag ${etag} is weak or strong where ${after.headers.etag} is not`,
      isStrong(etag) === isStrong(after.headers.etag),
    )
    const known = tags.has(coding) ? tags.get(coding) : etag
    hold(`its ETag is ${etag}, and was ${known} in ${coding}`, etag === known || !isStrong(etag))
    tags.set(coding, etag)
    const [other] = [...tags].filter(([name, tag]) => tag === etag && name !== coding)
    hold(`it has the ETag ${etag}, as in ${other?.[0]}`, other === undefined || !isStrong(etag))
  }
  if (endpoint.statuses.includes(304)) await probeKnown(session, read, tags)
  if (endpoint.record !== undefined) await probeChanges(session, endpoint, tags)
}

/** Asks in a coding for what is known in another; again where it was used, and is another content, meanwhile. */
async function askKnown(world: World, request: WireRequest, coding: string, other: string) {
  const inOther = { ...request, headers: { ...request.headers, 'accept-encoding': other } }
  for (let attempt = 1; ; attempt++) {
    const { text, headers: held } = await world.send(inOther)
    const { etag = '' } = held
    const headers = { ...request.headers, 'accept-encoding': coding, 'if-none-match': etag }
    const reply = await world.send({ ...request, headers })
    const head = await world.send({ ...request, method: 'HEAD', headers })
    const isSame = attempt === 3 || (await world.send(inOther)).text === text
    if (isSame) return { etag, headers, reply, head }
  }
}

/** What is known in one coding is known in that alone, where its ETag is strong; HEAD is GET without its content. */
async function probeKnown(
  session: Session,
  read: Exchange,
  tags: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const { world } = session
  for (const coding of tags.keys())
    for (const other of tags.keys()) {
      const { etag, headers, reply, head } = await askKnown(world, read.request, coding, other)
      const exchange = { ...read, request: { ...read.request, headers }, reply, faults: world.takeLog() }
      const due = other === coding || !isStrong(etag) ? 304 : read.endpoint.success
      const hold = (what: string, holds: boolean) => session.hold(exchange, what, holds)
      hold(`what is known in ${other} is answered ${reply.status} in ${coding}`, reply.status === due)
      hold(
        `HEAD in ${coding} is not GET without its content`,
        head.length === 0 &&
          head.status === reply.status &&
          head.headers.etag === reply.headers.etag &&
          isDeepStrictEqual(lasting(head), lasting(reply)),
      )
      hold('Vary does not name Accept-Encoding', variesBy(reply))
      if (reply.status !== 304) continue
      hold(`the ETag of the 304 is ${reply.headers.etag}, and not ${etag}`, reply.headers.etag === etag)
      hold('a 304 has content', reply.length === 0 && codingOf(reply) === plain)
    }
}

/** A record as it was read, in whatever coding, may be changed. */
async function probeChanges(
  session: Session,
  reader: Endpoint,
  tags: ReadonlyMap<string, string | undefined>,
): Promise<void> {
  const { path, record = '' } = reader
  for (const changer of session.contract.endpoints) {
    const isGuarded = changer.parameters.some(({ name }) => name.toLowerCase() === 'if-match')
    if (changer.path !== path || !isGuarded) continue
    for (const coding of tags.keys()) {
      const own = { [record]: await makeLong(session, record) }
      const { request } = await session.exchange(reader, { path: own })
      const headers = { ...request.headers, 'accept-encoding': coding }
      const { etag = '' } = (await session.world.send({ ...request, headers })).headers
      const draft = { ...session.draw(changer, undefined, true), path: own }
      const changed = await session.exchange(changer, draft, { headers: { 'if-match': etag } })
      const isRefused = codeIn(changed.reply.body) === codes.version
      session.hold(changed, `the version ${etag}, read in ${coding}, is not the present one`, !isRefused)
    }
  }
}
