import { responseFor } from '../../document/model.ts'
import { isObject } from '../../document/pointer.ts'
import type { Reference, Schema } from '../../document/types.ts'
import type { FreeTools } from '../../service/context.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { type Fault, type Refusal, refusal, refusalError } from '../../service/errors/api-error.ts'
import { etagOf } from '../../service/replies/etag.ts'
import type { AnyInput } from '../../service/routes/binding.ts'
import { createSchemas } from '../../service/values/schemas.ts'
import { codes, credential, foldText, health, identifier, usage } from '../check/conventions.ts'
import { type Endpoint, readInterface, recordUrl, type Shape, shapeOf } from '../check/interface.ts'
import { anything, effectsOf, operandOf, type Scope, type State } from '../check/invariants/effects.ts'
import { createRecordModel, type Named, type Seen } from '../check/invariants/model.ts'
import { uniqueCodesOf } from '../check/probes/unique.ts'
import { recordIn } from '../check/requests.ts'
import type { WireReply } from '../check/wire.ts'
import { showsSecret } from '../reading/facts.ts'
import { type Collection, collectionsOf, listIn, pageNames } from './collections.ts'
import { createCredentials } from './credentials.ts'
import { filtered, type Listed, pageOf } from './lists.ts'
import { bounds, createRecords, Full, type Kept } from './records.ts'
import type { Seed } from './seed.ts'
import { createShowing, exampleRecords, examplesIn, shapesOf } from './showing.ts'

/** The reply of an operation on records. Without a value the document’s example is its body. */
export interface Told {
  status: number
  headers: Readonly<Record<string, string>>
  value?: unknown
}

export type Keeper = ReturnType<typeof createKeeper>

/** The path of a list, or its last name, by which a seed names a collection. */
const namesOf = ({ path, parameter }: Collection): string[] => {
  const list = parameter === undefined ? path : path.slice(0, path.lastIndexOf('/'))
  return [list, list.slice(list.lastIndexOf('/') + 1)]
}

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
    given = [],
    now = () => new Date(),
  }: { seed?: Seed; given?: readonly string[]; now?: () => Date } = {},
) {
  const { model } = contract
  const api = readInterface(model)
  const schemas = createSchemas(model)
  const parts = collectionsOf(api)
  const collections = [...new Set([...parts.values()].map(part => part.collection))]
  const records = createRecords()
  const credentials = createCredentials(contract, given, now)
  const showing = createShowing(api, schemas, now)
  const rules = createRecordModel(api, async url => readAt(url))
  const isSeeded = new Set<Collection>()
  let turn: Promise<unknown> = Promise.resolve()

  const endpointOf = new Map(api.endpoints.map(endpoint => [endpoint.id, endpoint]))
  const collectionOf = (parameter: string) => collections.find(one => one.parameter === parameter)
  /** The values of a path's parameters but the last, by which the records of others are left out. */
  function placeOf({ path, parameter }: Collection, values: State): State {
    const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) =>
      name === parameter ? [] : [name],
    )
    return Object.fromEntries(names.filter(name => name in values).map(name => [name, String(values[name])]))
  }
  const isShown = (shapes: readonly Shape[], name: string) =>
    shapes.some(({ properties = {} }) => name in properties)
  const isAt = ({ place }: Kept, wanted: State) =>
    Object.entries(wanted).every(([name, value]) => place[name] === value)

  const examplesOf = (endpoint: Endpoint, status: number) =>
    examplesIn(api, endpoint.responses.get(String(status))).flatMap(one =>
      isObject(one) ? [one, ...Object.values(one).flat()] : [one].flat(),
    )

  // The rules of records read them as a client of the check does: by URL.

  function readAt(url: string): WireReply {
    const [path = '', search = ''] = url.split('?')
    const empty = { headers: {}, text: '', length: 0 }
    for (const [id, { collection, role }] of parts) {
      const endpoint = endpointOf.get(id)
      const isHere = endpoint?.method === 'GET' && matches(endpoint.path, path)
      if (!endpoint || !isHere) continue
      if (role === 'list') {
        const query = Object.fromEntries(
          [...new URLSearchParams(search)].map(([name, text]) => [name, typedValue(endpoint, name, text)]),
        )
        const kept = filtered(api, endpoint, [...records.all(collection)], query)
        return { ...empty, status: 200, body: kept.map(({ state }) => state) }
      }
      const record = records.find(collection, {}, decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)))
      if (record) return { ...empty, status: endpoint.success, body: viewOf(endpoint, record) }
    }
    return { ...empty, status: codes.notFound.status, body: undefined }
  }
  const typedValue = ({ parameters }: Endpoint, name: string, text: string): unknown => {
    const { type } = shapeOf(model, parameters.find(one => one.name === name)?.schema ?? {})
    return type === 'string' ? text : JSON.parse(text)
  }
  /** The properties that an operation shows of a record. */
  const viewOf = ({ gives: { properties } }: Endpoint, { state }: Kept): State =>
    properties ? Object.fromEntries(Object.entries(state).filter(([name]) => name in properties)) : state
  async function look(named: readonly Named[]): Promise<Seen> {
    const urls = named.flatMap(({ parameter, id }) =>
      api.readers(parameter).map(reader => recordUrl(reader, id)),
    )
    return new Map(urls.map(url => [url, readAt(url)]))
  }

  /** Takes up the records of the start. */
  function reset(): void {
    records.clear()
    credentials.clear()
    isSeeded.clear()
    for (const collection of collections) {
      const own = seed && namesOf(collection).flatMap(name => seed[name] ?? [])
      if (own?.length) isSeeded.add(collection)
      for (const state of own ?? (seed ? [] : exampleRecords(api, collection))) {
        const { identifier, parameter, path } = collection
        const parameters = [...api.endpoints].find(one => one.path === path)?.parameters ?? []
        const example = (name: string) => {
          const { example: own, schema = {} } =
            parameters.find(one => one.in === 'path' && one.name === name) ?? {}
          return own ?? shapeOf(model, schema).example ?? showing.sampleOf(schema)
        }
        const id =
          parameter === undefined ? '' : identifier === undefined ? example(parameter) : state[identifier]
        const values = Object.fromEntries(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, example(name)]),
        )
        const place = placeOf(collection, { ...values, ...state })
        if (id !== undefined && !records.find(collection, place, id))
          records.add(collection, place, id, state)
      }
    }
  }

  /** @throws Error for a collection that the document does not have, and a record that its schema does not take */
  function checkSeed(): void {
    for (const [name, all] of Object.entries(seed ?? {})) {
      const collection = collections.find(one => namesOf(one).includes(name))
      if (!collection) {
        const known = collections.map(one => namesOf(one)[0]).join(', ')
        throw new Error(`The document has no collection ${name}; it has ${known || 'none'}.`)
      }
      const shown = collection.reader?.responses.get(String(collection.reader.success))
      const [media] = Object.values(shown?.content ?? {})
      for (const [index, record] of all.entries()) {
        const { identifier } = collection
        if (identifier !== undefined && record[identifier] === undefined)
          throw new Error(`${name}/${index} lacks ${identifier}, by which its path names it.`)
        const value = media?.schema && showing.show(media.schema, record, [])
        const isShown =
          isObject(value) && Object.keys(value).every(key => value[key] === record[key] || !(key in record))
        if (media?.schema && !isShown)
          throw new Error(`${name}/${index} does not fit the schema of its reply.`)
      }
    }
  }
  checkSeed()
  reset()

  // Refusals, in the form of the document.

  function refused(
    endpoint: Endpoint,
    { status, code }: { status: number; code: string },
    message: string,
    details?: Fault[],
  ) {
    const own = contract.facts.get(endpoint.id)?.codes ?? {}
    if (Object.hasOwn(own, code)) return refusal(code, message, details)
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
    const [effect] = effectsOf(endpoint).filter(one => before.lacking.has(one))
    if (!effect) return undefined
    const [[parameter = '', operand = null] = []] = Object.entries(effect.of)
    const id = operandOf(operand, before.scope)
    const collection = collectionOf(parameter)
    const isThere = collection && records.find(collection, {}, id)
    const [, name] = /^body\.(.+)$/.exec(String(operand)) ?? []
    const details = !isThere && name ? [{ path: `/${name}`, message: 'names nothing' }] : undefined
    const [own = 'conflict'] = Object.keys(contract.facts.get(endpoint.id)?.codes ?? {}).filter(
      code => contract.facts.get(endpoint.id)?.codes[code] === 409,
    )
    const message = isThere
      ? `The ${parameter} ${String(id)} is not as this needs it.`
      : `There is no ${parameter} ${String(id)}.`
    return refused(endpoint, { status: 409, code: effect.otherwise ?? own }, message, details)
  }

  /** The property of which each record has another value, and the code that says so. */
  function uniqueOf({ maker }: Collection): { name: string; code: string } | undefined {
    if (!maker) return undefined
    const texts = Object.entries(maker.takes.properties ?? {}).filter(
      ([, schema]) => shapeOf(model, schema).type === 'string',
    )
    for (const code of uniqueCodesOf(maker)) {
      const words = code.split('_')
      const [name] = texts.find(([one]) => words.includes(one.toLowerCase())) ?? []
      if (name !== undefined) return { name, code }
    }
    return undefined
  }
  function taken(endpoint: Endpoint, collection: Collection, body: State, own?: Kept): Refusal | undefined {
    const { name = '', code } = uniqueOf(collection) ?? {}
    const value = body[name]
    const known = contract.facts.get(endpoint.id)?.codes ?? {}
    if (code === undefined || typeof value !== 'string' || !Object.hasOwn(known, code)) return undefined
    const isSame = ({ state }: Kept) => foldText(String(state[name] ?? '')) === foldText(value)
    for (const one of records.all(collection))
      if (one !== own && isSame(one))
        return refusal(code, `${JSON.stringify(value)} is taken.`, [
          { path: `/${name}`, message: 'is taken' },
        ])
    return undefined
  }

  // The work of operations.

  /** The properties that a record has afterwards: what can't be told is as the body says, or as it was. */
  function settled(due: State, before: State, body: State): State {
    const state: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(due)) {
      const is = value === anything ? (body[name] ?? before[name]) : value
      if (is !== undefined && is !== null) state[name] = is
    }
    return credentials.settled(state)
  }

  /** Changes the other records that effects tell of, once the request itself has changed its own. */
  async function affect(
    endpoint: Endpoint,
    scope: Scope,
    before: ReadonlyMap<Kept, State>,
    own?: Kept,
  ): Promise<void> {
    for (const { parameter, id } of rules.namedByEffects(endpoint, scope)) {
      const collection = collectionOf(parameter)
      const record = collection && records.find(collection, {}, id)
      if (!record || record === own || !before.has(record)) continue
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
    const { identifier, parameter = '', maker } = collection
    const shapes = shapesOf(api, collection)
    const place = placeOf(collection, values)
    const state: Record<string, unknown> = showing.newState(
      shapes,
      body,
      examplesOf(endpoint, endpoint.success),
    )
    const named =
      values[parameter] ??
      (identifier !== undefined && maker?.takes.properties?.[identifier] ? body[identifier] : undefined)
    const [shown] = shapes.flatMap(({ properties = {} }): (Schema | Reference)[] => {
      const property = identifier === undefined ? undefined : properties[identifier]
      return property ? [property] : []
    })
    const inPath = api.endpoints
      .find(one => one.path === collection.path)
      ?.parameters.find(one => one.name === parameter)
    let id = named
    const from = records.next(collection)
    for (let order = from; id === undefined || records.find(collection, place, id); order++) {
      if (order - from > bounds.records) throw new Full('no identifier is left for another record')
      id = showing.newId(shown ?? inPath?.schema, order)
    }
    for (const name of [identifier, parameter])
      if (name !== undefined && isShown(shapes, name)) state[name] = id
    const record = records.add(collection, place, id, state)
    const scope = { body, path: values, before: {}, reply: { ...state } }
    const due = await rules.dueAfter(endpoint, { parameter, id }, state, scope)
    records.change(record, settled(due, state, body))
    record.version = 1
    return record
  }
  /** A record in a reply, with the header fields that the reply declares for it. */
  function told(endpoint: Endpoint, status: number, record: Kept, more: State = {}): Told {
    const response = endpoint.responses.get(String(status))
    const headers: Record<string, string> = {}
    for (const [name, reference] of Object.entries(response?.headers ?? {})) {
      const { pattern = '' } = shapeOf(model, model.resolve(reference).schema ?? {})
      if (/^etag$/i.test(name) && !pattern.startsWith('^W/')) headers[name] = etagOf(record.version)
      if (/^location$/i.test(name) && status === 201) headers[name] = urlOf(endpoint, record)
    }
    const [media] = Object.values(response?.content ?? {})
    if (!media?.schema) return { status, headers }
    const state = { ...credentials.shown(record.state), ...more }
    const value = wrapped(endpoint, media.schema, state, examplesOf(endpoint, status))
    return value === undefined ? { status, headers } : { status, headers, value }
  }
  const urlOf = ({ makes, path, record }: Endpoint, { id }: Kept) =>
    makes !== undefined && record === undefined ? `${path}/${encodeURIComponent(String(id))}` : path

  /** A record as a schema has it, by itself or as one of its properties. */
  function wrapped(
    endpoint: Endpoint,
    schema: Schema | Reference,
    state: State,
    examples: readonly unknown[],
  ): unknown {
    const { identifier } = parts.get(endpoint.id)?.collection ?? {}
    const { gives } = endpoint
    const isItself = identifier === undefined || !gives.properties || identifier in gives.properties
    if (isItself) return showing.show(schema, state, examples)
    for (const [name, inner] of Object.entries(gives.properties ?? {}))
      if (identifier in (api.shape(inner).properties ?? {}))
        return showing.show(schema, { [name]: showing.show(inner, state, examples) }, [])
    return showing.show(schema, state, examples)
  }

  function list(
    endpoint: Endpoint,
    collection: Collection,
    { path, query }: AnyInput,
    tools: FreeTools,
  ): Told | undefined {
    const place = placeOf(collection, path as State) // validated by now
    const kept = [...records.all(collection)].filter(one => isAt(one, place))
    const asked = query as State // likewise
    const page = pageOf(endpoint, filtered(api, endpoint, kept, asked), asked, () => tools.page)
    const status = endpoint.success
    const response = endpoint.responses.get(String(status))
    const declared = Object.keys(response?.headers ?? {}).map(name => name.toLowerCase())
    const own: Record<string, string> = { ...page.headers }
    for (const name of Object.keys(own)) if (!declared.includes(name.toLowerCase())) delete own[name]
    for (const name of declared) if (/total(-?count)?$/.test(name)) own[name] = String(page.total)
    const at = listIn(api, endpoint)
    const [media] = Object.values(response?.content ?? {})
    if (at === undefined || !media?.schema) return undefined
    const shape = at === '' ? endpoint.gives : api.shape(endpoint.gives.properties?.[at])
    const examples = exampleRecords(api, { ...collection, reader: undefined, maker: undefined })
    const items = page.records.map(({ state }) =>
      showing.show(shape.items ?? {}, credentials.shown(state), examples),
    )
    if (items.includes(undefined)) return undefined
    if (at === '') return { status, headers: own, value: items }
    return {
      status,
      headers: own,
      value: showing.show(media.schema, { ...aboutPage(endpoint, page), [at]: items }, []),
    }
  }
  /** The properties beside the items that tell of a page. */
  function aboutPage({ gives: { properties = {} } }: Endpoint, { total, hasMore, headers }: Listed): State {
    const about: Record<string, unknown> = {}
    for (const name of Object.keys(properties)) {
      if (pageNames.total.test(name)) about[name] = total
      if (pageNames.more.test(name)) about[name] = hasMore
      if (pageNames.next.test(name) && hasMore) about[name] = headers['X-Next-Cursor']
    }
    return about
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
    return told(endpoint, endpoint.success, record, secret && { [secret.name]: secret.value })
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
        faults.push(...(why.details ?? []).map(one => ({ ...one, path: `/${index}${one.path}` })))
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
    const place = placeOf(collection, path)
    const record = records.find(collection, place, id)
    const body = recordIn(input.body)
    if (!record) {
      const isMade =
        role === 'replace' && (collection.parameter === undefined || endpoint.responses.has('201'))
      if (!isMade) return missing(endpoint, collection, place, id)
      return told(
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
    const after = isRemoved ? undefined : settled(merged, record.state, body)
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
    return told(endpoint, endpoint.success, record, secret && { [secret.name]: secret.value })
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

  /** A reply about the caller or the service itself, by the conventions. */
  async function own(endpoint: Endpoint, tools: FreeTools): Promise<Told | undefined> {
    const { properties = {} } = endpoint.gives
    const has = (...names: string[]) => endpoint.method === 'GET' && names.every(name => name in properties)
    let state: State | undefined
    if (has(usage.windows) && contract.rateLimits) state = await usageOf(tools)
    if (has(health.status, health.version, health.dependencies)) {
      const { version } = model.document.info
      state = {
        [health.status]: health.states[0],
        [health.version]: version,
        [health.warnings]: tools.warnings(),
      }
      state = { ...state, [health.dependencies]: await tools.dependencies() }
    }
    const [media] = Object.values(endpoint.responses.get(String(endpoint.success))?.content ?? {})
    if (!state || !media?.schema) return undefined
    const value = showing.show(media.schema, state, [])
    return value === undefined ? undefined : { status: endpoint.success, headers: {}, value }
  }
  async function usageOf({ caller, limits, deprecatedCalls }: FreeTools): Promise<State> {
    const used = (await deprecatedCalls()) ?? new Map<string, number>()
    const deprecated = [...contract.facts].flatMap(([operationId, { deprecation }]) => {
      const [calls, sunset] = [used.get(operationId), deprecation?.sunset]
      return calls && sunset ? [{ operationId, calls, sunset }] : []
    })
    const windows = await limits()
    return {
      [credential.plan]: caller.plan,
      [credential.scopes]: caller.kind === 'key' ? [...caller.scopes] : [],
      [usage.windows]: windows.map(({ name, limit, remaining, reset }) => ({
        name,
        limit,
        remaining,
        reset,
      })),
      [usage.deprecated]: deprecated,
      ...(caller.bannedUntil && { [credential.bannedUntil]: caller.bannedUntil.toISOString() }),
    }
  }

  async function answer(id: string, input: AnyInput, tools: FreeTools): Promise<Told | Refusal | undefined> {
    const endpoint = endpointOf.get(id)
    const part = parts.get(id)
    if (!endpoint) return undefined
    if (!part) return own(endpoint, tools)
    const { collection, role } = part
    if (!collection.isKept && !isSeeded.has(collection)) return undefined
    const path = input.path as State // validated by now
    if (role === 'list') return list(endpoint, collection, input, tools)
    if (role === 'create') return create(endpoint, collection, path, input.body)
    if (role === 'createSeveral') return createSeveral(endpoint, collection, path, input.body)
    if (role !== 'read') return change(endpoint, collection, role, input)
    const name = collection.parameter === undefined ? '' : path[collection.parameter]
    const place = placeOf(collection, path)
    const record = records.find(collection, place, name)
    return record ? told(endpoint, endpoint.success, record) : missing(endpoint, collection, place, name)
  }

  return {
    reset,
    count: records.count,
    checkers: credentials.checkers,
    ban: credentials.ban,
    /** Answers an operation, one request after the other; undefined stands for the document’s example. */
    answer(id: string, input: AnyInput, tools: FreeTools): Promise<Told | Refusal | undefined> {
      const next = turn.then(() => answer(id, input, tools))
      turn = next.catch(() => {})
      return next.catch((error: unknown) => {
        if (!(error instanceof Full)) throw error
        throw refusalError(507, `This mock holds no more: ${error.message}. Remove some, or POST /__reset.`)
      })
    },
  }
}

/** Whether a URL's path is of a template. */
function matches(template: string, path: string): boolean {
  const [one, other] = [template.split('/'), path.split('/')]
  return (
    one.length === other.length && one.every((name, index) => /^\{\w+\}$/.test(name) || name === other[index])
  )
}
