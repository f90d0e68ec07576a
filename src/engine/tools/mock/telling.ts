import type { FreeTools } from 'spec-served/internal/context'
import { etagOf } from 'spec-served/internal/replies/etag'
import type { AnyInput } from 'spec-served/internal/routes/binding'
import { responseFor } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { Reference, Schema } from 'spec-served-document/types'
import { credential, health, usage } from '../records/conventions.ts'
import type { State } from '../records/effects.ts'
import { type Endpoint, shapeOf } from '../records/interface.ts'
import { type Collection, listIn, pageNames } from './collections.ts'
import { isAt, type Keeping, outerValues } from './keeping.ts'
import { filtered, type ListPage, pageOf } from './lists.ts'
import type { Kept } from './records.ts'
import { exampleRecords, examplesIn } from './showing.ts'

/** The reply of an operation on records. Without a value the document’s example is its body. */
export interface RecordReply {
  status: number
  headers: Readonly<Record<string, string>>
  value?: unknown
}

export type Telling = ReturnType<typeof createTelling>

/** Makes the replies that show records, lists of them, and the caller or the service itself. */
export function createTelling({ contract, model, api, parts, records, credentials, showing }: Keeping) {
  const examplesOf = (endpoint: Endpoint, status: number) =>
    examplesIn(api, responseFor(endpoint, status)).flatMap(example =>
      isObject(example) ? [example, ...Object.values(example).flat()] : [example].flat(),
    )

  /** A record in a reply, with the header fields that the reply declares for it. */
  function replyFor(endpoint: Endpoint, status: number, record: Kept, more: State = {}): RecordReply {
    const response = responseFor(endpoint, status)
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
    makes !== undefined && record === undefined ? api.urlOf(path, makes, id) : path

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
  ): RecordReply | undefined {
    const place = outerValues(collection, path as State) // validated by now
    const kept = [...records.all(collection)].filter(candidate => isAt(candidate, place))
    const asked = query as State // likewise
    const page = pageOf(endpoint, filtered(api, endpoint, kept, asked), asked, () => tools.page)
    const status = endpoint.success
    const response = responseFor(endpoint, status)
    const declared = Object.keys(response?.headers ?? {}).map(name => name.toLowerCase())
    const headers: Record<string, string> = { ...page.headers }
    for (const name of Object.keys(headers)) if (!declared.includes(name.toLowerCase())) delete headers[name]
    for (const name of declared) if (/total(-?count)?$/.test(name)) headers[name] = String(page.total)
    const listName = listIn(api, endpoint)
    const [media] = Object.values(response?.content ?? {})
    if (listName === undefined || !media?.schema) return undefined
    const shape = listName === '' ? endpoint.gives : api.shape(endpoint.gives.properties?.[listName])
    const examples = exampleRecords(api, { ...collection, reader: undefined, maker: undefined, shownIn: [] })
    const items = page.records.map(({ state }) =>
      showing.show(shape.items ?? {}, credentials.shown(state), examples),
    )
    if (items.includes(undefined)) return undefined
    if (listName === '') return { status, headers, value: items }
    return {
      status,
      headers,
      value: showing.show(media.schema, { ...aboutPage(endpoint, page), [listName]: items }, []),
    }
  }
  /** The properties beside the items that describe a page. */
  function aboutPage({ gives: { properties = {} } }: Endpoint, { total, hasMore, headers }: ListPage): State {
    const about: Record<string, unknown> = {}
    for (const name of Object.keys(properties)) {
      if (pageNames.total.test(name)) about[name] = total
      if (pageNames.more.test(name)) about[name] = hasMore
      if (pageNames.next.test(name) && hasMore) about[name] = headers['X-Next-Cursor']
    }
    return about
  }

  /** A reply about the caller or the service itself, by the conventions. */
  async function replyToOwn(endpoint: Endpoint, tools: FreeTools): Promise<RecordReply | undefined> {
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
    const [media] = Object.values(responseFor(endpoint, endpoint.success)?.content ?? {})
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

  return { told: replyFor, list, own: replyToOwn, examplesOf }
}
