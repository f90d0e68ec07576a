import { ApiError, type ErrorDetail } from '../replies/api-error.ts'
import { excerpt } from './faults.ts'

/** At most this many faults of one request are listed. */
const detailsLimit = 100
/** From this many characters on, written as JSON, no further fault is listed. */
const listLimit = 20_000

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
    if (details.length > 1) length += JSON.stringify(detail).length
  }
  const [first] = listed
  const others = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  const message = `${subject} not valid: ${first?.path || 'the whole'} ${first?.message}${others}.`
  return new ApiError('invalid_request', message, { details: listed })
}
