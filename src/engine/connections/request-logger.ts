import type { FastifyBaseLogger } from 'fastify'

/** From the least severe on. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
type Level = (typeof levels)[number]

const severity = (level: string) => levels.indexOf(level as Level) // of another name it is -1

/** The log of one request. It is made when something is to be written to it: of most requests nothing is. */
export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  /** @param make the log as a child of its parent */
  constructor(parent: FastifyBaseLogger, make: () => FastifyBaseLogger) {
    this.#parent = parent
    this.#make = make
  }

  #own(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }

  #write(level: Level, line: unknown[]): void {
    if (!this.#made && severity(level) < severity(this.#parent.level)) return
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
