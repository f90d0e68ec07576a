import type { FastifyReply, FastifyRequest } from 'fastify'
import { andThen, type Later } from '../later.ts'
import { banned, bannedStates, type Limits, tooManyRequests } from '../limits/limits.ts'
import { ApiError } from '../replies/api-error.ts'
import type { Fields } from '../replies/fields.ts'
import { factsFor, isUnknown, operationOf } from '../routes/operation.ts'
import { within } from '../within.ts'
import type { Caller, WindowState } from './caller.ts'
import type { Callers, Identified } from './callers.ts'
import { type Load, paceRefusals, tooBusy } from './load.ts'

/** How long what is open to strangers waits to know the caller, in ms. */
const identifiedWithin = 250

/** How often a log tells that requests are refused, in ms. */
const warnEvery = 10_000

/** Why a request is not let in; undefined: it is. It is no exception, and to throw it would cost a tenth of its reply. */
export type Refused = ApiError | undefined

/** Lets requests in, or refuses them before a byte of their body is read. */
export interface Gate {
  /**
   * Refuses the call when too much is under way; else identifies the caller, counts the call and checks the scope, in
   * this order; puts the caller on the request, and the limit headers on the reply.
   * @returns the refusal, for too much load, no valid credential, an exhausted window, a ban or a missing scope
   * @throws Error when it can't be told who calls
   */
  enter(request: FastifyRequest, reply: FastifyReply): Later<Refused>
  /** The limit headers for an address whose request could not even be read. */
  headersFor(address: string): Promise<Fields>
}

export function createGate(
  callers: Callers,
  limits: Limits,
  load: Load,
  now: () => Date,
  isUnavailable: (error: unknown) => boolean,
): Gate {
  const pace = paceRefusals()
  const show = (reply: FastifyReply, states: readonly WindowState[]) => {
    const fields: Fields = {}
    limits.tell(states, fields)
    reply.headers(fields)
  }

  let warnedAt = Number.NEGATIVE_INFINITY
  function warn(request: FastifyRequest): void {
    if (performance.now() - warnedAt < warnEvery) return
    warnedAt = performance.now()
    request.log.warn('More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.')
  }

  /** Asks no database and counts nothing. Who has nothing left is told that, and its refusals count as ever. */
  async function refuseAsBusy(request: FastifyRequest, reply: FastifyReply): Promise<Refused> {
    const caller = callers.recall(request, operationOf(request))
    request.caller = caller
    const states = await limits.look(caller)
    if (caller.bannedUntil || states.some(state => state.remaining === 0)) return undefined
    warn(request)
    await pace(request.raw.socket)
    show(reply, states)
    return tooBusy
  }

  function spend(caller: Caller, reply: FastifyReply): Later<Refused> {
    if (caller.bannedUntil) {
      show(reply, bannedStates(limits.windows, caller, caller.bannedUntil))
      return banned(caller, caller.bannedUntil, now())
    }
    return andThen(limits.count(caller), states => {
      show(reply, states)
      return states.some(state => state.exceeded) ? tooManyRequests(states, now()) : undefined
    })
  }

  function look(caller: Caller, reply: FastifyReply): Later<Refused> {
    return andThen(limits.look(caller), states => {
      show(reply, states)
      return undefined
    })
  }

  function identify(request: FastifyRequest, reply: FastifyReply, isOpen: boolean): Later<Identified> {
    const stranger = (): Identified => ({ caller: callers.strangerAt(request.ip) })
    const asked = callers.identify(request, operationOf(request))
    if (!(asked instanceof Promise)) return asked
    // What is open to strangers answers without knowing the caller: getHealth above all, and the docs.
    const known = isOpen ? within(identifiedWithin, asked, undefined) : asked
    return known.then(
      caller => caller ?? stranger(),
      async error => {
        if (isOpen && isUnavailable(error)) return stranger()
        show(reply, await limits.look(callers.strangerAt(request.ip)))
        throw error
      },
    )
  }

  function admit(
    { caller, fault }: Identified,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Later<Refused> {
    request.caller = caller // whoever is refused from here on is known to the log
    const facts = factsFor(request)
    // A guess at a key costs, even where a key would not.
    const isGuess = facts?.secured === true && caller.kind === 'stranger'
    const isFree = request.method === 'OPTIONS' || (facts ? facts.quotaFree && !isGuess : !isUnknown(request))
    return andThen(isFree ? look(caller, reply) : spend(caller, reply), refused => {
      if (refused) return refused
      if (isGuess || (fault && !isFree)) return callers.unauthenticated(operationOf(request) ?? '', fault)
      if (facts?.scope && caller.kind === 'key' && !caller.scopes.some(scope => scope === facts.scope))
        return new ApiError('insufficient_scope', `This operation needs the scope ${facts.scope}.`)
      return undefined
    })
  }

  return {
    enter(request, reply) {
      const facts = factsFor(request)
      const isOpen = facts ? !facts.secured : !isUnknown(request)
      const letIn = () =>
        andThen(identify(request, reply, isOpen), identified => admit(identified, request, reply))
      // What costs no quota goes on: a caller under load needs to know its limits, an operator the health.
      const isBusy = facts && !facts.quotaFree && request.method !== 'OPTIONS' && load.isTooHigh()
      return isBusy ? refuseAsBusy(request, reply).then(refused => refused ?? letIn()) : letIn()
    },
    async headersFor(address) {
      const fields: Fields = {}
      limits.tell(await limits.look(callers.strangerAt(address)), fields)
      return fields
    },
  }
}
