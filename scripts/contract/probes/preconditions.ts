import { codes } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import { toWire } from '../requests.ts'
import type { Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'

/** So many changes take a version to two digits. */
const changes = 10
/** How many records are tried to find one on which what is looked at can be done. */
const attempts = 12
/** How many requests are sent at once. */
const atOnce = 4

/** RFC 9110, section 13.1.2. */
export async function probeKnownContent(session: Session, endpoint: Endpoint): Promise<void> {
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
  session.hold(
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
    session.hold(named, `content that is known ${what} is sent`, named.reply.status === 304)
  }
  const changed = await ask('"another"')
  session.hold(changed, 'content with another ETag is not sent', changed.reply.status === endpoint.success)
}

/** RFC 9110, section 13.1.1. */
export async function probeVersions(session: Session, endpoint: Endpoint): Promise<void> {
  const { record = '', path } = endpoint
  const reader = session.contract.at('GET', path)
  if (!reader) return session.add(endpoint, 'no operation reads the version that If-Match asks for')
  const id = (await session.make(record)).id
  const read = await session.exchange(reader, { path: { [record]: id } })
  const draft = { ...(await plainDraft(session, endpoint)), path: { [record]: id } }
  const send = (tag: string) => session.exchange(endpoint, draft, { headers: { 'if-match': tag } })
  const present = async () => {
    const id = (await session.make(record)).id
    draft.path = { [record]: id }
    const { reply } = await session.exchange(reader, { path: draft.path })
    return reply.headers.etag ?? ''
  }
  holdRefusal(session, await send('"another"'), 'a change of another version', 412, codes.version)
  const tag = read.reply.headers.etag ?? ''
  // Strong comparison (RFC 9110, section 13.1.1).
  holdRefusal(session, await send(`W/${tag}`), 'a change of a weak version', 412, codes.version)
  const any = await send('*')
  session.hold(any, 'a change of any version is refused', isTaken(any))
  const some = await send(`"another", ${await present()}`)
  session.hold(some, 'a change of one of some versions is refused', isTaken(some))
  const current = await send(await present())
  session.hold(current, 'a change of the present version is refused', isTaken(current))
  await probeAged(session, endpoint, reader)
  await probeStale(session, endpoint, reader)
  await probeTogether(session, endpoint, reader)
  for (const other of session.contract.endpoints)
    if (other.method === 'GET' && other.record === record && other.path !== path)
      await probeElsewhere(session, endpoint, reader, other)
}

const changersAt = ({ contract }: Session, path: string) =>
  contract.endpoints.filter(other => other.path === path && /^(PUT|PATCH)$/.test(other.method))

/** However often a record was changed, its present version is let in, and the one before it is not. */
async function probeAged(session: Session, endpoint: Endpoint, reader: Endpoint) {
  const { record = '', path } = endpoint
  const own = { [record]: (await session.make(record)).id }
  const [changer] = changersAt(session, path)
  const read = async () => (await session.exchange(reader, { path: own })).reply.headers.etag ?? ''
  let [before, present] = ['', await read()]
  for (let change = 0; changer && change < changes; change++) {
    const draft = { ...session.draw(changer), path: own, header: {} }
    const changed = await session.exchange(changer, draft, { headers: { 'if-match': present } })
    const isRefused = changed.reply.status === 412
    session.hold(changed, `the present version ${present}, after ${change} changes, is refused`, !isRefused)
    if (changed.reply.status >= 300) continue
    before = present
    present = changed.reply.headers.etag ?? ''
  }
  const send = async (tag: string) => {
    const draft = { ...(await plainDraft(session, endpoint)), path: own }
    return session.exchange(endpoint, draft, { headers: { 'if-match': tag } })
  }
  if (before !== '')
    holdRefusal(session, await send(before), 'a change of the version before', 412, codes.version)
  const last = await send(present)
  session.hold(last, `the present version ${present} is refused`, last.reply.status !== 412)
}

/** A version that a change has ended is refused where the same request with the present one is taken. */
async function probeStale(session: Session, endpoint: Endpoint, reader: Endpoint) {
  const { record = '', path } = endpoint
  const [changer] = changersAt(session, path)
  if (!changer) return
  for (let attempt = 0; attempt < attempts; attempt++) {
    const own = { [record]: (await session.make(record)).id }
    const tagOf = async () => (await session.exchange(reader, { path: own })).reply.headers.etag ?? ''
    const before = await tagOf()
    await session.exchange(changer, { ...session.draw(changer), path: own, header: {} })
    const present = await tagOf()
    if (present === before) continue
    const draft = { ...session.draw(endpoint, undefined, true), path: own }
    const send = (tag: string) => session.exchange(endpoint, draft, { headers: { 'if-match': tag } })
    const [stale, fresh] = [await send(before), await send(present)]
    if (stale.reply.status >= 300 && fresh.reply.status >= 300) continue
    return holdRefusal(session, stale, 'what would be taken of the present version', 412, codes.version)
  }
  session.holdOf(endpoint, 'it is never taken of a record that has changed', false)
}

/** Of several changes of one version, sent at once, one is taken. */
async function probeTogether(session: Session, endpoint: Endpoint, reader: Endpoint) {
  const { record = '' } = endpoint
  for (let attempt = 0; attempt < attempts; attempt++) {
    const own = { [record]: (await session.make(record)).id }
    const read = await session.exchange(reader, { path: own })
    const { etag = '' } = read.reply.headers
    const draft = { ...session.draw(endpoint), path: own, header: {} }
    const wire = toWire(endpoint, draft)
    const headers = { ...read.request.headers, ...wire.headers, 'if-match': etag }
    const sent = await session.together(endpoint, { ...wire, headers }, draft, atOnce)
    const after = await session.exchange(reader, { path: own })
    // Changes that change nothing leave the version as it is.
    const [first] = sent
    if (!first || after.reply.headers.etag === etag) continue
    const taken = sent.filter(({ reply }) => reply.status < 300).length
    session.hold(first, `of ${atOnce} changes of the version ${etag} at once ${taken} are taken`, taken === 1)
    return
  }
}

/** A version is that of what is at its own URL: another one of the same record is none of it. */
async function probeElsewhere(session: Session, endpoint: Endpoint, reader: Endpoint, other: Endpoint) {
  const { record = '' } = endpoint
  for (const place of [other, reader]) {
    const path = { [record]: (await session.make(record)).id }
    for (const changer of changersAt(session, place.path))
      await session.exchange(changer, { ...session.draw(changer), path, header: {} })
    const tagAt = async (one: Endpoint) => (await session.exchange(one, { path })).reply.headers.etag
    const [own, strange] = [await tagAt(reader), await tagAt(other)]
    if (strange === undefined || strange === own) continue
    const draft = { ...(await plainDraft(session, endpoint)), path }
    const sent = await session.exchange(endpoint, draft, { headers: { 'if-match': strange } })
    holdRefusal(session, sent, `a change of the version that GET ${other.path} has`, 412, codes.version)
  }
}
