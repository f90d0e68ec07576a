import { codeIn } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Sent } from '../report.ts'
import type { Exchange, Session } from '../session.ts'

/** How a request ended, as its caller can tell. */
export const isTaken = ({ reply }: Exchange) =>
  reply.status < 400 || reply.status === 404 || reply.status === 409

/** The least that a request must hold, of a kind that the service takes. */
export const plainDraft = async (session: Session, endpoint: Endpoint) =>
  (await session.taken(endpoint)).drawn

/** Whether a reply is a refusal with this status and code, as far as the document names them. */
export function isRefused(
  { contract }: Session,
  { endpoint, reply }: Exchange,
  status: number,
  code: string,
): boolean {
  const isDue = endpoint.statuses.includes(status)
  return (
    (isDue ? reply.status === status : reply.status >= 400 && reply.status < 500) &&
    (!contract.names(code) || codeIn(reply.body) === code)
  )
}

/** A refusal by the service itself must have this status, and its body this code. */
export function holdRefusal(
  session: Session,
  exchange: Exchange,
  what: string,
  status: number,
  code: string,
): void {
  const { reply } = exchange
  const own = codeIn(reply.body)
  const isRight = isRefused(session, exchange, status, code)
  session.hold(exchange, `${what} is answered ${reply.status} ${own}, and not ${status} ${code}`, isRight)
}

/** The same for what belongs to no operation: what comes has the form of the document's errors. */
export function holdError(session: Session, what: string, sent: Sent, status: number, code: string): void {
  const { reply } = sent
  const own = codeIn(reply.body)
  const isRight = reply.status === status && own === code
  const faults = [...(isRight ? session.examineError(reply) : []), ...session.world.takeLog()]
  const told = isRight ? faults.join('; ') : `${reply.status} ${own}, and not ${status} ${code}`
  session.holdOf(undefined, `${what} is answered ${told}`, isRight && faults.length === 0, sent)
}
