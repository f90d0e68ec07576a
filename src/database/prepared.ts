import { createHash } from 'node:crypto'

/** More statements than these are not prepared on a connection: something builds them without end. */
const statementsLimit = 500
/** Connections that have lost their statements as often as this prepare none: a proxy gives them sessions of others. */
const lossesLimit = 3

/** Grows when statements turn out to be outdated; part of their names, so that all are prepared anew. */
let generation = 0

/**
 * A statement that was prepared before another process changed its table fails for ever ("cached plan must not change
 * result type"), on each connection.
 */
function isOutdated(error: unknown): boolean {
  return (error as { routine?: unknown }).routine === 'RevalidateCachedQuery'
}

/** invalid_sql_statement_name, duplicate_prepared_statement: the session is not the one that prepared the statement. */
function isLost(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '26000' || code === '42P05'
}

/** Whether a prepared statement was refused for its name alone: nothing of it has run, and without a name it would. */
export function isRefusedByName(error: unknown): boolean {
  return isOutdated(error) || isLost(error)
}

/** What the connections of one pool have learnt of the server. */
export interface Experience {
  /** how often it turned out not to know a statement that it had prepared */
  losses: number
}

/** The names of the statements of one connection: PostgreSQL parses and plans once what comes under a name. */
export class Names {
  readonly #experience: Experience
  #names = new Map<string, string>()
  #prepared = new Set<string>()
  #generation = generation
  #losses: number

  constructor(experience: Experience) {
    this.#experience = experience
    this.#losses = experience.losses
  }

  /** The name to send a statement under; undefined when it is not to be prepared. */
  of(text: string): string | undefined {
    if (!this.#isCurrent()) this.#forget()
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= statementsLimit || this.#losses >= lossesLimit)
      return known
    const name = createHash('sha256')
      .update(`${generation} ${this.#losses} ${text}`)
      .digest('base64url')
      .slice(0, 16)
    this.#names.set(text, name)
    return name
  }

  /** Whether the server knows the statement of this name. */
  isPrepared(name: string): boolean {
    return this.#prepared.has(name)
  }

  /** To be told that the statement of a name has run. */
  succeeded(name: string): void {
    this.#prepared.add(name)
  }

  /** To be told why the statement of a name has failed. Of many that fail at once under one name the first counts. */
  failed(text: string, name: string, error: unknown): void {
    if (!this.#isCurrent() || this.#names.get(text) !== name) return
    if (isOutdated(error)) generation++
    else if (isLost(error)) this.#experience.losses++
  }

  #isCurrent(): boolean {
    return this.#generation === generation && this.#losses === this.#experience.losses
  }

  #forget(): void {
    this.#names.clear()
    this.#prepared.clear()
    this.#generation = generation
    this.#losses = this.#experience.losses
  }
}
