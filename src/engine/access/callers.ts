import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { rateLimits } from '../../generated/operations.ts'
import type { Plan } from '../../generated/schema.ts'
import { hashKey, isWellFormed } from '../../keys/api-key.ts'
import type { ApiKeyRow } from '../../store/api-keys.ts'
import type { KeyDirectory } from '../../store/key-directory.ts'
import type { Bans } from '../limits/bans.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Caller, Quotas } from './caller.ts'

/** An address is counted with its whole network: a household or a server has an IPv6 /64 of its own. */
const ipv6Network = 64

/** Who sent a request, and what is wrong with the key that came with it. */
export interface Identified {
  caller: Caller
  /** why the key given is no valid one; undefined when it is, or when there is none */
  fault?: string
}

/** The quotas that the document gives a plan; those of the custom one are the key's own. */
function quotasOf(plan: Plan, own: ApiKeyRow['quotas']): Quotas {
  const quotas: Quotas | { custom: true } = rateLimits.plans[plan]
  return 'custom' in quotas ? { ...own } : quotas
}

/** The address under which a caller without a valid key is counted. */
const addressOf = (ip: string) => normalizeIP(ip, ipv6Network)

/** A caller without a valid key, at the address that the request came from (by TRUST_PROXY). */
export function strangerAt(ip: string, bans: Bans): Caller {
  const address = addressOf(ip)
  const plan = rateLimits.anonymous
  return {
    kind: 'stranger',
    address,
    counter: `address:${address}`,
    plan,
    quotas: quotasOf(plan, null),
    bannedUntil: bans.ofAddress(address),
  }
}

function callerOf(key: ApiKeyRow, bans: Bans): Caller {
  return {
    kind: 'key',
    keyId: key.id,
    scopes: key.scopes,
    counter: `key:${key.id}`,
    plan: key.plan,
    quotas: quotasOf(key.plan, key.quotas),
    bannedUntil: bans.ofKey(key.id, key.banned_until),
  }
}

/**
 * Finds out who sent a request, by its X-API-Key. A key that is malformed or mistyped costs no query.
 * @throws Error when the key is not known yet and the database does not answer
 */
export async function identify(
  request: FastifyRequest,
  keys: KeyDirectory,
  bans: Bans,
  now: Date,
): Promise<Identified> {
  const text = request.headers['x-api-key']
  if (text === undefined) return { caller: strangerAt(request.ip, bans) }
  const refuse = (fault: string) => ({ caller: strangerAt(request.ip, bans), fault })
  if (typeof text !== 'string' || !isWellFormed(text)) return refuse('is not well-formed')
  const key = await keys.find(hashKey(text), () => addressOf(request.ip))
  if (!key) return refuse('is not known')
  if (key.disabled) return refuse('is disabled')
  if (key.expires_at && key.expires_at <= now) return refuse('has expired')
  keys.use(key.id)
  return { caller: callerOf(key, bans) }
}

/** Who sent a request, as far as that is known without asking the database. */
export function recall(request: FastifyRequest, keys: KeyDirectory, bans: Bans, now: Date): Caller {
  const text = request.headers['x-api-key']
  const key = typeof text === 'string' && isWellFormed(text) ? keys.recall(hashKey(text)) : undefined
  const isValid = key && !key.disabled && !(key.expires_at && key.expires_at <= now)
  return isValid ? callerOf(key, bans) : strangerAt(request.ip, bans)
}

/** The refusal of a caller whom a valid key would let in (RFC 9110, section 11.6.1). */
export function unauthenticated(fault: string | undefined): ApiError {
  const message = fault ? `The API key ${fault}.` : 'Send an API key as X-API-Key.'
  return new ApiError(401, 'unauthenticated', message, {
    headers: { 'WWW-Authenticate': 'ApiKey realm="petstore"' },
  })
}
