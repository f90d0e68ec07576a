import type { Refusal } from 'spec-served/internal/errors/api-error'
import type { AnyInput } from 'spec-served/internal/routes/binding'
import { responseFor } from 'spec-served-document/model'
import type { Reference, Schema } from 'spec-served-document/types'
import type { Fault } from 'spec-served-document/values/faults'
import { codes, identifier } from '../records/conventions.ts'
import { anything, type Scope, type State } from '../records/effects.ts'
import type { Endpoint, Shape } from '../records/interface.ts'
import { recordIn } from '../records/messages.ts'
import type { Collection } from './collections.ts'
import { type Keeping, outerValues } from './keeping.ts'
import { Full, type Kept, recordLimits } from './records.ts'
import type { Refusals } from './refusals.ts'
import { shapesOf } from './showing.ts'
import type { Telling } from './telling.ts'

/** Makes, changes and removes records, as the operations of a document do. */
export function createActions(
  { api, records, credentials, showing, rules, collections, collectionOf }: Keeping,
  { refused, missing, lacking, taken, isLast }: Refusals,
  { told: replyWith, examplesOf }: Telling,
) {
  /** The properties that a record has afterwards: what can't be known is as the body says, or as it was. */
  function settled(due: State, before: State, body: State): State {
    const state: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(due)) {
      const is = value === anything ? (body[name] ?? before[name]) : value
      if (is !== undefined && is !== null) state[name] = is
    }
    return credentials.settled(state)
  }

  /** Changes the other records that effects name, once the request itself has changed its own. */
  async function affect(
    endpoint: Endpoint,
    scope: Scope,
    before: ReadonlyMap<Kept, State>,
    present?: Kept,
  ): Promise<void> {
    for (const { parameter, id } of rules.namedByEffects(endpoint, scope)) {
      const collection = collectionOf(parameter)
      const record = collection && records.find(collection, {}, id)
      if (!record || record === present || !before.has(record)) continue
      const due = await rules.dueAfter(endpoint, { parameter, id }, before.get(record) ?? record.state, scope)
      records.change(record, settled(due, record.state, scope.body))
    }
  }
  /** The records that effects may change, as they are before a request. */
  const statesFor = (endpoint: Endpoint, scope: Scope): Map<Kept, State> =>
    new Map(
      rules.namedByEffects(endpoint, scope).flatMap(({ parameter, id }) => {
        const collection = collectionOf(parameter)
        const record = collection && records.find(collection, {}, id)
        return record ? [[record, record.state] as const] : []
      }),
    )

  /** Makes a record of a body. */
  async function make(endpoint: Endpoint, collection: Collection, values: State, body: State): Promise<Kept> {
    const { identifier: property, parameter = '', maker } = collection
    const shapes = shapesOf(api, collection)
    const place = outerValues(collection, values)
    const state: Record<string, unknown> = showing.newState(
      shapes,
      body,
      examplesOf(endpoint, endpoint.success),
    )
    const named =
      values[parameter] ??
      (property !== undefined && maker?.takes.properties?.[property] ? body[property] : undefined)
    const [shown] = shapes.flatMap(({ properties = {} }): (Schema | Reference)[] => {
      const schema = property === undefined ? undefined : properties[property]
      return schema ? [schema] : []
    })
    const inPath = api.endpoints
      .find(candidate => candidate.path === collection.path)
      ?.parameters.find(candidate => candidate.name === parameter)
    let id = named
    const from = records.next(collection)
    for (let order = from; id === undefined || records.find(collection, place, id); order++) {
      if (order - from > recordLimits.records) throw new Full('no identifier is left for another record')
      id = showing.newId(shown ?? inPath?.schema, order)
    }
    for (const name of [property, parameter])
      if (name !== undefined && isShown(shapes, name)) state[name] = id
    const record = records.add(collection, place, id, state)
    const scope = { body, path: values, before: {}, reply: { ...state } }
    const due = await rules.dueAfter(endpoint, { parameter, id }, state, scope)
    records.change(record, settled(due, state, body))
    record.version = 1
    return record
  }

  async function create(endpoint: Endpoint, collection: Collection, path: State, body: unknown) {
    const sent = recordIn(body)
    const why =
      credentials.unfit(sent, sent) ??
      (await lacking(endpoint, path, sent)) ??
      taken(endpoint, collection, sent)
    if (why) return why
    const secret = showing.secretOf(endpoint)
    const scope = { body: sent, path, before: {} }
    const before = statesFor(endpoint, scope)
    const record = await make(endpoint, collection, path, sent)
    await affect(endpoint, scope, before, record)
    const shown = secret ? credentials.issue(record, secret.value, sent) : {}
    records.change(record, settled({ ...record.state, ...shown }, {}, {}))
    record.version = 1
    return replyWith(endpoint, endpoint.success, record, secret && { [secret.name]: secret.value })
  }

  /** Makes all records of a list, or none. */
  async function createSeveral(endpoint: Endpoint, collection: Collection, path: State, body: unknown) {
    const { maker = endpoint } = collection
    const items = (Array.isArray(body) ? body : []).map(recordIn)
    const faults: Fault[] = []
    let first: Refusal | undefined
    for (const [index, item] of items.entries()) {
      const why =
        credentials.unfit(item, item) ?? (await lacking(maker, path, item)) ?? taken(maker, collection, item)
      if (!why) continue
      first ??= why
      if (why.code === first.code)
        faults.push(...(why.details ?? []).map(detail => ({ ...detail, path: `/${index}${detail.path}` })))
    }
    if (first) return refused(endpoint, { status: 409, code: first.code }, first.message, faults)
    const made: Kept[] = []
    for (const item of items) made.push(await make(maker, collection, path, item))
    const value = made.map(({ state }) => showing.show(endpoint.gives.items ?? {}, state, []))
    return { status: endpoint.success, headers: {}, value }
  }

  /** Changes, replaces or removes a record, or does with it what an operation below its path does. */
  async function change(endpoint: Endpoint, collection: Collection, role: string, input: AnyInput) {
    const path = input.path as State // validated by now
    const id = collection.parameter === undefined ? '' : path[collection.parameter]
    const place = outerValues(collection, path)
    const record = records.find(collection, place, id)
    const body = recordIn(input.body)
    if (!record) {
      const mayMiss = collection.parameter !== undefined && responseFor(endpoint, codes.notFound.status)
      const isMade =
        role === 'replace' ? !mayMiss || endpoint.responses.has('201') : role === 'change' && !mayMiss
      if (!isMade) return missing(endpoint, collection, place, id)
      return replyWith(
        endpoint,
        endpoint.responses.has('201') ? 201 : endpoint.success,
        await make(endpoint, collection, path, body),
      )
    }
    if (input.ifMatch && !input.ifMatch.includes(record.version))
      return refused(endpoint, codes.version, 'The record has changed: its ETag is not in If-Match any more.')
    const why = (await lacking(endpoint, path, body)) ?? taken(endpoint, collection, body, record)
    if (why) return why
    const scope: Scope = { body, path, before: record.state }
    const before = statesFor(endpoint, scope)
    const isRemoved = role === 'remove'
    const due = await rules.dueAfter(
      endpoint,
      { parameter: collection.parameter ?? '', id },
      record.state,
      scope,
    )
    // A single record has no path parameter to be known by.
    const merged =
      collection.parameter === undefined ? { ...(role === 'change' && record.state), ...body } : due
    const shapes = shapesOf(api, collection)
    const after = isRemoved
      ? undefined
      : showing.required(shapes, settled(merged, record.state, body), examplesOf(endpoint, endpoint.success))
    const unfit = after && role !== 'act' ? credentials.unfit(body, after) : undefined
    if (unfit) return unfit
    if (isLast(endpoint, collection, record, after))
      return refused(
        endpoint,
        codes.lastAdministrator,
        `${String(id)} is the last that can administer others.`,
      )
    if (!after) {
      records.remove(collection, record)
      credentials.remove(record)
      forget(collection, id)
    } else records.change(record, after)
    await affect(endpoint, scope, before, record)
    const secret = after && showing.secretOf(endpoint)
    if (secret) {
      const shown = credentials.issue(record, secret.value, body)
      records.change(record, settled({ ...record.state, ...shown }, {}, {}))
    }
    return replyWith(endpoint, endpoint.success, record, secret && { [secret.name]: secret.value })
  }

  /** Takes a removed record out of the others that refer to it, where they need not. */
  function forget({ parameter }: Collection, id: unknown): void {
    if (parameter === undefined || parameter === identifier.one) return
    for (const other of collections) {
      const shapes = shapesOf(api, other)
      const isOptional =
        isShown(shapes, parameter) && !shapes.some(({ required }) => required?.includes(parameter))
      if (!isOptional || other.parameter === parameter) continue
      for (const record of records.all(other)) {
        const { [parameter]: named, ...rest } = record.state
        if (named !== undefined && String(named) === String(id)) records.change(record, rest)
      }
    }
  }

  return { create, createSeveral, change }
}

const isShown = (shapes: readonly Shape[], name: string) =>
  shapes.some(({ properties = {} }) => name in properties)
