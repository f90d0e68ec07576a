import type { FreeTools } from 'spec-served/internal/context'
import { type Refusal, refusalError } from 'spec-served/internal/errors/api-error'
import type { AnyInput } from 'spec-served/internal/routes/binding'
import type { Contract } from 'spec-served-document/contract/contract'
import { responseFor } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { likest } from 'spec-served-document/spelling'
import type { State } from '../records/effects.ts'
import type { Endpoint } from '../records/interface.ts'
import { createActions } from './actions.ts'
import type { Collection } from './collections.ts'
import { addFirstRecords, collectionNames } from './first-records.ts'
import { openKeeping, outerValues } from './keeping.ts'
import { Full } from './records.ts'
import { createRefusals } from './refusals.ts'
import type { Seed } from './seed.ts'
import { createTelling, type RecordReply } from './telling.ts'

export type Keeper = ReturnType<typeof createKeeper>

/**
 * Keeps the records of a document in memory. Its operations find, list, make, change and remove them by the rules that
 * the check holds services to: the paths, `x-effects`, `x-codes` and the conventions.
 * @param seed the records at the start, in place of the document's examples
 * @param given the only credentials that are right, besides issued ones; all are if there are none
 * @throws Error for a seed that the document does not take
 */
export function createKeeper(
  contract: Contract,
  {
    seed,
    secrets = [],
    now = () => new Date(),
  }: { seed?: Seed; secrets?: readonly string[]; now?: () => Date } = {},
) {
  const keeping = openKeeping(contract, secrets, now)
  const { model, parts, collections, records, credentials, showing, endpointOf } = keeping
  const refusals = createRefusals(keeping)
  const telling = createTelling(keeping)
  const { create, createSeveral, change } = createActions(keeping, refusals, telling)
  let isSeeded: ReadonlySet<Collection> = new Set()
  let turn: Promise<unknown> = Promise.resolve()

  /** Takes up the records of the start. */
  function reset(): void {
    records.clear()
    credentials.clear()
    isSeeded = addFirstRecords(keeping, refusals, telling, seed)
  }

  /** @throws Error for a collection that the document does not have, and a record that its schema does not take */
  function checkSeed(): void {
    for (const [name, all] of Object.entries(seed ?? {})) {
      const collection = collections.find(candidate => collectionNames(candidate, model).includes(name))
      if (!collection) {
        const names = collections.map(item => collectionNames(item, model)[0] ?? '')
        const meant = likest(
          name,
          collections.flatMap(item => collectionNames(item, model)),
        )
        throw new Error(
          `The document has no collection ${name}; it has ${names.join(', ') || 'none'}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
        )
      }
      const shown = collection.reader && responseFor(collection.reader, collection.reader.success)
      const [media] = Object.values(shown?.content ?? {})
      for (const [index, record] of all.entries()) {
        const { identifier } = collection
        if (identifier !== undefined && record[identifier] === undefined)
          throw new Error(`${name}/${index} lacks ${identifier}, by which its path names it.`)
        const value = media?.schema && showing.show(media.schema, record, [])
        const isShown =
          isObject(value) && Object.keys(value).every(key => value[key] === record[key] || !(key in record))
        if (media?.schema && !isShown) {
          const [fault] = showing.misfitsOf(media.schema, record)
          throw new Error(
            `${name}/${index} does not fit the schema of its reply${fault ? `: ${fault}` : ''}.`,
          )
        }
      }
    }
  }
  checkSeed()
  reset()

  /** The values of a path's parameters by the names that they have here: those of the document may stand for several kinds. */
  function ownPath({ id, path }: Endpoint, values: State): State {
    const [relative, written] = [path, model.operation(id)?.url ?? path].map(url =>
      [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name),
    )
    return Object.fromEntries((relative ?? []).map((name, index) => [name, values[written?.[index] ?? name]]))
  }

  const isEmpty = (collection: Collection) => records.all(collection)[Symbol.iterator]().next().done === true

  async function answer(
    id: string,
    sent: AnyInput,
    tools: FreeTools,
  ): Promise<RecordReply | Refusal | undefined> {
    const endpoint = endpointOf(id)
    const part = parts.get(id)
    if (!endpoint) return undefined
    if (!part) return telling.own(endpoint, tools)
    const { collection, role } = part
    // Records that nothing changes are those of the start, if the document shows any.
    if (!collection.isKept && !isSeeded.has(collection) && isEmpty(collection)) return undefined
    const path = ownPath(endpoint, sent.path as State) // validated by now
    const input = { ...sent, path }
    if (role === 'list') return telling.list(endpoint, collection, input, tools)
    if (role === 'create') return create(endpoint, collection, path, input.body)
    if (role === 'createSeveral') return createSeveral(endpoint, collection, path, input.body)
    if (role !== 'read') return change(endpoint, collection, role, input)
    const name = collection.parameter === undefined ? '' : path[collection.parameter]
    const place = outerValues(collection, path)
    const record = records.find(collection, place, name)
    return record
      ? telling.told(endpoint, endpoint.success, record)
      : refusals.missing(endpoint, collection, place, name)
  }

  return {
    reset,
    count: records.count,
    checkers: credentials.checkers,
    ban: credentials.ban,
    /** Answers an operation, one request after the other; undefined stands for the document’s example. */
    answer(id: string, input: AnyInput, tools: FreeTools): Promise<RecordReply | Refusal | undefined> {
      const next = turn.then(() => answer(id, input, tools))
      turn = next.catch(() => {})
      return next.catch((error: unknown) => {
        if (!(error instanceof Full)) throw error
        throw refusalError(507, `This mock holds no more: ${error.message}. Remove some, or POST /__reset.`)
      })
    },
  }
}
