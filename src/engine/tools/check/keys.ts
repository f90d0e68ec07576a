import { fieldOf, schemesOf, waysInto } from 'spec-served/internal/callers/security'
import { authorizationOf } from 'spec-served-document/model'
import { usualKeyField } from '../records/conventions.ts'
import type { Endpoint, Interface } from '../records/interface.ts'
import type { WireRequest } from '../records/messages.ts'
import { Unreachable } from './summary.ts'
import { need, type Quotas, type World } from './world.ts'

/** A caller's credentials: one for whatever scheme asks for it, or one for each security scheme by the scheme's name. */
export type Secret = string | Readonly<Record<string, string>>

/** The parts of a request that carry a caller's credentials. */
export type Credential = Required<Pick<WireRequest, 'headers' | 'query' | 'hidden'>>

/** More than any check uses up. */
const ample: Quotas = { minute: 1_000_000, day: 1_000_000_000 }

/** A key of the plan whose keys have their own quotas. */
export async function issueKey(
  { customPlan: plan }: Interface,
  world: World,
  quotas: Quotas = ample,
  scopes?: readonly string[],
): Promise<string> {
  if (plan === undefined) throw new Unreachable('No plan of x-rate-limits lets a key have its own quotas')
  return need(world, 'keys').issue({ plan, quotas, ...(scopes && { scopes }) })
}

/**
 * A caller's credentials, as the security schemes of the document write them: those of the first requirement of the
 * operation that the caller can meet, or else all that the caller has.
 */
export function credentialFor({ model }: Interface, secret: Secret | null, endpoint?: Endpoint): Credential {
  const headers: Record<string, string> = {}
  const query: Record<string, string> = {}
  if (secret === null) return { headers, query, hidden: [] }
  const textOf = (name: string) => (typeof secret === 'string' ? secret : secret[name])
  const canMeet = (candidate: readonly { name: string }[]) =>
    candidate.length > 0 && candidate.every(({ name }) => textOf(name) !== undefined)
  const way = endpoint && waysInto(model, endpoint).find(canMeet)
  const all = schemesOf(model)
  const schemes = way ?? all.filter(({ name }) => typeof secret !== 'string' || name === all[0]?.name)
  for (const { name, scheme } of schemes) {
    const value = textOf(name)
    if (value === undefined) continue
    const kind = authorizationOf(scheme)
    const { in: place, name: field = '' } = scheme
    if (kind === 'basic') headers.authorization = `Basic ${Buffer.from(value).toString('base64')}`
    else if (kind !== undefined)
      headers.authorization = `${kind === 'bearer' ? 'Bearer' : scheme.scheme} ${value}`
    else if (place === 'query') query[field] = value
    else if (place === 'cookie')
      headers.cookie = [headers.cookie, `${field}=${value}`].filter(Boolean).join('; ')
    else headers[field.toLowerCase()] = value
  }
  if (all.length === 0 && typeof secret === 'string') headers[usualKeyField] = secret
  return { headers, query, hidden: Object.keys(headers) }
}

/** Whether a request can hold what an operation demands of a caller: one of its ways has no two credentials in one place. */
export const canBeMet = ({ model }: Interface, endpoint: Endpoint): boolean =>
  waysInto(model, endpoint).some(way => {
    const places = way.map(({ scheme }) => (fieldOf(scheme) ?? `${scheme.in} ${scheme.name}`).toLowerCase())
    return new Set(places).size === places.length
  })

/** The header fields of a caller's credentials. */
export const keyHeader = (contract: Interface, secret: Secret | null): Record<string, string> =>
  credentialFor(contract, secret).headers

/** A request with a caller's credentials. */
export function withCredential(request: WireRequest, { headers, query, hidden }: Credential): WireRequest {
  const cookie = [request.headers.cookie, headers.cookie].filter(Boolean).join('; ')
  return {
    ...request,
    headers: { ...request.headers, ...headers, ...(cookie && { cookie }) },
    query,
    hidden,
  }
}

/**
 * Keeps several credentials. For a required scope it offers the first one that was not refused there, and for an operation
 * without one that of the caller whom it takes.
 */
export function keyring(keys: readonly Secret[]) {
  const chosen = new Map<unknown, number>()
  const placeOf = (endpoint: Endpoint) => endpoint.operation['x-required-scope'] ?? endpoint
  const indexOf = (endpoint: Endpoint) => chosen.get(placeOf(endpoint)) ?? 0
  return {
    now: (endpoint: Endpoint) => keys[indexOf(endpoint)],
    /** Goes on to the next one. @returns whether there is one */
    next(endpoint: Endpoint): boolean {
      const index = indexOf(endpoint) + 1
      if (index < keys.length) chosen.set(placeOf(endpoint), index)
      return index < keys.length
    },
    /** The other ones, where no scope tells them apart. */
    othersFor: (endpoint: Endpoint): readonly Secret[] =>
      'x-required-scope' in endpoint.operation ? [] : keys.filter(key => key !== keys[indexOf(endpoint)]),
    /** Takes one from now on. */
    choose: (endpoint: Endpoint, key: Secret): void => void chosen.set(placeOf(endpoint), keys.indexOf(key)),
  }
}
