import { isDeepStrictEqual } from 'node:util'
import { type DocsAddresses, docsAddresses } from 'spec-served-document/contract/addresses'
import { parseMediaType } from 'spec-served-document/values/media-types'
import { parse } from 'yaml'
import { codes } from '../../records/conventions.ts'
import { recordIn } from '../../records/messages.ts'
import type { Session } from '../session.ts'
import { LeftOut } from '../summary.ts'
import { allowedBy } from './methods.ts'

/** The media types of what is shown of a document (RFC 8259, 9512, 7763, 4287 and 5545). */
const types = {
  page: 'text/html',
  json: 'application/json',
  yaml: 'application/yaml',
  llms: 'text/markdown',
  changes: 'text/markdown',
  feed: 'application/atom+xml',
  sunsets: 'text/calendar',
} as const

/**
 * Asks each address of the docs. It has its media type, is known by its ETag, and can only be read. The home address leads
 * there (RFC 8631).
 */
export async function probeDocs(session: Session): Promise<void> {
  const { contract, holdOf } = session
  const addresses = docsAddresses(contract.model)
  const own = session.keyHeader(session.key)
  for (const name of ['page', 'json', 'yaml', 'llms', 'changes', 'feed', 'sunsets'] as const) {
    const address = addresses[name]
    const read = await session.send('GET', address)
    const { status, headers } = read.reply
    if (name === 'page' && status === 404) throw new LeftOut('needs docs')
    holdOf(undefined, `GET ${address} is answered ${status}`, status === 200, read)
    const { 'content-type': type = '', etag = '' } = headers
    const isSo = parseMediaType(type)?.essence === types[name]
    holdOf(undefined, `${address} is of the media type ${type}`, isSo, read)
    const known = await session.send('GET', address, { 'if-none-match': etag })
    const what = `${address}, which is known by its ETag ${etag}, is answered ${known.reply.status}`
    holdOf(undefined, what, known.reply.status === 304, known)
    const sent = await session.send('POST', address, own)
    session.holdError(`POST ${address}`, sent, codes.method)
    const isAllowed = isDeepStrictEqual(allowedBy(sent.reply), new Set(['GET', 'HEAD', 'OPTIONS']))
    holdOf(undefined, `POST ${address}: Allow is ${sent.reply.headers.allow}`, isAllowed, sent)
  }
  const { text } = (await session.send('GET', addresses.llms)).reply
  const lost = contract.endpoints.find(({ id }) => !text.replaceAll('\\', '').includes(id))
  holdOf(lost, `${addresses.llms} does not name it`, lost === undefined)
  await holdReleases(session, addresses)
  // Browsers ask for an icon, and readers for the document below the page.
  for (const address of [addresses.icon, `${addresses.page}/json`, `${addresses.page}/yaml`]) {
    const { location } = (await session.send('GET', address)).reply.headers
    if (location === undefined) continue
    const led = await session.send('GET', location)
    holdOf(undefined, `${address} leads to ${location}`, led.reply.status === 200, led)
  }
  if (!addresses.isHome) return
  const home = await session.send('GET', '/')
  const { location = '', link = '' } = home.reply.headers
  holdOf(undefined, `/ leads to ${location}`, location.endsWith(addresses.page), home)
  for (const [rel, to] of Object.entries({ 'service-desc': addresses.json, 'service-doc': addresses.page }))
    holdOf(undefined, `the Link of / has no ${rel}`, link.includes(`${to}>; rel="${rel}"`), home)
}

/** A released document is the one of its version. One that is not kept is not found. */
async function holdReleases(session: Session, { changes, releases }: DocsAddresses): Promise<void> {
  const { text } = (await session.send('GET', changes)).reply
  for (const [, version = ''] of text.matchAll(/^## +(\d+\.\d+\.\d+)\b/gm)) {
    const address = `${releases}/${version}.yaml`
    const { reply, ...sent } = await session.send('GET', address)
    if (reply.status === 404) continue
    const shown = recordIn(recordIn(parse(reply.text)).info).version
    session.holdOf(undefined, `${address} is the document of ${shown}`, shown === version, { ...sent, reply })
  }
}
