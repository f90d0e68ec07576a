import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'

/** More statements than these are not prepared on a connection: something builds them without end. */
const statementsLimit = 500

/** Grows when statements turn out to be outdated; part of their names, so that all are prepared anew. */
let generation = 0

/**
 * A statement that was prepared before another process changed its table fails for ever ("cached plan must not change
 * result type"), on each connection.
 */
function renewIfOutdated(error: unknown): never {
  if ((error as { routine?: unknown }).routine === 'RevalidateCachedQuery') generation++
  throw error
}

/** Names the statements of one connection. */
function createNames(): (text: string) => string | undefined {
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

/** Lets a connection parse and plan each statement with parameters once: PostgreSQL keeps it under a name. */
export function prepareStatements(client: ClientBase): void {
  const query = client.query
  const nameOf = createNames()
  client.query = function (this: ClientBase, text: unknown, values?: unknown, ...rest: unknown[]) {
    const name =
      typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    const call = name === undefined ? [text, values, ...rest] : [{ name, text, values }, ...rest]
    const result: unknown = Reflect.apply(query, this, call)
    return name !== undefined && result instanceof Promise ? result.catch(renewIfOutdated) : result
  } as typeof client.query // the same overloads, passed through
}
