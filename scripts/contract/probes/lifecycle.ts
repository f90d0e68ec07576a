import { codes } from '../conventions.ts'
import type { Endpoint } from '../interface.ts'
import type { Session } from '../session.ts'
import { holdRefusal } from './answers.ts'

/** A deprecated operation works until the last moment before 00:00 UTC of its sunset date, and is gone from then on. */
export async function probeLifecycle(session: Session, endpoint: Endpoint) {
  const { clock } = session
  const now = clock.now()
  const sunset = new Date(`${endpoint.operation['x-deprecated-sunset']}T00:00:00Z`)
  clock.set(new Date(sunset.getTime() - 1))
  const last = await session.exchange(endpoint, session.draw(endpoint, undefined, true))
  session.hold(last, 'it ends before its sunset date', last.reply.status < 400)
  clock.set(sunset)
  const gone = await session.exchange(endpoint, session.draw(endpoint, undefined, true))
  holdRefusal(session, gone, 'a request from its sunset date on', 410, codes.ended)
  if (endpoint.method === 'GET') {
    const { status } = await session.world.send({ ...gone.request, method: 'HEAD' })
    session.hold(gone, `HEAD is answered ${status} from its sunset date on`, status === 410)
  }
  clock.set(now)
}
