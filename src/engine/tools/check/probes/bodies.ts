import { isDeepStrictEqual } from 'node:util'
import { codes, fields, pointersIn, type Refusal } from '../../records/conventions.ts'
import type { Endpoint } from '../../records/interface.ts'
import { isTried } from '../sampling.ts'
import type { Exchange, RequestChange } from '../sending.ts'
import type { Session } from '../session.ts'

/** Checks that errors tell why a body is unreadable: its size, media type, coding, characters or syntax. */
export async function probeBodies(session: Session, endpoint: Endpoint): Promise<void> {
  const taken = await session.exchange(endpoint, await session.plain(endpoint))
  const { body = '', headers } = taken.request
  const type = headers['content-type'] ?? ''
  let index = 0
  const refuse = async (what: string, refusal: Refusal, change: RequestChange): Promise<Exchange> => {
    const refused = await session.again(taken, change)
    session.holdRefusal(refused, what, refusal)
    return refused
  }
  const refuseSome = async (...request: Parameters<typeof refuse>): Promise<Exchange | undefined> =>
    isTried(session, request[0], index++) ? refuse(...request) : undefined
  const refuseAs = (what: string, more: RequestChange['headers'] = {}) =>
    refuseSome(what, codes.mediaType, { headers: more })
  const spaces = ' '.repeat(session.contract.bounds.bodyBytes + 1)
  await refuse('a body that is no JSON', codes.invalid, { body: '{"' })
  await refuse('too large a body', codes.tooLarge, { body: spaces })
  const pieces = { 'transfer-encoding': 'chunked' }
  await refuseSome('too large a body without a length', codes.tooLarge, {
    headers: pieces,
    body: body + spaces,
  })
  // Among them those that other operations take, and others that are written in JSON.
  const others = new Set(session.contract.endpoints.flatMap(({ mediaTypes }) => mediaTypes))
  for (const mediaType of ['text/plain', 'application/x-unknown', 'application/x-unknown+json'])
    others.add(mediaType)
  for (const other of endpoint.mediaTypes) others.delete(other)
  for (const other of others) {
    const refused = await refuseAs(`a body as ${other}`, { 'content-type': other })
    if (!refused) continue
    const { [fields.acceptPatch]: accepted } = refused.reply.headers
    const isTold = isDeepStrictEqual(new Set(accepted?.split(/,\s*/)), new Set(endpoint.mediaTypes))
    const what = `Accept-Patch names ${accepted}, and what is taken is ${endpoint.mediaTypes}`
    session.hold(refused, what, endpoint.method !== 'PATCH' || isTold)
  }
  await refuse('a body without a media type', codes.mediaType, { headers: { 'content-type': undefined } })
  for (const charset of ['utf-16', 'iso-8859-1'])
    await refuseAs(`a body in ${charset}`, { 'content-type': `${type}; charset=${charset}` })
  for (const coding of ['gzip', 'br', 'identity, gzip'])
    await refuseAs(`a body in the coding ${coding}`, { 'content-encoding': coding })
  for (const [what, bytes] of Object.entries(unreadable)) {
    const quoted = Buffer.concat([Buffer.from('{"'), bytes, Buffer.from('":1}')])
    const refused = await refuseSome(`a body with ${what}`, codes.invalid, { bytes: quoted })
    if (!refused) continue
    const named = pointersIn(refused.reply.body)
    // Characters that nobody sent would be told of as a name that is not known.
    session.hold(refused, `a body with ${what} is read as one with ${named}`, named.length === 0)
  }
  // A body that a rule of the business refuses was read, too.
  const drawn = async () => (taken.reply.status < 400 ? taken.drawn : await session.plain(endpoint))
  const asked = async (what: string, sending: Parameters<Session['exchange']>[2]) => {
    if (isTried(session, what, index++))
      session.holdTaken(await session.exchange(endpoint, await drawn(), sending), what)
  }
  for (const mediaType of endpoint.mediaTypes)
    for (const parameters of ['', '; charset=utf-8', ';charset="UTF-8"'])
      await asked(`a body as ${mediaType}${parameters}`, { mediaType: `${mediaType}${parameters}` })
  await asked('a body without a length', { headers: pieces })
  // Names of codings have no case (RFC 9110, section 8.4.1).
  for (const coding of ['identity', 'Identity'])
    await asked(`a body in the coding ${coding}`, { headers: { 'content-encoding': coding } })
}

/** Bytes that are no UTF-8 (The Unicode Standard, table 3-7). */
const unreadable = {
  'a byte that no UTF-8 has': Buffer.from([0xff]),
  'a character that is cut off': Buffer.from([0xe2, 0x82]),
  'a character written too long': Buffer.from([0xc0, 0xaf]),
  'a surrogate': Buffer.from([0xed, 0xa0, 0x80]),
} as const
