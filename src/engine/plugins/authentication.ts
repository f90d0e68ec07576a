import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller, Holder, Quotas } from '../access/caller.ts'
import * as security from '../access/security.ts'
import type { Contract } from '../contract.ts'
import type { StageOptions } from '../parts.ts'
import { ApiError } from '../replies/api-error.ts'
import { factsFor, isUnknown, operationOf } from '../routes/paths.ts'
import { within } from '../within.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** What is wrong with the credential that came with it; undefined when it is right, or there is none. */
    credentialFault: string | undefined
  }
  interface FastifyInstance {
    /** Who calls, as far as that is known without asking the database. */
    recallCaller(request: FastifyRequest): Caller
    /** A caller without a credential. */
    unauthenticatedAt(ip: string): Caller
    /** The refusal of a caller whom a credential would let in. */
    unauthenticated(request: FastifyRequest): ApiError
  }
}

type Way = security.Way

/** How long an operation that is open to all waits to know the caller, in ms. */
const identifiedWithin = 250
/** An address is counted with its whole network: a household or a server has an IPv6 /64 of its own. */
const ipv6Network = 64
const addressOf = (ip: string) => normalizeIP(ip, ipv6Network)

/** A guess at a key costs, even where a key would not. */
const isGuess = (request: FastifyRequest) =>
  factsFor(request)?.secured === true && request.caller.kind === 'address'

/** Whether a request costs no quota. */
export function isFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = factsFor(request)
  return facts ? facts.quotaFree && !isGuess(request) : !isUnknown(request)
}

/**
 * Finds out who calls, by the document's security requirements. Nobody is refused here: each call is counted first.
 * @throws Error when an operation asks for a scheme that nobody checks
 */
export const authentication = fp<StageOptions>(
  async (app, { contract: { model, rateLimits }, parts: { name, checkers, bans, isUnavailable } }) => {
    const unchecked = security.missingCheckers(model, checkers)
    if (unchecked.length > 0) throw new Error(unchecked.join('\n'))
    const waysOf = waysWith(model, checkers)
    const apiKeys = security.schemesOf(model).filter(({ scheme }) => scheme.type === 'apiKey')
    const keyNames = apiKeys.flatMap(({ scheme }) => scheme.name ?? [])

    /** The quotas that the document gives a plan; those of a custom one are the holder's own. */
    function quotasOf(plan: string, own: Quotas | null): Quotas {
      const declared = rateLimits?.plans[plan]
      // Beside `custom`, which has no quotas beside it, a plan holds numbers only.
      return declared && !declared.custom ? (declared as Quotas) : { ...own }
    }

    function unauthenticatedAt(ip: string): Caller {
      const address = addressOf(ip)
      const plan = rateLimits?.anonymous ?? ''
      const quotas = quotasOf(plan, null)
      const bannedUntil = bans.ofAddress(address)
      return { kind: 'address', address, counter: `address:${address}`, plan, quotas, bannedUntil }
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
    async function holderBy(way: Way, request: FastifyRequest): Promise<security.Found | undefined> {
      let first: Holder | undefined
      for (const [index, credential] of (security.credentialsOf(way, request) ?? []).entries()) {
        const found = await checkers[credential.scheme]?.find(credential, addressOf(request.ip))
        const scheme = way[index]?.scheme
        if (!found || !scheme) throw new Error(`Nobody checks ${credential.scheme}`) // which was looked for above
        if ('fault' in found) return { fault: `The ${security.wordsFor(scheme).name} ${found.fault}.` }
        first ??= found
      }
      return first
    }

    /** Who sent a request, and what is wrong with the credential that came with it, if it is. */
    async function identify(request: FastifyRequest) {
      let fault: string | undefined
      for (const way of waysOf(request)) {
        const found = await holderBy(way, request)
        if (found && !('fault' in found)) return { caller: callerOf(found), fault: undefined }
        fault ??= found?.fault
      }
      return { caller: unauthenticatedAt(request.ip), fault }
    }

    app.decorateRequest('caller')
    app.decorateRequest('credentialFault', undefined)
    app.decorate('unauthenticatedAt', unauthenticatedAt)
    app.decorate('recallCaller', (request: FastifyRequest) => {
      for (const way of waysOf(request)) {
        const credentials = security.credentialsOf(way, request)
        const holders = credentials?.map(one => checkers[one.scheme]?.recall?.(one))
        if (holders?.[0] && !holders.includes(undefined)) return callerOf(holders[0])
      }
      return unauthenticatedAt(request.ip)
    })
    app.decorate('unauthenticated', (request: FastifyRequest) => {
      const ways = waysOf(request)
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
      const isOpen = facts ? !facts.secured : !isUnknown(request)
      try {
        // What is open to all answers without knowing the caller: getHealth above all, and the docs.
        const found = isOpen
          ? await within(identifiedWithin, identify(request), undefined)
          : await identify(request)
        request.caller = found?.caller ?? unauthenticatedAt(request.ip)
        request.credentialFault = found?.fault
      } catch (error) {
        if (!isOpen || !isUnavailable(error)) {
          reply.headers(await app.limitFieldsOf(unauthenticatedAt(request.ip)))
          throw error
        }
        request.caller = unauthenticatedAt(request.ip)
      }
    })
  },
  { name: 'authentication' },
)

/** The ways into the operation of a request; where it asks for none, any credential counts, for its quota. */
function waysWith(model: Contract['model'], checkers: object): (request: FastifyRequest) => readonly Way[] {
  const checked = security.schemesOf(model).filter(({ name }) => Object.hasOwn(checkers, name))
  const anyWay: readonly Way[] = checked.map(known => [{ ...known, scopes: [] }])
  const ways = new Map(model.operations.map(operation => [operation.id, security.waysInto(model, operation)]))
  return request => {
    const own = ways.get(operationOf(request) ?? '') ?? []
    return own.some(way => way.length > 0) ? own : anyWay
  }
}

const joined = (texts: readonly string[], between: string) =>
  [...new Set(texts)].filter(Boolean).join(between)

/** Refuses a call, once it is counted, that no credential came with which lets it in, or one without the operation's scope. */
export const authorization = fp(
  async app => {
    app.addHook('onRequest', async request => {
      const { caller } = request
      if (isGuess(request) || (request.credentialFault && !isFree(request)))
        throw app.unauthenticated(request)
      const scope = factsFor(request)?.scope
      if (scope && caller.kind === 'key' && !caller.scopes.includes(scope))
        throw new ApiError('insufficient_scope', `This operation needs the scope ${scope}.`)
    })
  },
  { name: 'authorization', dependencies: ['authentication', 'rate-limits'] },
)
