import { isDeepStrictEqual } from 'node:util'
import { codeIn, type Refusal } from '../records/conventions.ts'
import type { Interface } from '../records/interface.ts'
import type { createSender, Exchange } from './sending.ts'
import type { Report, Sent } from './summary.ts'
import type { World } from './world.ts'

/** How a request ended, as its caller can tell: it is no fault of the request in itself. */
export const isTaken = ({ reply }: Exchange) =>
  reply.status < 400 || reply.status === 404 || reply.status === 409

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The assertions that probes make about replies. */
export function createHolds(
  contract: Interface,
  world: World,
  { hold, holdOf }: Report,
  { examineError }: ReturnType<typeof createSender>,
) {
  const answerOf = ({ reply }: Sent) => `${reply.status} ${codeIn(reply.body) ?? ''}`.trim()

  /** Whether a reply is this refusal, as far as the document names its status and code. */
  function isRefused({ endpoint, reply }: Exchange, { status, code }: Refusal): boolean {
    // OpenAPI does not say by which of its statuses an operation refuses a request.
    if (!contract.guided) return reply.status >= 300 && reply.status < 500
    const isDue = endpoint.statuses.includes(status)
    return (
      (isDue ? reply.status === status : reply.status >= 400 && reply.status < 500) &&
      (!contract.names(code) || codeIn(reply.body) === code)
    )
  }

  return {
    isRefused,
    /** Something of a reply, by its name, is what it must be. */
    holdSame: (exchange: Exchange, what: string, found: unknown, due: unknown) =>
      hold(exchange, `${what} is ${shown(found)} instead of ${shown(due)}`, isDeepStrictEqual(found, due)),
    holdStatus: (exchange: Exchange, what: string, status = exchange.endpoint.success) =>
      hold(
        exchange,
        `${what} is answered ${answerOf(exchange)} instead of ${status}`,
        exchange.reply.status === status,
      ),
    holdSuccess: (exchange: Exchange, what: string) =>
      hold(exchange, `${what} is answered ${answerOf(exchange)}`, exchange.reply.status < 300),
    holdTaken: (exchange: Exchange, what: string) =>
      hold(exchange, `${what} is answered ${answerOf(exchange)}`, isTaken(exchange)),
    /**
     * A refusal by the service itself.
     * @param wait the due Retry-After, in seconds
     */
    holdRefusal(exchange: Exchange, what: string, refusal: Refusal, wait?: number): void {
      const retryAfter =
        wait === undefined ? '' : ` with Retry-After ${exchange.reply.headers['retry-after']}`
      const due = [refusal.status, refusal.code, wait].filter(part => part !== undefined).join(' ')
      const isWait = wait === undefined || exchange.reply.headers['retry-after'] === String(wait)
      const isRight = isRefused(exchange, refusal) && isWait
      hold(exchange, `${what} is answered ${answerOf(exchange)}${retryAfter} instead of ${due}`, isRight)
    },
    /** The same for what belongs to no operation: what comes has the form of the document's errors. */
    holdError(what: string, sent: Sent, { status, code }: Refusal): void {
      const isRight = sent.reply.status === status && codeIn(sent.reply.body) === code
      const faults = [...(isRight ? examineError(sent.reply) : []), ...world.takeLog()]
      const description = isRight ? faults.join('; ') : `${answerOf(sent)} instead of ${status} ${code}`
      holdOf(undefined, `${what} is answered ${description}`, isRight && faults.length === 0, sent)
    },
  }
}
