import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Contract } from 'spec-served-document/contract/contract'

/** Returns a function that finds the operations that the caller of a request may call, by their ids. */
export function allowedOperations(app: FastifyInstance, { model, facts }: Pick<Contract, 'model' | 'facts'>) {
  // Operations with the same requirements have the same caller.
  const groups = [...Map.groupBy(model.operations, ({ security }) => JSON.stringify(security)).values()]
  return async (request: FastifyRequest): Promise<ReadonlySet<string>> => {
    const groupsOfOrigins = groups.map(async group => {
      const ids = group.map(({ id }) => id)
      const caller = await app.callerOf(request, ids[0] ?? '')
      return ids.filter(
        id =>
          (!facts.get(id)?.secured || caller.kind === 'key') && app.lackedScopes(id, caller) === undefined,
      )
    })
    return new Set((await Promise.all(groupsOfOrigins)).flat())
  }
}
