import { type Refusal, refusal, refusalError } from 'spec-served/internal/errors/api-error'
import { responseFor } from 'spec-served-document/model'
import { showsSecret } from 'spec-served-document/reading/facts'
import type { Fault } from 'spec-served-document/values/faults'
import { codes, foldText } from '../records/conventions.ts'
import { effectsOf, operandOf, type State } from '../records/effects.ts'
import { type Endpoint, shapeOf } from '../records/interface.ts'
import { uniqueCodesOf } from '../records/unique-codes.ts'
import type { Collection } from './collections.ts'
import type { Keeping } from './keeping.ts'
import type { Kept } from './records.ts'

export type Refusals = ReturnType<typeof createRefusals>

/** Refuses requests that the records do not allow, in the form of the document. */
export function createRefusals({
  contract,
  model,
  api,
  records,
  credentials,
  rules,
  collectionOf,
  look,
}: Keeping) {
  function refused(
    endpoint: Endpoint,
    { status, code }: { status: number; code: string },
    message: string,
    details?: Fault[],
  ) {
    const declared = contract.facts.get(endpoint.id)?.codes ?? {}
    if (Object.hasOwn(declared, code)) return refusal(code, message, details)
    throw refusalError(status, message, { code, ...(details && { details }) })
  }
  /** The answer about a record that is not there. Without a 404 in the document it is the example, unless it was removed. */
  function missing(
    endpoint: Endpoint,
    collection: Collection,
    place: State,
    id: unknown,
  ): Refusal | undefined {
    const isTold = responseFor(endpoint, codes.notFound.status) !== undefined
    if (!isTold && (endpoint.method === 'DELETE' || !records.wasRemoved(collection, place, id)))
      return undefined
    return refused(endpoint, codes.notFound, `There is no ${nameOf(endpoint)} ${String(id)}.`)
  }
  const nameOf = ({ record, path }: Endpoint) => record?.replace(/_?id$/i, '') || path

  /** The refusal of a request that lacks what an effect needs. */
  async function lacking(endpoint: Endpoint, path: State, body: unknown): Promise<Refusal | undefined> {
    if (effectsOf(endpoint).length === 0) return undefined
    const draft = { path, query: {}, header: {}, body }
    const before = await rules.before(endpoint, draft, look)
    const [effect] = effectsOf(endpoint).filter(candidate => before.lacking.has(candidate))
    if (!effect) return undefined
    const [[parameter = '', operand = null] = []] = Object.entries(effect.of)
    const id = operandOf(operand, before.scope)
    const collection = collectionOf(parameter)
    const isThere = collection && records.find(collection, {}, id)
    const [, name] = /^body\.(.+)$/.exec(String(operand)) ?? []
    const details = !isThere && name ? [{ path: `/${name}`, message: 'names nothing' }] : undefined
    const [code = 'conflict'] = Object.keys(contract.facts.get(endpoint.id)?.codes ?? {}).filter(
      candidate => contract.facts.get(endpoint.id)?.codes[candidate] === 409,
    )
    const message = isThere
      ? `The ${parameter} ${String(id)} is not as this needs it.`
      : `There is no ${parameter} ${String(id)}.`
    return refused(endpoint, { status: 409, code: effect.otherwise ?? code }, message, details)
  }

  /** The property of which each record has another value, and the code that says so. */
  function uniqueOf({ maker }: Collection): { name: string; code: string } | undefined {
    if (!maker) return undefined
    const texts = Object.entries(maker.takes.properties ?? {}).filter(
      ([, schema]) => shapeOf(model, schema).type === 'string',
    )
    for (const code of uniqueCodesOf(maker)) {
      const words = code.split('_')
      const [name] = texts.find(([property]) => words.includes(property.toLowerCase())) ?? []
      if (name !== undefined) return { name, code }
    }
    return undefined
  }
  function taken(
    endpoint: Endpoint,
    collection: Collection,
    body: State,
    present?: Kept,
  ): Refusal | undefined {
    const { name = '', code } = uniqueOf(collection) ?? {}
    const value = body[name]
    const declared = contract.facts.get(endpoint.id)?.codes ?? {}
    if (code === undefined || typeof value !== 'string' || !Object.hasOwn(declared, code)) return undefined
    const isSame = ({ state }: Kept) => foldText(String(state[name] ?? '')) === foldText(value)
    for (const record of records.all(collection))
      if (record !== present && isSame(record))
        return refusal(code, `${JSON.stringify(value)} is taken.`, [
          { path: `/${name}`, message: 'is taken' },
        ])
    return undefined
  }

  /** Whether a change would leave no credential that can administer others. */
  function isLast(
    endpoint: Endpoint,
    collection: Collection,
    record: Kept,
    after: State | undefined,
  ): boolean {
    const { maker } = collection
    if (!maker?.scope || !api.names(codes.lastAdministrator.code) || !showsSecret(model, maker)) return false
    if (!Object.hasOwn(contract.facts.get(endpoint.id)?.codes ?? {}, codes.lastAdministrator.code))
      return false
    return credentials.isLastAdministrator(record, after, maker.scope, records.all(collection))
  }

  return { refused, missing, lacking, uniqueOf, taken, isLast }
}
