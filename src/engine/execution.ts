import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller, HolderId } from './access/caller.ts'
import { credentialsOf, waysInto } from './access/security.ts'
import type { Context, RepeatableContext, Tools } from './context.ts'
import type { Contract } from './contract.ts'
import type { Parts } from './parts.ts'
import { upcomingSunsets } from './plugins/lifecycle.ts'
import { createIdempotency } from './replies/idempotency.ts'
import { pagesOf } from './replies/pages.ts'
import type { AnyInput, AnyReply, Execute } from './routes/binding.ts'
import type { Reads } from './stores.ts'
import { within } from './within.ts'

/** How long a caller is kept waiting for its calls of deprecated operations, in ms. */
const deprecatedCallsWithin = 1_000

/** What the handlers of all operations need, each of one of them. */
export type HandlerContext<Store, Transaction> = Context<Store> & RepeatableContext<Transaction>

/**
 * How handlers are run: each with the tools that its operation may use, in a transaction where its request may be
 * repeated, when its turn has come.
 * @param app has the limits of callers and the load
 */
export function createExecution<Store, Transaction extends Store>(
  contract: Contract,
  parts: Parts<Store, Transaction>,
  app: Pick<FastifyInstance, 'limitsOf' | 'sharedLimitsState' | 'underLoad'>,
): Execute<HandlerContext<Store, Transaction>> {
  type Run = (context: HandlerContext<Store, Transaction>) => Promise<AnyReply>
  const { model, facts } = contract
  const { now, db, reads, checkers, deprecatedCalls, replies } = parts
  const pageOf = pagesOf(model)
  const once = createIdempotency(replies, db, now)

  async function keyChanged(id: HolderId): Promise<void> {
    for (const checker of Object.values(checkers)) checker.forget?.(id)
  }

  /** A caller is told its own limits whatever the database does; this is told where the database answers soon. */
  async function callsOf(caller: Caller): Promise<ReadonlyMap<string, number> | undefined> {
    if (caller.kind !== 'key') return new Map()
    try {
      return await within(deprecatedCallsWithin, deprecatedCalls.of(caller.keyId), undefined)
    } catch (error) {
      if (parts.isUnavailable(error)) return undefined
      throw error
    }
  }

  const warnings = () => upcomingSunsets(contract, now())
  const dependencies = async () => [...(await parts.dependencies()), app.sharedLimitsState() ?? []].flat()

  function runFreely(request: FastifyRequest, tools: Tools, run: Run, store = db): Promise<AnyReply> {
    const context: Context<Store> = {
      ...tools,
      db: store,
      limits: () => app.limitsOf(request),
      deprecatedCalls: () => callsOf(tools.caller),
      warnings,
      dependencies,
    }
    return run(context as HandlerContext<Store, Transaction>) // handlers of repeatable operations alone ask for more
  }

  async function runRepeatably(
    operationId: string,
    request: FastifyRequest,
    { body }: AnyInput,
    tools: Tools,
    run: Run,
  ): Promise<AnyReply> {
    const changed = new Set<HolderId>()
    const inTransaction = (transaction: Transaction) => {
      const context: RepeatableContext<Transaction> = {
        ...tools,
        db: transaction,
        async keyChanged(id) {
          changed.add(id)
        },
      }
      return run(context as HandlerContext<Store, Transaction>) // these handlers ask for nothing else
    }
    const { 'idempotency-key': key } = request.headers
    try {
      if (typeof key !== 'string') return await replies.transaction(inTransaction)
      const repeatable = {
        scope: `${operationId} ${tools.caller.counter}`,
        key: key.replace(/^"(.*)"$/, '$1'),
        payload: `${request.url} ${JSON.stringify(body)}`,
        secret: facts.get(operationId)?.secretReply ? secretIn(operationId, request) : undefined,
      }
      return await once(repeatable, inTransaction)
    } finally {
      await Promise.all([...changed].map(keyChanged))
    }
  }

  /** Notes what a request may have written, before it is answered. */
  async function noteWrites(to: Reads<Store>, caller: Caller, perform: () => Promise<AnyReply>) {
    try {
      const reply = await perform()
      await to.wrote(caller, true)
      return reply
    } catch (error) {
      await to.wrote(caller, !parts.isUnavailable(error))
      throw error
    }
  }

  /** What only the sender of a request knows. */
  function secretIn(operationId: string, request: FastifyRequest): string {
    const operation = model.operation(operationId)
    const ways = operation ? waysInto(model, operation) : []
    return ways.flatMap(way => credentialsOf(way, request)?.map(({ value }) => value) ?? []).join(' ')
  }

  return async ({ id, method }, request, input, run, isOneStatement) => {
    const { repeatable = false, quotaFree = false } = facts.get(id) ?? {}
    const { caller } = request
    const page = pageOf(id, request.url, input.path, input.query)
    const tools: Tools = { now, caller, contract, page, keyChanged }
    // What is one statement, and not to be repeated, is all done or not at all without a transaction around it.
    const isAlone = !repeatable || (isOneStatement && request.headers['idempotency-key'] === undefined)
    const perform = () =>
      isAlone ? runFreely(request, tools, run) : runRepeatably(id, request, input, tools, run)
    const isRead = method === 'GET' || method === 'HEAD'
    // What costs no quota goes on whatever the load, and reads where the limits and the service itself are.
    const work = async () => {
      if (!reads || (isRead && quotaFree)) return perform()
      if (isRead) return runFreely(request, tools, run, await reads.storeFor(caller))
      return noteWrites(reads, caller, perform)
    }
    return quotaFree ? work() : app.underLoad(work)
  }
}
