import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../../store/failures.ts'
import type { KeyDirectory } from '../../store/key-directory.ts'
import type { Bans } from '../limits/bans.ts'
import { banned, bannedStates, type Limits, limitHeaders, tooManyRequests } from '../limits/limits.ts'
import { ApiError } from '../replies/api-error.ts'
import { isUnknown, operationOf } from '../routes/operation.ts'
import { within } from '../within.ts'
import type { Caller, WindowState } from './caller.ts'
import { type Identified, identify, recall, strangerAt, unauthenticated } from './callers.ts'
import { type Load, paceRefusals, tooBusy } from './load.ts'

/** What the gate needs to know of an operation; the generated facts have it. */
interface GuardedFacts {
  secured: boolean
  scope: string | null
  quotaFree: boolean
}

/** How long what is open to strangers waits to know the caller, in ms. */
const identifiedWithin = 250

/** How often a log tells that requests are refused, in ms. */
const warnEvery = 10_000

/** Lets requests in, or refuses them before a byte of their body is read. */
export interface Gate {
  /**
   * Refuses the call when too much is under way; else identifies the caller, counts the call and checks the scope, in this order; puts the limit headers on the reply.
   * @throws ApiError 503, 401, 429, or 403 for a ban or a missing scope
   */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<Caller>
  /** The limit headers for an address whose request could not even be read. */
  headersFor(address: string): Promise<Record<string, string>>
}

export function createGate(
  operations: Readonly<Record<string, GuardedFacts>>,
  keys: KeyDirectory,
  bans: Bans,
  limits: Limits,
  load: Load,
  now: () => Date,
): Gate {
  const pace = paceRefusals()
  const show = (reply: FastifyReply, states: readonly WindowState[]) =>
    reply.headers(limitHeaders(states, now()))

  let warnedAt = Number.NEGATIVE_INFINITY
  function warn(request: FastifyRequest): void {
    if (performance.now() - warnedAt < warnEvery) return
    warnedAt = performance.now()
    request.log.warn('More arrives than can be answered within MAX_WAIT_MS: requests are refused with 503.')
  }

  /** Asks no database and counts nothing. Who has nothing left is told that, and its refusals count as ever. */
  async function refuseWhenBusy(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!load.isTooHigh()) return
    const caller = recall(request, keys, bans, now())
    const states = await limits.look(caller)
    if (caller.bannedUntil || states.some(state => state.remaining === 0)) return
    warn(request)
    await pace(request.raw.socket)
    show(reply, states)
    throw tooBusy
  }

  async function spend(caller: Caller, reply: FastifyReply): Promise<void> {
    if (caller.bannedUntil) {
      show(reply, bannedStates(caller, caller.bannedUntil))
      throw banned(caller, caller.bannedUntil, now())
    }
    const states = await limits.count(caller)
    show(reply, states)
    if (!states.some(state => state.exceeded)) return
    await limits.noteRefusal(caller)
    throw tooManyRequests(states, now())
  }

  async function identified(request: FastifyRequest, reply: FastifyReply, isOpen: boolean) {
    const stranger = (): Identified => ({ caller: strangerAt(request.ip, bans) })
    try {
      const known = identify(request, keys, bans, now())
      // What is open to strangers answers without knowing the caller: getHealth above all, and the docs.
      return await (isOpen
        ? within(identifiedWithin, known, undefined).then(caller => caller ?? stranger())
        : known)
    } catch (error) {
      if (isOpen && isDatabaseUnavailable(error)) return stranger()
      show(reply, await limits.look(strangerAt(request.ip, bans)))
      throw error
    }
  }

  return {
    async enter(request, reply) {
      const facts = operations[operationOf(request) ?? '']
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

      if (isGuess || (fault && !isFree)) throw unauthenticated(fault)
      if (facts?.scope && caller.kind === 'key' && !caller.scopes.some(scope => scope === facts.scope))
        throw new ApiError(403, 'insufficient_scope', `This operation needs the scope ${facts.scope}.`)
      return caller
    },
    headersFor: async address => limitHeaders(await limits.look(strangerAt(address, bans)), now()),
  }
}
