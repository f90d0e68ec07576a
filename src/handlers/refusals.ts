import { refusal } from 'spec-served'

/** Returns the refusal of a change to a version that is no longer the present one. */
export const preconditionFailed = () =>
  refusal('precondition_failed', 'The record has changed: its ETag is not in If-Match any more.')
