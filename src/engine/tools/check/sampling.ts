import type { Session } from './session.ts'

/** A thing that was tried before is tried again one time in so many. */
const again = { own: 1, running: 5 }

/** How often each thing was tried in a session, or left out. */
const tries = new WeakMap<Session, Map<string, number>>()

/**
 * Whether something is tried of an operation that was tried of others: always of the check's own service; of a running one
 * the first time, and then some things of each operation, others than before.
 * @param index its place among all that is tried of the operation
 */
export function isTried(session: Session, what: string, index: number): boolean {
  const counts = tries.get(session) ?? new Map<string, number>()
  tries.set(session, counts)
  const before = counts.get(what) ?? 0
  counts.set(what, before + 1)
  return before === 0 || (index + before) % session.either(again) === 0
}
