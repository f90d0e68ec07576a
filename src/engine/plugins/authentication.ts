import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Caller, type Holder, holderCounter, ipOf, type Quotas } from '../access/caller.ts'
import * as security from '../access/security.ts'
import type { Contract, OperationFacts } from '../contract.ts'
import type { StageOptions } from '../parts.ts'
import { ApiError } from '../replies/api-error.ts'
import { factsFor, isUnknown, operationOf, takesKeys } from '../routes/paths.ts'
import { within } from '../within.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** the fault of the credential that came with it; undefined for a valid one or none */
    credentialFault: string | undefined
  }
  interface FastifyInstance {
    /** Returns the caller as far as it is known without a query. */
    recallCaller(request: FastifyRequest): Caller
    /** Returns the caller of a request as an operation knows it, at any route. */
    callerOf(request: FastifyRequest, operationId: string): Promise<Caller>
    /** Returns a caller without a credential. */
    unauthenticatedAt(ip: string): Caller
    /** Returns the refusal of a caller that needs a credential. */
    unauthenticated(request: FastifyRequest): ApiError
  }
}

type Way = security.Way

/** How long an operation that is open to all waits for the identity of its caller, in ms. */
const identifiedWithin = 250
/** Addresses of one network share a counter: a household or a server has a whole IPv6 /64. */
const ipv6Network = 64
const addressOf = (ip: string) => normalizeIP(ip, ipv6Network)

/** A failed guess at a key costs quota, even if a valid key would not. */
const isGuess = (request: FastifyRequest) =>
  factsFor(request)?.secured === true && request.caller.kind === 'address'

/** Whether a caller has the credential and the scope that an operation needs. */
export const mayCall = (facts: OperationFacts | undefined, caller: Caller): boolean =>
  (facts?.secured !== true || caller.kind === 'key') && hasScope(facts, caller)

const hasScope = (facts: OperationFacts | undefined, caller: Caller) =>
  !facts?.scope || caller.kind !== 'key' || caller.scopes.includes(facts.scope)

/** Whether a request costs no quota up to a bound. */
export function isFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = factsFor(request)
  if (facts) return facts.quotaFree && !isGuess(request)
  return !isUnknown(request) && !(takesKeys(request) && request.credentialFault !== undefined)
}

/** Whether a request is answered without cost whoever sent it, as /health, the docs and OPTIONS are. */
function isOpenForFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = factsFor(request)
  return facts ? facts.quotaFree && !facts.secured : !isUnknown(request) && !takesKeys(request)
}

/**
 * Identifies the caller by the document's security requirements. It refuses nobody: each call is counted first.
 * @throws Error when an operation needs a scheme without a checker
 */
export const authentication = fp<StageOptions>(
  async (app, { contract: { model, rateLimits }, parts: { name, checkers, bans, isUnavailable } }) => {
    const unchecked = security.missingCheckers(model, checkers)
    if (unchecked.length > 0) throw new Error(unchecked.join('\n'))
    const waysOf = waysWith(model, checkers)
    const apiKeys = security.schemesOf(model).filter(({ scheme }) => scheme.type === 'apiKey')
    const keyNames = apiKeys.flatMap(({ scheme }) => scheme.name ?? [])

    /** Returns the quotas of a plan in the document; for a custom plan the holder's own. */
    function quotasOf(plan: string, own: Quotas | null): Quotas {
      const declared = rateLimits?.plans[plan]
      // A plan without `custom` holds numbers only.
      return declared && !declared.custom ? (declared as Quotas) : { ...own }
    }

    function unauthenticatedAt(ip: string): Caller {
      const address = addressOf(ip)
      const plan = rateLimits?.anonymous ?? ''
      const quotas = quotasOf(plan, null)
      const bannedUntil = bans.ofAddress(address)
      return { kind: 'address', address, counter: `address:${address}`, plan, quotas, bannedUntil }
    }

    /** Returns the caller for the holder of a way's first credential. */
    function callerOf({ id, scopes, plan, quotas: own, bannedUntil: stored }: Holder, [first]: Way): Caller {
      const scheme = first?.name ?? ''
      const counter = holderCounter(scheme, id, checkers[scheme]?.isOfKeys)
      const [quotas, bannedUntil] = [quotasOf(plan, own), bans.ofHolder(counter, stored)]
      return { kind: 'key', scheme, keyId: id, scopes, counter, plan, quotas, bannedUntil }
    }

    /** Returns the holder of a way's credentials, or their fault; undefined if they were not sent. */
    async function holderBy(way: Way, request: FastifyRequest): Promise<security.Found | undefined> {
      let first: Holder | undefined
      for (const [index, credential] of (security.credentialsOf(way, request) ?? []).entries()) {
        const found = await checkers[credential.scheme]?.find(credential, addressOf(ipOf(request)))
        const scheme = way[index]?.scheme
        if (!found || !scheme) throw new Error(`Nobody checks ${credential.scheme}`) // the start has checked this
        if ('fault' in found) return { fault: `The ${security.wordsFor(scheme).name} ${found.fault}.` }
        first ??= found
      }
      return first
    }

    /** Returns the caller of a request, and the fault of its credential if it has one. */
    async function identify(request: FastifyRequest, operationId = operationOf(request)) {
      let fault: string | undefined
      for (const way of waysOf(operationId)) {
        const found = await holderBy(way, request)
        if (found && !('fault' in found)) return { caller: callerOf(found, way), fault: undefined }
        fault ??= found?.fault
      }
      return { caller: unauthenticatedAt(ipOf(request)), fault }
    }

    app.decorateRequest('caller')
    app.decorateRequest('credentialFault', undefined)
    app.decorate('unauthenticatedAt', unauthenticatedAt)
    app.decorate(
      'callerOf',
      async (request: FastifyRequest, id: string) => (await identify(request, id)).caller,
    )
    function recall(request: FastifyRequest): Caller {
      for (const way of waysOf(operationOf(request))) {
        const credentials = security.credentialsOf(way, request)
        const holders = credentials?.map(one => checkers[one.scheme]?.recall?.(one))
        if (holders?.[0] && !holders.includes(undefined)) return callerOf(holders[0], way)
      }
      return unauthenticatedAt(ipOf(request))
    }
    app.decorate('recallCaller', recall)

    /** As `identify`. Where anybody is answered for free, guesses from an address without calls left find out nothing. */
    async function identifyForFree(request: FastifyRequest): ReturnType<typeof identify> {
      const address = unauthenticatedAt(ipOf(request))
      const isSent = waysOf(operationOf(request)).some(
        way => way.length > 0 && security.credentialsOf(way, request) !== undefined,
      )
      if (!isSent) return { caller: address, fault: undefined }
      const isUsedUp = address.bannedUntil || (await app.limitsOf(address)).some(one => one.remaining === 0)
      if (!isUsedUp) return identify(request)
      const caller = recall(request)
      return { caller, fault: caller.kind === 'key' ? undefined : 'The credential was not looked up.' }
    }
    app.decorate('unauthenticated', (request: FastifyRequest) => {
      const ways = waysOf(operationOf(request))
      const words = ways.map(way => way.map(({ scheme }) => security.wordsFor(scheme, name)))
      const sentences = words.map(way => way.map(({ toSend }) => toSend).join(' together with '))
      const challenges = words.flat().map(({ challenge }) => challenge)
      const misplaced = security.misplacedIn(ways, keyNames, request)
      const opening = misplaced === undefined ? 'Send' : `You sent ${misplaced}; send`
      const message = request.credentialFault ?? `${opening} ${joined(sentences, ', or ')}.`
      const headers = { 'WWW-Authenticate': joined(challenges, ', ') } // RFC 9110, section 11.6.1
      return new ApiError('unauthenticated', message, { headers })
    })
    app.addHook('onRequest', async (request, reply) => {
      const facts = factsFor(request)
      const isForFree = isOpenForFree(request)
      const isOpen = isForFree || facts?.secured === false
      try {
        const identifying = isForFree ? identifyForFree(request) : identify(request)
        // Operations that are open to all answer without knowing the caller: getHealth above all, and the docs.
        const found = isOpen ? await within(identifiedWithin, identifying, undefined) : await identifying
        request.caller = found?.caller ?? unauthenticatedAt(ipOf(request))
        request.credentialFault = found?.fault
      } catch (error) {
        if (!isOpen || !isUnavailable(error)) {
          reply.headers(await app.limitFieldsOf(unauthenticatedAt(ipOf(request))))
          throw error
        }
        request.caller = unauthenticatedAt(ipOf(request))
      }
    })
  },
  { name: 'authentication' },
)

/** The ways to authenticate for an operation. If it needs none, any credential counts, for its quota. */
function waysWith(model: Contract['model'], checkers: object): (id: string | undefined) => readonly Way[] {
  const checked = security.schemesOf(model).filter(({ name }) => Object.hasOwn(checkers, name))
  const anyWay: readonly Way[] = checked.map(known => [{ ...known, scopes: [] }])
  const ways = new Map(model.operations.map(operation => [operation.id, security.waysInto(model, operation)]))
  return id => {
    const own = ways.get(id ?? '') ?? []
    return own.some(way => way.length > 0) ? own : anyWay
  }
}

const joined = (texts: readonly string[], between: string) =>
  [...new Set(texts)].filter(Boolean).join(between)

/** Refuses a counted call without a valid credential, or without the operation's scope. */
export const authorization = fp(
  async app => {
    app.addHook('onRequest', async request => {
      const { caller } = request
      if (isGuess(request) || (request.credentialFault && !isFree(request)))
        throw app.unauthenticated(request)
      const facts = factsFor(request)
      if (!hasScope(facts, caller))
        throw new ApiError('insufficient_scope', `This operation needs the scope ${facts?.scope}.`)
    })
  },
  { name: 'authorization', dependencies: ['authentication', 'rate-limits'] },
)
