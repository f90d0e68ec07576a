import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type OperationModel, responseFor } from 'spec-served-document/model'
import { type AnyReply, ApiError } from '../errors/api-error.ts'
import { digest, isNamedIn } from './etag.ts'

/** The first and the last byte of a range. */
type Range = readonly [first: number, last: number]

/**
 * Returns a function for an operation whose document declares 206. If a handler gives bytes as a whole, it answers with the range
 * that the request asks for (RFC 9110, section 14). Such a reply gets a strong ETag from its bytes unless it has one, for If-Range.
 * Several ranges, and one behind the end, are refused with 416 where the document declares it. Otherwise the whole is sent.
 * @returns undefined for any other operation
 */
export function rangesOf(
  operation: OperationModel,
): ((request: Pick<FastifyRequest, 'method' | 'headers'>, reply: AnyReply) => AnyReply) | undefined {
  if (operation.method !== 'GET' || !operation.responses.has('206')) return undefined
  const [type] = Object.keys(operation.responses.get('200')?.content ?? {})
  const isConditional = operation.responses.has('304')
  const isRefused = responseFor(operation, 416) !== undefined

  return ({ method, headers }, reply) => {
    const { status, body } = reply
    if (Number(status) !== 200 || !(body instanceof Uint8Array) || fieldOf(reply, 'content-range'))
      return reply
    const etag =
      fieldOf(reply, 'etag') ?? `"${digest(Buffer.from(body.buffer, body.byteOffset, body.length))}"`
    const whole: AnyReply = {
      ...reply,
      headers: { ...without(reply, 'etag', 'accept-ranges'), ETag: etag, 'Accept-Ranges': 'bytes' },
    }
    const known = headers['if-none-match']
    if (isConditional && known !== undefined && isNamedIn(known, etag))
      return { status: 304, headers: without(whole, 'content-type', 'content-length') }
    // Other methods have no ranges (RFC 9110, section 14.2).
    if (
      method !== 'GET' ||
      headers.range === undefined ||
      !isCurrent(headers, etag, fieldOf(reply, 'last-modified'))
    )
      return whole
    const range = rangeIn(headers.range, body.length)
    if (range === undefined) return whole
    if (typeof range === 'string') {
      if (!isRefused) return whole
      throw ApiError.ofStatus(416, range, { headers: { 'Content-Range': `bytes */${body.length}` } })
    }
    const [first, last] = range
    const given = fieldOf(reply, 'content-type') ?? (type?.includes('*') ? undefined : type)
    return {
      status: 206,
      headers: {
        ...without(whole, 'content-length'),
        ...(given !== undefined && { 'Content-Type': given }),
        'Content-Range': `bytes ${first}-${last}/${body.length}`,
      },
      body: body.subarray(first, last + 1),
    }
  }
}

/** The value of a header field, whatever the case of its name. */
function fieldOf({ headers = {} }: AnyReply, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return value === undefined ? undefined : String(value)
}

const without = ({ headers = {} }: AnyReply, ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())))

/** Whether If-Range lets a range be sent: it is absent, or names what the reply shows (RFC 9110, section 13.1.5). */
function isCurrent(headers: IncomingHttpHeaders, etag: string, lastModified: string | undefined): boolean {
  const asked = headers['if-range']
  if (typeof asked !== 'string') return true
  if (/^(W\/)?"/.test(asked.trim())) return asked.trim() === etag && !etag.startsWith('W/')
  return lastModified !== undefined && Date.parse(asked) === Date.parse(lastModified)
}

/**
 * Reads a Range field (RFC 9110, section 14.1.2).
 * @returns undefined for what is to be ignored: another unit, and what is no range; a text for what can't be sent
 */
export function rangeIn(field: string, length: number): Range | string | undefined {
  const [, set] = /^\s*bytes\s*=(.*)$/i.exec(field) ?? []
  const parts = set?.split(',').flatMap(part => part.trim() || []) ?? []
  const ranges = parts.map(part => /^(\d+)-(\d*)$|^-(\d+)$/.exec(part))
  if (ranges.length === 0 || ranges.some(isMalformed)) return undefined
  if (ranges.length > 1) return 'Ask for one range at a time.'
  const [, first = '', last = '', suffix] = ranges[0] ?? []
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return `There is no range of the last 0 bytes: there are ${length}.`
    return length === 0 ? undefined : [Math.max(0, length - Number(suffix)), length - 1]
  }
  if (Number(first) >= length) return `The range begins behind the last of ${length} bytes.`
  return [Number(first), Math.min(last === '' ? Infinity : Number(last), length - 1)]
}

/** Whether a range is none: its last byte is before its first one. */
function isMalformed(range: RegExpExecArray | null): boolean {
  if (!range) return true
  const [, first = '', last = ''] = range
  return first !== '' && last !== '' && Number(last) < Number(first)
}
