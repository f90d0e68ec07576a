import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Model, OperationModel } from '../../document/model.ts'
import type { RateLimits } from '../extensions.ts'
import { andThen, type Later } from '../later.ts'
import type { Bans } from '../limits/bans.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Caller, Holder, HolderId, Quotas } from './caller.ts'
import {
  type Credential,
  challengeOf,
  credentialName,
  credentialReader,
  credentialsOf,
  howToSend,
  missingCheckers,
  schemesOf,
  type Way,
  waysInto,
} from './security.ts'

/** An address is counted with its whole network: a household or a server has an IPv6 /64 of its own. */
const ipv6Network = 64

/**
 * Whose a credential is, or why it is nobody's: the end of the sentence "The API key …". The same object for the same
 * holder, as long as nothing about it has changed.
 */
export type Found = Holder | { fault: string }

/** Knows the holders of one security scheme's credentials. */
export interface Checker {
  /**
   * @param from the address that sent the credential, asked for only when it is not known yet
   * @param over the connection that it came over, as which mostly sends the same again
   * @throws Error when it can't be told now
   */
  find(credential: Credential, from: () => string, over?: object): Later<Found>
  /** The holder, as far as that is known without asking anybody. */
  recall(credential: Credential): Holder | undefined
  /** Is told that something about a holder has changed; what it gives is there once that counts. */
  forget(id: HolderId): Later<void>
}

/** By the names of the document's security schemes. */
export type Checkers = Readonly<Record<string, Checker>>

/** Who sent a request, and what is wrong with the credential that came with it. */
export interface Identified {
  caller: Caller
  /** undefined when the credential is right, or when there is none */
  fault?: string | undefined
}

/** Finds out who sends requests. */
export interface Callers {
  /**
   * Who sent a request, by what it may be let in with.
   * @param operationId undefined: any credential counts, for its quota
   * @throws Error when that can't be told now
   */
  identify(request: FastifyRequest, operationId: string | undefined): Later<Identified>
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
    .map(({ name, scheme }) => ({
      schemes: [{ name, scheme, scopes: [], read: credentialReader(name, scheme, []) }],
    }))
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

  /** How strangers are told to come in, by operationId. */
  const invitations = new Map<string, { message: string; headers: Record<string, string> }>()
  function invitationTo(operationId: string) {
    const known = invitations.get(operationId)
    if (known) return known
    const own = (ways.get(operationId) ?? []).map(({ schemes }) => schemes.map(({ scheme }) => scheme))
    const challenges = [...new Set(own.flat().map(scheme => challengeOf(scheme, realm)))]
    const sentences = own.flatMap(schemes => schemes.map(howToSend).join(' together with ') || [])
    const made = {
      message: `Send ${[...new Set(sentences)].join(', or ')}.`,
      headers: { 'WWW-Authenticate': challenges.join(', ') },
    }
    invitations.set(operationId, made)
    return made
  }

  const callers = new WeakMap<Holder, Caller>()
  function callerOf(holder: Holder): Caller {
    const { id, scopes, plan, quotas } = holder
    const bannedUntil = bans.ofHolder(id, holder.bannedUntil)
    const known = callers.get(holder)
    if (known && bannedUntil === null) return known
    const caller: Caller = {
      kind: 'key',
      keyId: id,
      scopes,
      counter: `key:${id}`,
      plan,
      quotas: quotasOf(plan, quotas),
      bannedUntil,
    }
    if (bannedUntil === null) callers.set(holder, caller)
    return caller
  }

  /** Who holds all that is sent together in one way, or what is wrong with it; undefined where it is not sent. */
  function holderBy(way: Way, request: FastifyRequest): Later<Found | undefined> {
    const credentials = credentialsOf(way, request)
    if (!credentials) return undefined
    const from = () => addressOf(request.ip)
    const check = (index: number, first: Holder | undefined): Later<Found | undefined> => {
      const credential = credentials[index]
      if (!credential) return first
      const found = checkers[credential.scheme]?.find(credential, from, request.socket) ?? {
        fault: 'is not known',
      }
      return andThen(found, one => {
        if (!('fault' in one)) return check(index + 1, first ?? one)
        const scheme = way.schemes[index]?.scheme
        return { fault: `The ${scheme ? credentialName(scheme) : ''} ${one.fault}.` }
      })
    }
    return check(0, undefined)
  }

  function identify(request: FastifyRequest, operationId: string | undefined): Later<Identified> {
    const own = ways.get(operationId ?? '') ?? anyWay
    const tryWay = (index: number, fault: string | undefined): Later<Identified> => {
      const way = own[index]
      if (!way) return { caller: strangerAt(request.ip), fault }
      return andThen(holderBy(way, request), found => {
        if (found && !('fault' in found)) return { caller: callerOf(found) }
        return tryWay(index + 1, fault ?? found?.fault)
      })
    }
    return tryWay(0, undefined)
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
      const { message, headers } = invitationTo(operationId)
      return new ApiError('unauthenticated', fault ?? message, { headers })
    },
  }
}
