import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** A trace of another service that a request belongs to (W3C Trace Context, section 3.2). */
const traceparentForm = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/**
 * The id of the trace that a `traceparent` names; undefined where it names none, as when it was sent twice. The form of
 * version 00 ends with the flags, later ones may add to it.
 */
export function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, more] = traceparentForm.exec(traceparent) ?? []
  return version === '00' && more !== undefined ? undefined : traceId
}

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** The log of one request. It is made when something is to be written to it: of most requests nothing is. */
export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: Logger
  readonly #request: FastifyRequest
  #made: FastifyBaseLogger | undefined

  constructor(parent: Logger, request: FastifyRequest) {
    this.#parent = parent
    this.#request = request
  }

  /** Each line has the ids of the request and of its trace, that of a failure above all. */
  #own(): FastifyBaseLogger {
    if (this.#made) return this.#made
    const { id, headers } = this.#request
    const traceId = traceIdOf(headers.traceparent)
    this.#made = this.#parent.child({ reqId: id, ...(traceId !== undefined && { traceId }) })
    return this.#made
  }

  #write(level: Level, line: unknown[]): void {
    if (!this.#made && !this.#parent.isLevelEnabled(level)) return
    this.#own()[level](...(line as [object, string])) // whatever it is, it is for the one that takes it
  }

  get level(): string {
    return (this.#made ?? this.#parent).level
  }
  set level(level: string) {
    this.#own().level = level
  }

  trace(...line: unknown[]): void {
    this.#write('trace', line)
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line)
  }
  info(...line: unknown[]): void {
    this.#write('info', line)
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line)
  }
  error(...line: unknown[]): void {
    this.#write('error', line)
  }
  fatal(...line: unknown[]): void {
    this.#write('fatal', line)
  }
  silent(): void {}

  child(...about: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own().child(...about)
  }
}
