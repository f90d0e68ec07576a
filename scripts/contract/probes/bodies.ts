import { isDeepStrictEqual } from 'node:util'
import { codes, fields, body as limits, pointersIn } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { WireRequest } from '../requests.ts'
import type { Exchange, Session } from '../session.ts'
import { holdRefusal, isTaken, plainDraft } from './answers.ts'

/** What makes a body unreadable is told apart: its size, its media type, its coding, its characters and its syntax. */
export async function probeBodies(session: Session, endpoint: Endpoint): Promise<void> {
  const { request, draft } = await session.exchange(endpoint, await plainDraft(session, endpoint))
  const send = (body: string, type = request.headers['content-type'] ?? '') =>
    session.sendRaw(
      endpoint,
      { ...request, body, headers: { ...request.headers, 'content-type': type } },
      draft,
    )
  const body = request.body ?? ''
  holdRefusal(session, await send('{"'), 'a body that is no JSON', 400, codes.invalid)
  holdRefusal(session, await send(' '.repeat(limits.bytes + 1)), 'too large a body', 413, codes.tooLarge)
  for (const type of ['text/plain', 'application/x-unknown']) {
    const refused = await send(body, type)
    holdRefusal(session, refused, `a body as ${type}`, 415, codes.mediaType)
    const { [fields.acceptPatch]: accepted } = refused.reply.headers
    const names = new Set(accepted?.split(/,\s*/))
    session.hold(
      refused,
      `Accept-Patch names ${accepted}, and what is taken is ${endpoint.mediaTypes}`,
      endpoint.method !== 'PATCH' || isDeepStrictEqual(names, new Set(endpoint.mediaTypes)),
    )
  }
  for (const mediaType of endpoint.mediaTypes)
    for (const parameters of ['', '; charset=utf-8', ';charset="UTF-8"']) {
      const type = `${mediaType}${parameters}`
      const draft = await plainDraft(session, endpoint)
      const exchange = await session.exchange(endpoint, draft, { mediaType: type })
      session.hold(exchange, `a body as ${type} is not taken`, isTaken(exchange))
    }
  await probeForms(session, endpoint, { request, draft })
}

/** Bodies in other characters, codings and lengths than their sender says, or the document has. */
async function probeForms(
  session: Session,
  endpoint: Endpoint,
  { request, draft }: Pick<Exchange, 'request' | 'draft'>,
): Promise<void> {
  const { 'content-type': type = '', ...rest } = request.headers
  const send = (headers: Record<string, string>, more: Partial<WireRequest> = {}) =>
    session.sendRaw(endpoint, { ...request, headers: { ...rest, ...headers }, ...more }, draft)
  const refuse = async (what: string, headers: Record<string, string>) =>
    holdRefusal(session, await send(headers), what, 415, codes.mediaType)
  await refuse('a body without a media type', {})
  for (const charset of ['utf-16', 'iso-8859-1'])
    await refuse(`a body in ${charset}`, { 'content-type': `${type}; charset=${charset}` })
  for (const coding of ['gzip', 'br', 'identity, gzip'])
    await refuse(`a body in the coding ${coding}`, { 'content-type': type, 'content-encoding': coding })
  for (const [what, bytes] of Object.entries(unreadable)) {
    const quoted = Buffer.concat([Buffer.from('{"'), bytes, Buffer.from('":1}')])
    const refused = await send({ 'content-type': type }, { bytes: quoted })
    holdRefusal(session, refused, `a body with ${what}`, 400, codes.invalid)
    const named = pointersIn(refused.reply.body)
    // Characters that nobody sent would be told of as a name that is not known.
    session.hold(refused, `a body with ${what} is read as one with ${named}`, named.length === 0)
  }
  const pieces = { 'content-type': type, 'transfer-encoding': 'chunked' }
  const long = await send(pieces, { body: `${request.body ?? ''}${' '.repeat(limits.bytes)}` })
  holdRefusal(session, long, 'too large a body without a length', 413, codes.tooLarge)
  const read = await session.exchange(endpoint, await plainDraft(session, endpoint), {
    headers: { 'transfer-encoding': 'chunked' },
  })
  session.hold(read, 'a body without a length is not taken', isTaken(read))
}

/** Bytes that are no UTF-8 (The Unicode Standard, table 3-7). */
const unreadable = {
  'a byte that no UTF-8 has': Buffer.from([0xff]),
  'a character that is cut off': Buffer.from([0xe2, 0x82]),
  'a character written too long': Buffer.from([0xc0, 0xaf]),
  'a surrogate': Buffer.from([0xed, 0xa0, 0x80]),
} as const
