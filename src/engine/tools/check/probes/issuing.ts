import { setTimeout as sleep } from 'node:timers/promises'
import { showsSecret } from 'spec-served-document/reading/facts'
import { changeCounts, credential, fields } from '../../records/conventions.ts'
import { type Endpoint, type Kind, takesField } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import { type Exchange, identifierIn } from '../sending.ts'
import type { Session } from '../session.ts'
import { Unreachable } from '../summary.ts'

/** The credentials that one operation issues. */
export interface Life extends Kind {
  session: Session
  /** replaces some properties of a credential */
  changer: Endpoint | undefined
  /** all scopes that one may have */
  scopes: readonly unknown[]
}

/** An issued credential. */
export interface Issued {
  id: string | number
  secret: string
}

/** Each kind of credential that the service issues. */
export function livesOf(session: Session): Life[] {
  const { model, kinds, shape } = session.contract
  return kinds
    .filter(({ maker }) => showsSecret(model, maker))
    .map(kind => ({
      ...kind,
      session,
      changer: kind.changers.find(({ method }) => method === 'PATCH'),
      scopes: shape(shape(kind.maker.takes.properties?.[credential.scopes]).items).enum ?? [],
    }))
}

/** Issues a credential that may do all there is. */
export async function issue({ session, maker, scopes }: Life, more: Body = {}): Promise<Issued> {
  const body = { ...(scopes.length > 0 && { [credential.scopes]: scopes }), ...more }
  const exchange = await session.taken(maker, () => session.least(maker, body))
  const id = identifierIn(exchange)
  const secret = newSecret(session, exchange)
  if (id !== undefined) return { id, secret }
  throw new Unreachable('its reply does not lead to the credential', exchange)
}

/** The secret that a reply shows; what a credential may be known by is its beginning. */
export function newSecret(session: Session, exchange: Exchange): string {
  const { [credential.secret]: secret, [credential.preview]: preview } = recordIn(exchange.reply.body)
  if (typeof secret !== 'string') throw new Unreachable('its reply has no secret', exchange)
  const begins = String(preview).replace(/…$/, '')
  const isOwn = begins.length > 0 && secret.startsWith(begins)
  if (preview !== undefined) session.hold(exchange, `the preview ${preview} is of another secret`, isOwn)
  return secret
}

/** A credential as it is read. */
export async function read({ session, reader, parameter }: Life, { id }: Issued) {
  if (!reader) throw new Unreachable(`No operation reads what {${parameter}} names`)
  const exchange = await session.on(reader, id)
  return { exchange, body: recordIn(exchange.reply.body) }
}

/**
 * Asks once more where the reply is not due yet: behind the address of a service that the check has not started there may
 * be several servers, each of which hears of a change by and by.
 */
export async function settled(
  { world }: Session,
  ask: () => Promise<Exchange>,
  isDue: (exchange: Exchange) => boolean,
): Promise<Exchange> {
  const exchange = await ask()
  if (isDue(exchange) || world.hands.emptiness) return exchange
  await sleep(changeCounts * 1_000)
  return ask()
}

/** Uses a secret; it must be let in or not. */
export async function use({ session }: Life, secret: string, isValid: boolean, when: string) {
  const exchange = await settled(
    session,
    () => session.ask(session.costly, {}, { key: secret }),
    ({ reply }) => isValid === reply.status < 400,
  )
  if (isValid) session.holdStatus(exchange, `a credential ${when}`)
  else session.holdStatus(exchange, `a credential ${when}`, 401)
}

/** Sends this body to the operation on the credential, with an Idempotency-Key where it takes one. */
export async function change(life: Life, { id }: Issued, method: string, body: Body) {
  const { session } = life
  const endpoint = changerOf(life, method, body)
  const headers = takesField(endpoint, fields.retryKey) ? { [fields.retryKey]: `change-${++changes}` } : {}
  const draft = method === 'DELETE' ? {} : { body }
  const exchange = await session.on(endpoint, id, draft, { headers })
  session.holdSuccess(exchange, JSON.stringify(body))
  return exchange
}
let changes = 0

/** The operation on a credential that takes this body. */
export function changerOf({ session, parameter, maker }: Life, method: string, body: Body): Endpoint {
  const names = Object.keys(body)
  const found = session.contract.endpoints.find(
    other =>
      other.method === method &&
      other.path.startsWith(`${maker.path}/{${parameter}}`) &&
      names.every(name => name in (other.takes.properties ?? {})),
  )
  if (found) return found
  throw new Unreachable(`No ${method} on {${parameter}} takes ${names.join(' and ')}`)
}

/** The hours for which a secret may stay valid beside the next one. */
export function overlapsOf({ session: { contract }, maker, parameter }: Life): number[] {
  for (const { path, takes } of contract.endpoints) {
    const declared = takes.properties?.[credential.overlapHours]
    if (!declared || !path.startsWith(`${maker.path}/{${parameter}}/`)) continue
    const values = contract.shape(declared).enum ?? [2]
    const counts = values.filter(value => typeof value === 'number').filter(value => value > 0)
    if (counts.length > 0) return counts
  }
  return [1]
}

/** Gives a credential another secret, beside which the one that it has stays valid for so long. */
export const replace = async (life: Life, issued: Issued, overlapHours: number) =>
  newSecret(life.session, await change(life, issued, 'POST', { overlapHours }))
