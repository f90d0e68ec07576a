import { createHash } from 'node:crypto'

/** More statements than these are not prepared on a connection: something builds them without end. */
const statementsLimit = 500

/** Grows when statements turn out to be outdated; part of their names, so that all are prepared anew. */
let generation = 0

/**
 * A statement that was prepared before another process changed its table fails for ever ("cached plan must not change
 * result type"), on each connection.
 */
export function renewIfOutdated(error: unknown): void {
  if ((error as { routine?: unknown }).routine === 'RevalidateCachedQuery') generation++
}

/** Names the statements of one connection: PostgreSQL parses and plans once what comes under a name. */
export function createNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  let namesGeneration = generation
  return text => {
    if (namesGeneration !== generation) {
      names.clear()
      namesGeneration = generation
    }
    const known = names.get(text)
    if (known !== undefined || names.size >= statementsLimit) return known
    const name = createHash('sha256').update(`${generation} ${text}`).digest('base64url').slice(0, 16)
    names.set(text, name)
    return name
  }
}
