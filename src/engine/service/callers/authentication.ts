import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Contract } from 'spec-served-document/contract/contract'
import type { SecurityScheme } from 'spec-served-document/types'
import { cookiesOf, decoders, pairsOf, queryOf } from 'spec-served-document/values/values'
import { ApiError } from '../errors/api-error.ts'
import type { StageOptions } from '../parts.ts'
import { within } from '../runtime/within.ts'
import { type Caller, type Holder, holderCounter, type Quotas } from './caller.ts'
import * as security from './security.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** the fault of the credential that came with it; undefined for a valid one or none */
    credentialFault: CredentialFault | undefined
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
    /** Returns the scopes that an operation needs and a caller lacks; undefined if it lacks none. */
    lackedScopes(operationId: string | undefined, caller: Caller): readonly string[] | undefined
    /** Returns the refusal of a caller that lacks scopes. */
    insufficientScope(caller: Caller, lacked: readonly string[]): ApiError
  }
}

/** A sentence about a wrong credential of a scheme. */
interface CredentialFault {
  scheme: string
  message: string
}
/** As a checker finds it. */
type Found = Holder | CredentialFault

type Way = security.Way

/** A value, or a promise of it where it is not known yet. */
type Soon<T> = T | Promise<T>

interface Identified {
  caller: Caller
  fault: CredentialFault | undefined
}

/** How long an operation that is open to all waits for the identity of its caller, in ms. */
const identifiedWithin = 250
/** Addresses of one network share a counter: a household or a server has a whole IPv6 /64. */
const ipv6Network = 64
const addressOf = (ip: string) => (ip.includes(':') ? normalizeIP(ip, ipv6Network) : ip)

/** A failed guess at a key costs quota, even if a valid key would not. */
const isGuess = (request: FastifyRequest) =>
  request.destination.facts?.secured === true && request.caller.kind === 'address'

/** Whether a request costs no quota up to a bound. */
export function isFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = request.destination.facts
  if (facts) return facts.quotaFree && !isGuess(request)
  return (
    !request.destination.isUnknown &&
    !(request.destination.takesKeys && request.credentialFault !== undefined)
  )
}

/** Whether a request is answered without cost whoever sent it, as /health, the docs and OPTIONS are. */
function isOpenForFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = request.destination.facts
  return facts
    ? facts.quotaFree && !facts.secured
    : !request.destination.isUnknown && !request.destination.takesKeys
}

/**
 * Identifies the caller by the document's security requirements. It refuses nobody: each call is counted first.
 * @throws Error when an operation needs a scheme without a checker
 */
export const authentication = fp<StageOptions>(
  async (app, { contract: { model, facts, rateLimits }, parts: { name, checkers, bans, isUnavailable } }) => {
    const unchecked = security.missingCheckers(model, checkers)
    if (unchecked.length > 0) throw new Error(unchecked.join('\n'))
    const waysOf = waysWith(model, checkers)

    /** the scheme by whose name the subjects of tokens are counted, whichever of several they are known by */
    const tokens = Object.keys(checkers).find(schemeName => checkers[schemeName]?.isOfTokens) ?? ''

    const none: Quotas = {}
    /** Returns the quotas of a plan in the document; for a custom plan the holder's own. */
    function quotasOf(plan: string, keyQuotas: Quotas | null): Quotas {
      const declared = rateLimits?.plans[plan]
      // A plan without `custom` holds numbers only.
      return declared && !declared.custom ? (declared as Quotas) : (keyQuotas ?? none)
    }

    function unauthenticatedAt(ip: string): Caller {
      const address = addressOf(ip)
      const plan = rateLimits?.anonymous ?? ''
      const quotas = quotasOf(plan, null)
      const bannedUntil = bans.ofAddress(address)
      return { kind: 'address', address, counter: `address:${address}`, plan, quotas, bannedUntil }
    }

    /** callers that are not banned, by their holders, which the checkers keep for a while */
    let callers = new WeakMap<Holder, Caller>()
    bans.listen(() => {
      callers = new WeakMap()
    })

    /** Returns the caller for the holder of a way's first credential. */
    function callerOf(holder: Holder, [first]: Way): Caller {
      const scheme = first?.name ?? ''
      const cached = callers.get(holder)
      if (cached?.kind === 'key' && cached.scheme === scheme) return cached
      const { id, scopes, plan, quotas: keyQuotas, bannedUntil: stored } = holder
      const { isOfKeys, isOfTokens } = checkers[scheme] ?? {}
      const counter = holderCounter(isOfTokens ? tokens : scheme, id, isOfKeys)
      const [quotas, bannedUntil] = [quotasOf(plan, keyQuotas), bans.ofHolder(counter, stored)]
      const caller: Caller = { kind: 'key', scheme, keyId: id, scopes, counter, plan, quotas, bannedUntil }
      if (!stored && !bannedUntil) callers.set(holder, caller)
      return caller
    }

    /** Returns the holder of a way's credentials, or their fault; undefined if they were not sent. */
    function holderBy(way: Way, request: FastifyRequest): Soon<Found | undefined> {
      const credentials = credentialsOf(way, request)
      const [credential] = credentials ?? []
      if (!credentials || !credential) return undefined
      if (credentials.length > 1) return holderByAll(way, request, credentials)
      const found = find(credential, request)
      return found instanceof Promise ? found.then(caller => named(caller, way[0])) : named(found, way[0])
    }

    /** Judges the scopes of schemes after the first here, because a caller has those of the first. */
    async function holderByAll(way: Way, request: FastifyRequest, credentials: security.Credential[]) {
      let first: Holder | undefined
      for (const [index, credential] of credentials.entries()) {
        const found = named(await find(credential, request), way[index])
        if ('message' in found) return found
        const scopes = checkers[credential.scheme]?.holdsScopes ? credential.scopes : []
        const lacked = first && scopes.filter(scope => !found.scopes.includes(scope))
        if (lacked?.length) return named({ fault: `lacks the scope ${lacked.join(' ')}` }, way[index])
        first ??= found
      }
      return first
    }

    function find(credential: security.Credential, request: FastifyRequest) {
      const checker = checkers[credential.scheme]
      if (!checker) throw new Error(`Nobody checks ${credential.scheme}`) // the start has checked this
      const found = checker.find(credential, addressOf(ipOf(request)))
      if (found instanceof Promise) checker.waits?.(credential, wait => app.waitElsewhere(request, wait))
      return found
    }

    function named(found: security.Found, entry: Way[number] | undefined): Found {
      if (!('fault' in found)) return found
      const credential = entry ? security.wordsFor(entry.scheme).name : 'credential'
      return { scheme: entry?.name ?? '', message: `The ${credential} ${found.fault}.` }
    }

    /**
     * Returns the caller of a request, and the fault of its credential if it has one. Known credentials take no promise.
     * @param fault of a credential that was tried before
     */
    function identify(
      request: FastifyRequest,
      ways = waysOf(request.destination.operationId),
      fault?: CredentialFault,
    ): Soon<Identified> {
      for (let i = 0; i < ways.length; i++) {
        const way = ways[i] ?? []
        const found = holderBy(way, request)
        if (found instanceof Promise)
          return found.then(
            credential =>
              identified(way, credential) ??
              identify(request, ways.slice(i + 1), fault ?? faultIn(credential)),
          )
        const identifiedCaller = identified(way, found)
        if (identifiedCaller) return identifiedCaller
        fault ??= faultIn(found)
      }
      return { caller: unauthenticatedAt(ipOf(request)), fault }
    }

    const faultIn = (found: Found | undefined) => (found && 'message' in found ? found : undefined)
    const identified = (way: Way, found: Found | undefined): Identified | undefined =>
      found && !('message' in found) ? { caller: callerOf(found, way), fault: undefined } : undefined

    app.decorateRequest('caller')
    app.decorateRequest('credentialFault', undefined)
    app.decorate('unauthenticatedAt', unauthenticatedAt)
    app.decorate(
      'callerOf',
      async (request: FastifyRequest, id: string) => (await identify(request, waysOf(id))).caller,
    )
    function recall(request: FastifyRequest): Caller {
      for (const way of waysOf(request.destination.operationId)) {
        const credentials = credentialsOf(way, request)
        const holders = credentials?.map(credential => checkers[credential.scheme]?.recall?.(credential))
        if (holders?.[0] && !holders.includes(undefined)) return callerOf(holders[0], way)
      }
      return unauthenticatedAt(ipOf(request))
    }
    app.decorate('recallCaller', recall)

    /** As `identify`. Where anybody is answered for free, guesses from an address without calls left find out nothing. */
    async function identifyForFree(request: FastifyRequest): Promise<Identified> {
      const address = unauthenticatedAt(ipOf(request))
      const isUsedUp =
        address.bannedUntil || (await app.limitsOf(address)).some(state => state.remaining === 0)
      if (!isUsedUp) return identify(request)
      const caller = recall(request)
      const fault = { scheme: '', message: 'The credential was not looked up.' }
      return { caller, fault: caller.kind === 'key' ? undefined : fault }
    }
    const refusals = security.createRefusals(model, name)
    app.decorate('unauthenticated', (request: FastifyRequest) =>
      refusals.unauthenticated(request, waysOf(request.destination.operationId)),
    )
    app.decorate('insufficientScope', refusals.insufficientScope)
    const scopesOf = scopesByScheme(model, checkers)
    app.decorate('lackedScopes', (id: string | undefined, caller: Caller) => {
      if (id === undefined || caller.kind !== 'key') return undefined
      const scope = facts.get(id)?.scope
      if (scope && !caller.scopes.includes(scope)) return [scope]
      const alternatives = scopesOf.get(id)?.get(caller.scheme)
      if (!alternatives) return undefined
      const lacked = alternatives.map(scopes => scopes.filter(required => !caller.scopes.includes(required)))
      return lacked.some(scopes => scopes.length === 0) ? undefined : lacked[0]
    })
    const isSent = (request: FastifyRequest) =>
      waysOf(request.destination.operationId).some(
        way => way.length > 0 && credentialsOf(way, request) !== undefined,
      )

    app.addHook('preParsing', (request, reply, _payload, done) => {
      const isForFree = isOpenForFree(request)
      const isOpen = isForFree || request.destination.facts?.secured === false
      const accept = (accepted: Identified | undefined) => {
        request.caller = accepted?.caller ?? unauthenticatedAt(ipOf(request))
        request.credentialFault = accepted?.fault
        done()
      }
      const fail = (error: Error) => {
        const isPassing = isUnavailable(error) || (error instanceof ApiError && error.code === 'unavailable')
        const address = unauthenticatedAt(ipOf(request))
        // A banned address hears of its ban, whatever could not be found out of its credential.
        if (isPassing && (isOpen || address.bannedUntil)) return accept(undefined)
        app.limitsOf(address).then(states => {
          reply.headers(app.limitFieldsOf(states))
          done(error)
        }, done)
      }
      if (isForFree && !isSent(request)) return accept(undefined)
      let found: Soon<Identified>
      try {
        found = isForFree ? identifyForFree(request) : identify(request)
      } catch (error) {
        return fail(error as Error) // a checker throws Errors
      }
      if (!(found instanceof Promise)) return accept(found)
      // Operations that are open to all answer without knowing the caller: getHealth above all, and the docs.
      const identifying = isOpen ? within(identifiedWithin, found, undefined) : found
      identifying.then(accept, fail)
    })
  },
  { name: 'authentication' },
)

/** Returns the credentials of one way; undefined when one is missing or malformed. */
export function credentialsOf(
  way: Way,
  request: security.CredentialSource,
): security.Credential[] | undefined {
  const credentials = way.flatMap(({ name, scheme, scopes, authorization: authorizationType }) => {
    const value =
      authorizationType === undefined ? keyIn(request, scheme) : sentAs(request, authorizationType)
    return value === undefined ? [] : [{ scheme: name, scopes, value }]
  })
  return credentials.length === way.length ? credentials : undefined
}

function sentAs({ headers }: security.CredentialSource, wanted: string): string | undefined {
  const [, name = '', value = ''] = /^([^ ]+) +(.+)$/.exec(String(headers.authorization)) ?? []
  // RFC 7235, section 2.1: the case of a scheme's name does not matter.
  const way = name.toLowerCase()
  if (way !== wanted) return undefined
  if (way !== 'bearer' && way !== 'basic') return value
  // RFC 6750, section 2.1, and RFC 7617, section 2
  if (!/^[\w.~+/-]+=*$/.test(value)) return undefined
  const text = way === 'basic' ? Buffer.from(value, 'base64').toString() : value
  return way === 'bearer' || text.includes(':') ? text : undefined
}

/** Returns a scheme's key. A key that is sent more than once counts as none: it is unclear which was checked. */
function keyIn({ url, headers }: security.CredentialSource, { in: place, name = '' }: SecurityScheme) {
  if (place === 'header') {
    const field = headers[name.toLowerCase()]
    return typeof field === 'string' ? field : undefined
  }
  const isCookie = place === 'cookie'
  const pairs = isCookie ? cookiesOf(String(headers.cookie ?? '')) : pairsOf(queryOf(url))
  const [first, second] = (pairs ?? []).filter(([key]) => key === name)
  return first && !second ? decoders[isCookie ? 'cookie' : 'query'](first[1]) : undefined
}

/** Returns the address of a sender. All of a Unix socket share one, and so do those who left before they were heard. */
export const ipOf = ({ ip }: { ip?: string | undefined }): string => ip || 'unknown'

/** The ways to authenticate for an operation. If it needs none, any credential counts, for its quota. */
function waysWith(model: Contract['model'], checkers: object): (id: string | undefined) => readonly Way[] {
  const checked = security.schemesOf(model).filter(({ name }) => Object.hasOwn(checkers, name))
  const anyWay: readonly Way[] = checked.map(scheme => [{ ...scheme, scopes: [] }])
  const ways = new Map(model.operations.map(operation => [operation.id, security.waysInto(model, operation)]))
  return id => {
    const operationWays = ways.get(id ?? '') ?? []
    return operationWays.some(way => way.length > 0) ? operationWays : anyWay
  }
}

/**
 * Returns the scopes that an operation's requirements list for each scheme whose holders must have them: one list for each
 * requirement, of which one has to be met.
 */
function scopesByScheme(model: Contract['model'], checkers: security.Checkers) {
  const all = new Map<string, Map<string, string[][]>>()
  for (const operation of model.operations) {
    const scopes = new Map<string, string[][]>()
    for (const [first] of security.waysInto(model, operation))
      if (first && checkers[first.name]?.holdsScopes)
        scopes.set(first.name, [...(scopes.get(first.name) ?? []), [...first.scopes]])
    if (scopes.size > 0) all.set(operation.id, scopes)
  }
  return all
}

/** Refuses a counted call without a valid credential, or without the operation's scope. */
export const authorization = fp(
  async app => {
    app.addHook('preParsing', (request, _reply, _payload, done) => {
      const { caller } = request
      if (isGuess(request) || (request.credentialFault && !isFree(request)))
        return done(app.unauthenticated(request))
      const lacked = app.lackedScopes(request.destination.operationId, caller)
      if (lacked) done(app.insufficientScope(caller, lacked))
      else done()
    })
  },
  { name: 'authorization', dependencies: ['authentication', 'rate-limits'] },
)
