import { excerpt, type Fault } from 'spec-served-document/values/faults'
import { ApiError } from './api-error.ts'

/** Returns the refusal of a body that its media type does not allow. */
export const malformed = (reason: string) => new ApiError('invalid_request', `The body ${reason}.`)

/** The most faults that are listed for one request. */
const detailsLimit = 100
/** The length of listed faults, as JSON, from which no further fault is listed. */
const listLimit = 20_000

/** Returns the refusal of a part of a request (`The body is`). Its size is bounded, whatever the caller sent. */
export function invalidRequest(subject: string, faults: readonly Fault[]): ApiError {
  const details: Fault[] = []
  let length = 0
  for (const { path, message } of faults.slice(0, detailsLimit)) {
    const detail = { path: excerpt(path), message }
    if (length < listLimit) details.push(detail)
    length += JSON.stringify(detail).length
  }
  const [first] = details
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  const message = `${subject} not valid: ${first?.path || 'the whole'} ${first?.message}${others}`
  return new ApiError('invalid_request', message.replace(/(?<!\?)$/, '.'), { details })
}
