import { setTimeout as sleep } from 'node:timers/promises'
import { showsSecret } from '../../document/facts.ts'
import { changeCounts, codeIn, credential, fields } from '../conventions.ts'
import { type Endpoint, shapeOf, simpleRead } from '../interface.ts'
import type { Draft } from '../requests.ts'
import { type Exchange, identifierIn, keyHeader, type Session, Unreachable } from '../session.ts'
import { isBody } from './differences.ts'

/** The credentials that one operation issues. */
export interface Life {
  session: Session
  parameter: string
  maker: Endpoint
  /** an operation that needs nothing but a credential */
  read: Endpoint
}

/** One that was issued. */
export interface Issued {
  id: string | number
  secret: string
  exchange: Exchange
}

/** All scopes that a credential may have. */
export function scopesIn({ session: { contract }, maker }: Life): unknown[] {
  const { properties = {} } = shapeOf(contract.model, maker.request.properties.body ?? {})
  const { items = {} } = shapeOf(contract.model, properties[credential.scopes] ?? {})
  return shapeOf(contract.model, items).enum ?? []
}

/** Issues a credential that may do all there is. */
export async function issue(life: Life, more: object = {}): Promise<Issued> {
  const { session, parameter, maker } = life
  const all = scopesIn(life)
  const own = { ...(all.length > 0 && { [credential.scopes]: all }), ...more }
  const exchange = await session.taken(maker, () => {
    const draft = session.draw(maker, undefined, true)
    return { ...draft, body: { ...(isBody(draft.body) && draft.body), ...own } }
  })
  const id = identifierIn(session.contract, parameter, exchange)
  const secret = secretIn(exchange)
  holdPreview(life, exchange)
  if (id !== undefined && secret !== undefined) return { id, secret, exchange }
  throw new Unreachable('its reply has no secret, or does not lead to the credential', exchange)
}

/** The secret of a reply. */
export function secretIn({ reply }: Exchange): string | undefined {
  const { [credential.secret]: secret } = isBody(reply.body) ? reply.body : {}
  return typeof secret === 'string' ? secret : undefined
}

/** What a credential may be known by is the beginning of its secret. */
export function holdPreview({ session }: Life, exchange: Exchange): void {
  const { [credential.preview]: preview } = isBody(exchange.reply.body) ? exchange.reply.body : {}
  const begins = typeof preview === 'string' ? preview.replace(/…$/, '') : ''
  const isOwn = begins.length > 0 && secretIn(exchange)?.startsWith(begins) === true
  if (preview !== undefined) session.hold(exchange, `the preview ${preview} is of another secret`, isOwn)
}

/** A credential as it is read. */
export async function read({ session, parameter, maker }: Life, { id }: Issued) {
  const reader = session.contract.at('GET', `${maker.path}/{${parameter}}`)
  if (!reader) throw new Unreachable(`No operation reads what {${parameter}} names`)
  const exchange = await session.exchange(reader, { path: { [parameter]: id } })
  return { exchange, body: isBody(exchange.reply.body) ? exchange.reply.body : {} }
}

/** Uses a secret; it must be let in or not. */
export async function use({ session, read }: Life, secret: string, isValid: boolean, when: string) {
  const exchange = await session.exchange(read, session.draw(read, undefined, true), {
    headers: keyHeader(session.contract, secret),
  })
  const { status, body } = exchange.reply
  const told = [status, codeIn(body)].filter(part => part !== undefined).join(' ')
  session.hold(exchange, `a credential ${when} is answered ${told}`, isValid ? status < 400 : status === 401)
}

/**
 * Asks for the operation on the credential that takes this body.
 * @param retryKey by which the request may be repeated, where it can be
 */
export async function change(
  life: Life,
  { id }: Issued,
  method: string,
  body: Record<string, unknown>,
  retryKey?: string,
) {
  const { session, parameter, maker } = life
  const endpoint = session.contract.endpoints.find(
    other =>
      other.method === method &&
      other.path.startsWith(`${maker.path}/{${parameter}}`) &&
      Object.keys(body).every(
        name =>
          name in (shapeOf(session.contract.model, other.request.properties.body ?? {}).properties ?? {}),
      ),
  )
  if (!endpoint)
    throw new Unreachable(`No ${method} on {${parameter}} takes ${Object.keys(body).join(' and ')}`)
  const draft: Draft = {
    path: { [parameter]: id },
    query: {},
    header: {},
    ...(method !== 'DELETE' && { body }),
  }
  const isRepeatable = endpoint.parameters.some(({ name }) => name.toLowerCase() === fields.retryKey)
  const headers = retryKey !== undefined && isRepeatable ? { [fields.retryKey]: retryKey } : {}
  const exchange = await session.exchange(endpoint, draft, { headers })
  session.hold(
    exchange,
    `${JSON.stringify(body)} is answered ${exchange.reply.status}`,
    exchange.reply.status < 300,
  )
  // Behind one address there may be several servers.
  if (!session.world.hands.settings) await sleep(changeCounts * 1_000)
  return exchange
}

/** Each kind of credential that the service issues. */
export function livesOf(session: Session): Life[] {
  const { contract } = session
  const read = simpleRead(contract, false)
  return [...contract.makers].flatMap(([parameter, maker]) =>
    read && showsSecret(contract.model, maker) ? [{ session, parameter, maker, read }] : [],
  )
}
