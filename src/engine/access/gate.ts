import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperationFacts } from '../facts.ts'
import { banned, bannedStates, type Limits, limitHeaders, tooManyRequests } from '../limits/limits.ts'
import { ApiError } from '../replies/api-error.ts'
import { isUnknown, operationOf } from '../routes/operation.ts'
import { within } from '../within.ts'
import type { Caller, WindowState } from './caller.ts'
import type { Callers, Identified } from './callers.ts'
import { type Load, paceRefusals, tooBusy } from './load.ts'

/** How long what is open to strangers waits to know the caller, in ms. */
const identifiedWithin = 250

/** How often a log tells that requests are refused, in ms. */
const warnEvery = 10_000

/** Lets requests in, or refuses them before a byte of their body is read. */
export interface Gate {
  /**
   * Refuses the call when too much is under way; else identifies the caller, counts the call and checks the scope, in this order; puts the limit headers on the reply.
   * @throws ApiError for too much load, no valid credential, an exhausted window, a ban or a missing scope
   */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<Caller>
  /** The limit headers for an address whose request could not even be read. */
  headersFor(address: string): Promise<Record<string, string>>
}

export function createGate(
  operations: ReadonlyMap<string, OperationFacts>,
  callers: Callers,
  limits: Limits,
  load: Load,
  now: () => Date,
  isUnavailable: (error: unknown) => boolean,
): Gate {
  const pace = paceRefusals()
  const show = (reply: FastifyReply, states: readonly WindowState[]) =>
    reply.headers(limitHeaders(limits.windows, states, now()))

  let warnedAt = Number.NEGATIVE_INFINITY
  function warn(request: FastifyRequest): void {
    if (performance.now() - warnedAt < warnEvery) return
    warnedAt = performance.now()
    request.log.warn('More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.')
  }

  /** Asks no database and counts nothing. Who has nothing left is told that, and its refusals count as ever. */
  async function refuseWhenBusy(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!load.isTooHigh()) return
    const caller = callers.recall(request, operationOf(request))
    const states = await limits.look(caller)
    if (caller.bannedUntil || states.some(state => state.remaining === 0)) return
    warn(request)
    await pace(request.raw.socket)
    show(reply, states)
    throw tooBusy
  }

  async function spend(caller: Caller, reply: FastifyReply): Promise<void> {
    if (caller.bannedUntil) {
      show(reply, bannedStates(limits.windows, caller, caller.bannedUntil))
      throw banned(caller, caller.bannedUntil, now())
    }
    const states = await limits.count(caller)
    show(reply, states)
    if (!states.some(state => state.exceeded)) return
    await limits.noteRefusal(caller)
    throw tooManyRequests(states, now())
  }

  async function identified(request: FastifyRequest, reply: FastifyReply, isOpen: boolean) {
    const stranger = (): Identified => ({ caller: callers.strangerAt(request.ip) })
    try {
      const known = callers.identify(request, operationOf(request))
      // What is open to strangers answers without knowing the caller: getHealth above all, and the docs.
      return await (isOpen
        ? within(identifiedWithin, known, undefined).then(caller => caller ?? stranger())
        : known)
    } catch (error) {
      if (isOpen && isUnavailable(error)) return stranger()
      show(reply, await limits.look(callers.strangerAt(request.ip)))
      throw error
    }
  }

  return {
    async enter(request, reply) {
      const id = operationOf(request) ?? ''
      const facts = operations.get(id)
      // What costs no quota goes on: a caller under load needs to know its limits, an operator the health.
      if (facts && !facts.quotaFree && request.method !== 'OPTIONS') await refuseWhenBusy(request, reply)
      const isOpen = facts ? !facts.secured : !isUnknown(request)
      const { caller, fault } = await identified(request, reply, isOpen)
      // A guess at a key costs, even where a key would not.
      const isGuess = facts?.secured === true && caller.kind === 'stranger'
      const isFree =
        request.method === 'OPTIONS' || (facts ? facts.quotaFree && !isGuess : !isUnknown(request))
      if (isFree) show(reply, await limits.look(caller))
      else await spend(caller, reply)

      if (isGuess || (fault && !isFree)) throw callers.unauthenticated(id, fault)
      if (facts?.scope && caller.kind === 'key' && !caller.scopes.some(scope => scope === facts.scope))
        throw new ApiError('insufficient_scope', `This operation needs the scope ${facts.scope}.`)
      return caller
    },
    headersFor: async address =>
      limitHeaders(limits.windows, await limits.look(callers.strangerAt(address)), now()),
  }
}
