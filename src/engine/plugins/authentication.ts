import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Caller } from '../access/caller.ts'
import { createCallers } from '../access/callers.ts'
import type { Contract } from '../contract.ts'
import type { Parts } from '../parts.ts'
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
    /** Finds out who calls: sets `request.caller`. */
    authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>
    /** Who calls, as far as that is known without asking the database. */
    recallCaller(request: FastifyRequest): Caller
    /** A caller without a credential. */
    unauthenticatedAt(ip: string): Caller
    /** The refusal of a caller whom a credential would let in. */
    unauthenticated(request: FastifyRequest): ApiError
  }
}

/** How long an operation that is open to all waits to know the caller, in ms. */
const identifiedWithin = 250

/** A guess at a key costs, even where a key would not. */
const isGuess = (request: FastifyRequest) =>
  factsFor(request)?.secured === true && request.caller.kind === 'address'

/** Whether a request costs no quota. */
export function isFree(request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS') return true
  const facts = factsFor(request)
  return facts ? facts.quotaFree && !isGuess(request) : !isUnknown(request)
}

export interface AuthenticationOptions {
  contract: Contract
  parts: Pick<Parts<unknown, unknown>, 'name' | 'checkers' | 'bans' | 'isUnavailable'>
}

/** Finds out who calls, by the document's security requirements. Nobody is refused here: each call is counted first. */
export const authentication = fp<AuthenticationOptions>(
  async (app, { contract: { model, rateLimits }, parts: { name, checkers, bans, isUnavailable } }) => {
    const callers = createCallers(model, checkers, rateLimits, bans, name)
    app.decorateRequest('caller')
    app.decorateRequest('credentialFault', undefined)
    app.decorate('unauthenticatedAt', callers.unauthenticatedAt)
    app.decorate('recallCaller', (request: FastifyRequest) => callers.recall(request, operationOf(request)))
    app.decorate('unauthenticated', (request: FastifyRequest) =>
      callers.unauthenticated(operationOf(request) ?? '', request.credentialFault),
    )
    app.decorate('authenticate', async (request: FastifyRequest, reply: FastifyReply) => {
      const facts = factsFor(request)
      const isOpen = facts ? !facts.secured : !isUnknown(request)
      const unauthenticated = { caller: callers.unauthenticatedAt(request.ip), fault: undefined }
      const identifying = callers.identify(request, operationOf(request))
      try {
        // What is open to all answers without knowing the caller: getHealth above all, and the docs.
        const { caller, fault } = isOpen
          ? await within(identifiedWithin, identifying, unauthenticated)
          : await identifying
        request.caller = caller
        request.credentialFault = fault
      } catch (error) {
        if (!isOpen || !isUnavailable(error)) {
          reply.headers(await app.limitFieldsOf(request.ip))
          throw error
        }
        request.caller = unauthenticated.caller
      }
    })
    app.addHook('onRequest', app.authenticate)
  },
  { name: 'authentication' },
)

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
