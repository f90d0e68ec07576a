import { codes } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Session } from '../session.ts'

/** A deprecated operation works until 00:00 UTC of its sunset date, and is gone from then on. */
export async function probeLifecycle(session: Session, endpoint: Endpoint) {
  const { clock } = session
  const { sunset } = endpoint
  if (!sunset) return
  const now = clock.now()
  clock.set(new Date(sunset.getTime() - 1))
  session.holdTaken(await session.ask(endpoint), 'a request before its sunset date')
  clock.set(sunset)
  const gone = await session.ask(endpoint)
  session.holdRefusal(gone, 'a request from its sunset date on', codes.ended)
  if (endpoint.method === 'GET')
    session.holdStatus(await session.glance(gone, { method: 'HEAD' }), 'HEAD from its sunset date on', 410)
  clock.set(now)
}
