import { ApiError } from '../contract/api-error.ts'
import type { ErrorDetail } from '../generated/schema.ts'

/** At most this many faults of one request are listed. */
export const detailsLimit = 100
/** At most this many characters of what a caller sent are repeated at a time. */
const excerptLimit = 200
/** From this many characters on, written as JSON, no further fault is listed. */
const listLimit = 20_000

/** The beginning of a text that came from a caller, in well-formed Unicode, fit to be repeated in a reply. */
export function excerpt(text: string): string {
  if (text.length <= excerptLimit) return text.toWellFormed()
  // Neither a surrogate pair nor an escape of a JSON Pointer is cut in two.
  return `${text.slice(0, excerptLimit).replace(/[\ud800-\udbff]$|~$/, '')}…`.toWellFormed()
}

/** Escapes a name for a JSON Pointer (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * The faults of a text that not every database stores faithfully: NUL characters, lone surrogates, and the byte order
 * mark at the beginning, which PGlite drops as it reads.
 */
export function badText(text: string, path: string): ErrorDetail[] {
  if (text.includes('\0')) return [{ path, message: 'must not hold a NUL character' }]
  if (text.startsWith('\ufeff')) return [{ path, message: 'must not begin with a byte order mark (U+FEFF)' }]
  return text.isWellFormed() ? [] : [{ path, message: 'must not hold a lone surrogate' }]
}

/**
 * The refusal of a part of a request; its size is bounded, whatever the caller sent.
 * @param subject the part as a sentence begins with it: `The body is`
 * @param details its faults, at least one
 */
export function invalidRequest(subject: string, details: readonly ErrorDetail[]): ApiError {
  const listed: ErrorDetail[] = []
  let length = 0
  for (const { path, message } of details.slice(0, detailsLimit)) {
    const detail = { path: excerpt(path), message }
    if (length < listLimit) listed.push(detail)
    length += JSON.stringify(detail).length
  }
  const [first] = listed
  const others = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const message = `${subject} not valid: ${first?.path || 'the whole'} ${first?.message}${others}.`
  return new ApiError(400, 'invalid_request', message, { details: listed })
}
