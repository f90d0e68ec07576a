import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Model } from '../../document/model.ts'
import type { RateLimits } from '../extensions.ts'
import type { Bans } from '../limits/bans.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Caller, Holder, HolderId, Quotas } from './caller.ts'
import {
  type Credential,
  credentialsOf,
  missingCheckers,
  schemesOf,
  type Way,
  waysInto,
  wordsFor,
} from './security.ts'

/** An address is counted with its whole network: a household or a server has an IPv6 /64 of its own. */
const ipv6Network = 64

/** Whose a credential is, or why it is nobody's: the end of the sentence "The API key …". */
export type Found = Holder | { fault: string }

/** Knows the holders of one security scheme's credentials. */
export interface Checker {
  /**
   * @param from the address that sent the credential
   * @throws Error when it can't be told now
   */
  find(credential: Credential, from: string): Found | Promise<Found>
  /** The holder, as far as that is known without asking anybody. */
  recall(credential: Credential): Holder | undefined
  /** Is told that something about a holder has changed, which counts from then on. */
  forget(id: HolderId): void
}

/** By the names of the document's security schemes. */
export type Checkers = Readonly<Record<string, Checker>>

/**
 * Finds out who sends requests.
 * @param checkers by the names of security schemes
 * @param realm what credentials are for (RFC 9110, section 11.5)
 * @throws Error when an operation asks for a scheme that nobody checks
 */
export function createCallers(
  model: Model,
  checkers: Checkers,
  rateLimits: RateLimits | undefined,
  bans: Pick<Bans, 'ofAddress' | 'ofHolder'>,
  realm: string,
) {
  const unchecked = missingCheckers(model, checkers)
  if (unchecked.length > 0) throw new Error(unchecked.join('\n'))
  const anyWay: readonly Way[] = schemesOf(model)
    .filter(({ name }) => Object.hasOwn(checkers, name))
    .map(known => [{ ...known, scopes: [] }])
  const ways = new Map(
    model.operations.map(operation => {
      const own = waysInto(model, operation)
      return [operation.id, own.some(way => way.length > 0) ? own : anyWay]
    }),
  )
  const waysOf = (operationId = '') => ways.get(operationId) ?? anyWay
  const addressOf = (ip: string) => normalizeIP(ip, ipv6Network)

  /** The quotas that the document gives a plan; those of a custom one are the holder's own. */
  function quotasOf(plan: string, own: Quotas | null): Quotas {
    const declared = rateLimits?.plans[plan]
    // Beside `custom`, which has no quotas beside it, a plan holds numbers only.
    return declared && !declared.custom ? (declared as Quotas) : { ...own }
  }

  /** A caller without a credential, at the address that the request came from. */
  function unauthenticatedAt(ip: string): Caller {
    const address = addressOf(ip)
    const plan = rateLimits?.anonymous ?? ''
    return {
      kind: 'address',
      address,
      counter: `address:${address}`,
      plan,
      quotas: quotasOf(plan, null),
      bannedUntil: bans.ofAddress(address),
    }
  }

  const callerOf = ({ id, scopes, plan, quotas, bannedUntil }: Holder): Caller => ({
    kind: 'key',
    keyId: id,
    scopes,
    counter: `key:${id}`,
    plan,
    quotas: quotasOf(plan, quotas),
    bannedUntil: bans.ofHolder(id, bannedUntil),
  })

  /** Who holds all that is sent together in one way, or what is wrong with it; undefined where it is not sent. */
  async function holderBy(way: Way, request: FastifyRequest): Promise<Found | undefined> {
    let first: Holder | undefined
    for (const [index, credential] of (credentialsOf(way, request) ?? []).entries()) {
      const found = await checkers[credential.scheme]?.find(credential, addressOf(request.ip))
      const scheme = way[index]?.scheme
      if (!found || !scheme) throw new Error(`Nobody checks ${credential.scheme}`) // which was looked for above
      if ('fault' in found) return { fault: `The ${wordsFor(scheme).name} ${found.fault}.` }
      first ??= found
    }
    return first
  }

  return {
    unauthenticatedAt,
    /**
     * Who sent a request, by what it may be let in with, and what is wrong with the credential that came with it, if it is.
     * @param operationId undefined: any credential counts, for its quota
     * @throws Error when that can't be told now
     */
    async identify(
      request: FastifyRequest,
      operationId: string | undefined,
    ): Promise<{ caller: Caller; fault?: string | undefined }> {
      let fault: string | undefined
      for (const way of waysOf(operationId)) {
        const found = await holderBy(way, request)
        if (found && !('fault' in found)) return { caller: callerOf(found) }
        fault ??= found?.fault
      }
      return { caller: unauthenticatedAt(request.ip), fault }
    },
    /** The same, as far as it is known without asking anybody. */
    recall(request: FastifyRequest, operationId: string | undefined): Caller {
      for (const way of waysOf(operationId)) {
        const holders = credentialsOf(way, request)?.map(one => checkers[one.scheme]?.recall(one))
        if (holders?.[0] && !holders.includes(undefined)) return callerOf(holders[0])
      }
      return unauthenticatedAt(request.ip)
    },
    /** The refusal of a caller whom a credential would let in (RFC 9110, section 11.6.1). */
    unauthenticated(operationId: string, fault: string | undefined): ApiError {
      const own = waysOf(operationId).map(way => way.map(({ scheme }) => wordsFor(scheme)))
      const challenges = own.flat().map(({ challenge }) => challenge.replace('"*"', () => `"${realm}"`))
      const sentences = own.map(way => way.map(({ toSend }) => toSend).join(' together with '))
      const all = (texts: readonly string[], between: string) =>
        [...new Set(texts)].filter(Boolean).join(between)
      return new ApiError('unauthenticated', fault ?? `Send ${all(sentences, ', or ')}.`, {
        headers: { 'WWW-Authenticate': all(challenges, ', ') },
      })
    },
  }
}
