import { refusal } from '../engine/index.ts'

/** The refusal of a change to a version that is not the present one any more. */
export const preconditionFailed = () =>
  refusal('precondition_failed', 'The record has changed: its ETag is not in If-Match any more.')
