import { codeIn } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Report } from '../report.ts'
import type { Exchange, Session } from '../session.ts'

/** How a request ended, as its caller can tell. */
export const isTaken = ({ reply }: Exchange) =>
  reply.status < 400 || reply.status === 404 || reply.status === 409

/** The least that a request must hold, of a kind that the service takes. */
export const plainDraft = async (session: Session, endpoint: Endpoint) =>
  (await session.taken(endpoint)).drawn

/** A refusal by the service itself must have this status, and its body this code. */
export function holdRefusal(
  report: Report,
  exchange: Exchange,
  what: string,
  status: number,
  code: string,
): void {
  const { reply } = exchange
  const own = codeIn(reply.body)
  report.hold(
    exchange,
    `${what} is answered ${reply.status} ${own}, and not ${status} ${code}`,
    reply.status === status && own === code,
  )
}
