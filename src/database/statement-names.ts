import { createHash } from 'node:crypto'

/** More statements than these are not prepared on a connection: something builds them without end. */
const namesLimit = 500

/** The names under which statements are prepared: PostgreSQL parses and plans each once for a connection. */
export class StatementNames {
  #names = new Map<string, string>()
  #generation = 0
  #isOff = false

  /** The name of a statement; undefined: it is not to be prepared. */
  of(text: string): string | undefined {
    if (this.#isOff) return undefined
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= namesLimit) return known
    const hash = createHash('sha256').update(`${this.#generation} ${text}`).digest('base64url')
    const name = hash.slice(0, 16)
    this.#names.set(text, name)
    return name
  }

  /** Has all statements prepared anew. */
  renew(): void {
    this.#generation++
    this.#names.clear()
  }

  /** Has no statement prepared from now on. */
  turnOff(): void {
    this.#isOff = true
  }
}

/**
 * Whether PostgreSQL refused a statement for its name alone, before anything of it has run: a table that it uses has
 * changed ("cached plan must not change result type"), or the session does not know the name.
 */
export function isRefusedByName(error: unknown): boolean {
  const { code, routine } = error as { code?: unknown; routine?: unknown } // what PostgreSQL's errors carry
  return routine === 'RevalidateCachedQuery' || code === '26000' || code === '42P05'
}
