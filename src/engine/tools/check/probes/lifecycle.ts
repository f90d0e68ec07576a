import { codes } from '../../records/conventions.ts'
import { isSame } from '../../records/effects.ts'
import type { Endpoint } from '../../records/interface.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { linkTo, nextPage } from '../wire.ts'

/** A deprecated operation works until 00:00 UTC of its sunset date, and is gone from then on. */
export async function probeLifecycle(session: Session, endpoint: Endpoint) {
  const { clock } = session
  const { sunset } = endpoint
  if (!sunset) return
  const now = clock.now()
  clock.set(new Date(sunset.getTime() - 1))
  const last = await session.ask(endpoint)
  session.holdTaken(last, 'a request before its sunset date')
  await followSuccessor(session, last)
  clock.set(sunset)
  const gone = await session.ask(endpoint)
  session.holdRefusal(gone, 'a request from its sunset date on', codes.ended)
  if (endpoint.method === 'GET')
    session.holdStatus(await session.glance(gone, { method: 'HEAD' }), 'HEAD from its sunset date on', 410)
  clock.set(now)
}

/** The most pages of a list that are read for one record. */
const mostPages = 100

/** The successor of a read shows the same record, in whatever form; a list does so on one of its pages. */
async function followSuccessor(session: Session, read: Exchange): Promise<void> {
  const { endpoint, draft, reply } = read
  const url = linkTo('successor-version', reply)
  const id = endpoint.method === 'GET' && endpoint.record !== undefined && draft.path[endpoint.record]
  if (!id || url === undefined || reply.status >= 300) return
  let led = await session.glance(read, { url })
  session.hold(led, `its successor ${url} is answered ${led.reply.status}`, led.reply.status < 300)
  for (let pages = 1; pages < mostPages && !holds(led.reply.body, id); pages++) {
    const next = nextPage(led.request.url, led.reply)
    if (next === undefined) break
    led = await session.glance(read, { url: next })
  }
  session.hold(led, `its successor ${url} does not show the record`, holds(led.reply.body, id))
}

/** Whether a value is, or has in it, another one. */
const holds = (value: unknown, wanted: unknown): boolean =>
  isSame(value, wanted) ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some(candidate => holds(candidate, wanted)))
