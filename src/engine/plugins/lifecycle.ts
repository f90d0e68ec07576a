import fp from 'fastify-plugin'
import type { OperationFacts } from '../facts.ts'
import { lifecycleOf, refuseAfterSunset } from '../replies/lifecycle.ts'
import { factsFor, operationOf } from '../routes/paths.ts'
import type { DeprecatedCalls } from '../stores.ts'

export interface LifecycleOptions {
  /** of the document's operations, by operationId */
  facts: ReadonlyMap<string, OperationFacts>
  deprecatedCalls: DeprecatedCalls
  /** where the docs page is */
  docs: string
  now(): Date
}

/**
 * Tells of an operation's stability, deprecation and sunset on each of its replies, errors included; counts the calls of
 * deprecated operations, and refuses those of operations that have ended.
 */
export const lifecycle = fp<LifecycleOptions>(async (app, { facts, deprecatedCalls, docs, now }) => {
  const lifecycles = new Map([...facts].map(([id, own]) => [id, lifecycleOf(id, own, docs)]))

  app.addHook('onRequest', async request => {
    const id = operationOf(request)
    const own = factsFor(request)
    if (id === undefined || !own?.deprecation) return
    const { caller } = request
    if (caller.kind === 'key') deprecatedCalls.note(caller.keyId, id)
    refuseAfterSunset(id, own, now())
  })

  app.addHook('onSend', async (request, reply) => {
    const { stability, deprecation, sunset, link } = lifecycles.get(operationOf(request) ?? '') ?? {}
    if (stability) reply.header('x-stability', stability)
    if (deprecation) reply.header('deprecation', deprecation)
    if (sunset) reply.header('sunset', sunset)
    if (!link) return
    const others = reply.getHeader('link')
    reply.header('link', [...(others === undefined ? [] : [others]), link(request.url)].join(', '))
  })
})
