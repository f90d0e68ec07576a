import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Model, OperationModel } from '../../document/model.ts'
import type { RateLimits } from '../extensions.ts'
import type { Bans } from '../limits/bans.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Caller, Holder, HolderId, Quotas } from './caller.ts'
import {
  type Credential,
  challengeOf,
  credentialName,
  credentialsOf,
  howToSend,
  missingCheckers,
  schemesOf,
  type Way,
  waysInto,
} from './security.ts'

/** An address is counted with its whole network: a household or a server has an IPv6 /64 of its own. */
const ipv6Network = 64

/** Whose a credential is, or why it is nobody's: the end of the sentence "The API key …". */
export type Found = Holder | { fault: string }

/** Knows the holders of one security scheme's credentials. */
export interface Checker {
  /**
   * @param from the address that sent the credential, asked for only when it is not known yet
   * @throws Error when it can't be told now
   */
  find(credential: Credential, from: () => string): Found | Promise<Found>
  /** The holder, as far as that is known without asking anybody. */
  recall(credential: Credential): Holder | undefined
  /** Is told that something about a holder has changed. */
  forget(id: HolderId): void
}

/** By the names of the document's security schemes. */
export type Checkers = Readonly<Record<string, Checker>>

/** Who sent a request, and what is wrong with the credential that came with it. */
export interface Identified {
  caller: Caller
  /** undefined when the credential is right, or when there is none */
  fault?: string
}

/** Finds out who sends requests. */
export interface Callers {
  /**
   * Who sent a request, by what it may be let in with.
   * @param operationId undefined: any credential counts, for its quota
   * @throws Error when that can't be told now
   */
  identify(request: FastifyRequest, operationId: string | undefined): Promise<Identified>
  /** The same, as far as it is known without asking anybody. */
  recall(request: FastifyRequest, operationId: string | undefined): Caller
  /** A caller without a credential, at the address that the request came from. */
  strangerAt(ip: string): Caller
  /** The refusal of a caller whom a credential would let in (RFC 9110, section 11.6.1). */
  unauthenticated(operationId: string, fault: string | undefined): ApiError
}

/**
 * @param checkers by the names of security schemes
 * @param realm what credentials are for (RFC 9110, section 11.5)
 * @throws Error when an operation asks for a scheme that nobody checks
 */
export function createCallers(
  model: Model,
  checkers: Checkers,
  rateLimits: RateLimits | undefined,
  bans: Bans,
  realm: string,
): Callers {
  const unchecked = missingCheckers(model, checkers)
  if (unchecked.length > 0) throw new Error(unchecked.map(({ message }) => message).join('\n'))
  const anyWay = schemesOf(model)
    .filter(({ name }) => Object.hasOwn(checkers, name))
    .map(({ name, scheme }) => ({ schemes: [{ name, scheme, scopes: [] }] }))
  const waysOf = (operation: OperationModel) => {
    const ways = waysInto(model, operation)
    return ways.some(({ schemes }) => schemes.length > 0) ? ways : anyWay
  }
  const ways = new Map<string, readonly Way[]>(model.operations.map(one => [one.id, waysOf(one)]))

  /** The quotas that the document gives a plan; those of a custom one are the holder's own. */
  function quotasOf(plan: string, own: Quotas | null): Quotas {
    const declared = rateLimits?.plans[plan]
    // Beside `custom`, which has no quotas beside it, a plan holds numbers only.
    return declared && !declared.custom ? (declared as Quotas) : { ...own }
  }
  const addressOf = (ip: string) => normalizeIP(ip, ipv6Network)

  function strangerAt(ip: string): Caller {
    const address = addressOf(ip)
    const plan = rateLimits?.anonymous ?? ''
    return {
      kind: 'stranger',
      address,
      counter: `address:${address}`,
      plan,
      quotas: quotasOf(plan, null),
      bannedUntil: bans.ofAddress(address),
    }
  }

  function callerOf({ id, scopes, plan, quotas, bannedUntil }: Holder): Caller {
    return {
      kind: 'key',
      keyId: id,
      scopes,
      counter: `key:${id}`,
      plan,
      quotas: quotasOf(plan, quotas),
      bannedUntil: bans.ofHolder(id, bannedUntil),
    }
  }

  async function identify(request: FastifyRequest, operationId: string | undefined): Promise<Identified> {
    let fault: string | undefined
    for (const way of ways.get(operationId ?? '') ?? anyWay) {
      const credentials = credentialsOf(way, request)
      if (!credentials || credentials.length === 0) continue
      let holder: Holder | undefined
      for (const credential of credentials) {
        const found = await checkers[credential.scheme]?.find(credential, () => addressOf(request.ip))
        if (!found || 'fault' in found) {
          const scheme = way.schemes.find(({ name }) => name === credential.scheme)?.scheme
          if (scheme && found) fault ??= `The ${credentialName(scheme)} ${found.fault}.`
          holder = undefined
          break
        }
        holder ??= found
      }
      if (holder) return { caller: callerOf(holder) }
    }
    return { caller: strangerAt(request.ip), ...(fault !== undefined && { fault }) }
  }

  return {
    strangerAt,
    identify,
    recall(request, operationId) {
      for (const way of ways.get(operationId ?? '') ?? anyWay) {
        const holders = credentialsOf(way, request)?.map(one => checkers[one.scheme]?.recall(one))
        if (holders?.[0] && !holders.includes(undefined)) return callerOf(holders[0])
      }
      return strangerAt(request.ip)
    },
    unauthenticated(operationId, fault) {
      const own = (ways.get(operationId) ?? []).flatMap(({ schemes }) => schemes.map(({ scheme }) => scheme))
      const message = fault ?? `Send ${[...new Set(own.map(howToSend))].join(', or ')}.`
      const challenges = [...new Set(own.map(scheme => challengeOf(scheme, realm)))]
      return new ApiError('unauthenticated', message, {
        headers: { 'WWW-Authenticate': challenges.join(', ') },
      })
    },
  }
}
