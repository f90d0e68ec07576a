import { codes } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Report } from '../report.ts'
import type { Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'

/** RFC 9110, section 13.1.2. */
export async function probeKnownContent(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
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
export async function probeVersions(session: Session, endpoint: Endpoint, report: Report): Promise<void> {
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
