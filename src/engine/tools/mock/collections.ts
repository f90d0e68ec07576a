import { identifier, pageNumber, parameters } from '../records/conventions.ts'
import type { Endpoint, Interface, Shape } from '../records/interface.ts'

/** The part that an operation has in the records of a collection. */
export type Role = 'create' | 'createSeveral' | 'list' | 'read' | 'replace' | 'change' | 'remove' | 'act'

/** Records of one kind, which several operations show and change. */
export interface Collection {
  /** the path of one record, as `/pets/{petId}`; that of a single record, which no parameter names */
  path: string
  /** the path parameter that names a record; undefined for a single one */
  parameter: string | undefined
  /** the property with the value of that parameter; undefined: no reply shows it */
  identifier: string | undefined
  maker: Endpoint | undefined
  list: Endpoint | undefined
  reader: Endpoint | undefined
  /** the operations that show its records */
  shownIn: Endpoint[]
  /** whether an operation changes its records */
  isKept: boolean
}

/** An operation's part in a collection. */
export interface OperationRole {
  collection: Collection
  role: Role
}

const baseOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const lastOf = (path: string) => /\/\{([^{}]+)\}$/.exec(path)?.[1]
const itemRoles = { GET: 'read', PUT: 'replace', PATCH: 'change', DELETE: 'remove' } as const
const itemRole = (method: string): Role | undefined =>
  Object.hasOwn(itemRoles, method) ? itemRoles[method as keyof typeof itemRoles] : undefined

/**
 * Finds the records that a document is about, by its paths: a POST makes the records that the path below names, a GET
 * there lists them. An operation at another path with the same parameter shows other properties of the same records.
 * @returns the part of each operation, by operationId; an operation without one has no records
 */
export function collectionsOf(contract: Interface): ReadonlyMap<string, OperationRole> {
  const { endpoints, endpointFor } = contract
  const collections = new Map<string, Collection>()
  const parts = new Map<string, OperationRole>()

  /** The collection of the records at a path. */
  function collectionAt(path: string): Collection {
    const parameter = lastOf(path)
    const homes = parameter === undefined ? undefined : homesOf(parameter)
    const home =
      homes && homes.length === 1 && !homes.includes(path) && parameter !== identifier.one ? homes[0] : path
    const existing = collections.get(home ?? path)
    if (existing) return existing
    const reader = endpointFor('GET', home ?? path)
    const maker = parameter === undefined ? undefined : endpointFor('POST', baseOf(home ?? path))
    const list = parameter === undefined ? undefined : endpointFor('GET', baseOf(home ?? path))
    const shown = [reader, maker, list].flatMap(item => (item ? shownBy(contract, item) : []))
    const collection: Collection = {
      ...{ path: home ?? path, parameter, maker, list, reader, shownIn: [], isKept: false },
      identifier: parameter === undefined ? undefined : identifierIn(shown, writtenName(home ?? path)),
    }
    collections.set(collection.path, collection)
    return collection
  }
  /** The name of the last parameter of a path as the document has it. */
  const writtenName = (path: string): string => {
    const { id = '' } = endpoints.find(endpoint => endpoint.path === path) ?? {}
    return lastOf(contract.model.operation(id)?.url ?? path) ?? ''
  }
  /** The paths of the records that a parameter names and that an operation makes. */
  const homesOf = (parameter: string) => [
    ...new Set(
      endpoints
        .map(endpoint => endpoint.path)
        .filter(path => lastOf(path) === parameter && endpointFor('POST', baseOf(path))),
    ),
  ]
  /** Whether operations make, change or remove a record at a path. */
  const isRecord = (path: string) =>
    lastOf(path) !== undefined &&
    (endpointFor('POST', baseOf(path)) ??
      endpointFor('PUT', path) ??
      endpointFor('PATCH', path) ??
      endpointFor('DELETE', path)) !== undefined
  function add(endpoint: Endpoint, path: string, role: Role): void {
    const collection = collectionAt(path)
    parts.set(endpoint.id, { collection, role })
    if (role !== 'createSeveral') collection.shownIn.push(endpoint)
    if (role !== 'list' && role !== 'read') collection.isKept = true
  }

  for (const endpoint of endpoints) {
    const { path, method } = endpoint
    const role = itemRole(method)
    if (lastOf(path) !== undefined && role) add(endpoint, path, role)
    const item = endpoints.find(
      candidate => lastOf(candidate.path) !== undefined && baseOf(candidate.path) === path,
    )
    if (item && method === 'POST') add(endpoint, item.path, 'create')
    const list = item && method === 'GET' ? listIn(contract, endpoint) : undefined
    // A record that has a list is no list itself.
    if (item && list !== undefined && (list === '' || !isRecord(path))) add(endpoint, item.path, 'list')
  }
  for (const endpoint of endpoints) {
    const { path, method, takes, gives } = endpoint
    if (parts.has(endpoint.id)) continue
    const maker = endpointFor('POST', baseOf(path))
    const above = maker && parts.get(maker.id)
    if (method === 'POST' && above?.role === 'create' && takes.type === 'array' && gives.type === 'array')
      add(endpoint, above.collection.path, 'createSeveral')
    const [, record] = /^(.*\/\{[^{}]+\})\/[^{}/]+$/.exec(path) ?? []
    const changed = record === undefined || method === 'GET' ? undefined : collectionAt(record)
    const shown = changed && shownBy(contract, endpoint)
    if (
      changed?.isKept &&
      shown?.some(({ properties = {} }) => changed.identifier && changed.identifier in properties)
    )
      add(endpoint, changed.path, 'act')
    const isSingle =
      lastOf(path) === undefined &&
      (endpointFor('PUT', path) ?? endpointFor('PATCH', path)) &&
      !endpointFor('POST', path)
    const reader = endpointFor('GET', path)
    const role = method === 'DELETE' ? undefined : itemRole(method)
    if (isSingle && role && reader?.gives.properties && listIn(contract, reader) === undefined)
      add(endpoint, path, role)
  }
  return parts
}

/** A reply as it may show a record: itself, or one of its properties. */
export function shownBy({ shape }: Interface, { gives }: Pick<Endpoint, 'gives'>): Shape[] {
  const inner = (part: Shape) => (part.items ? shape(part.items) : part)
  const wrapped = Object.values(gives.properties ?? {}).map(property => inner(shape(property)))
  const innerSchema = inner(gives)
  const alternatives = (innerSchema.oneOf ?? innerSchema.anyOf ?? []).map(item => shape(item))
  return [innerSchema, ...[...alternatives, ...wrapped].filter(candidate => candidate.properties)]
}

/** The property of a reply that is the list of records; '' where the reply itself is, undefined without one. */
export function listIn({ shape }: Interface, { gives }: Pick<Endpoint, 'gives'>): string | undefined {
  if (gives.type === 'array') return ''
  const lists = Object.entries(gives.properties ?? {}).filter(
    ([, property]) => shape(property).items !== undefined,
  )
  const ofObjects = lists.filter(([, list]) => shape(shape(list).items).properties)
  return (ofObjects[0] ?? lists[0])?.[0]
}

/** The property that holds what a path parameter names: one of its name, however it is written, or the usual one. */
function identifierIn(shapes: readonly Shape[], parameter: string): string | undefined {
  const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()
  // A record comes before those that it holds.
  for (const { properties = {} } of shapes) {
    const names = Object.keys(properties)
    const called = (parameterName: string) => names.find(name => plain(name) === plain(parameterName))
    const named = called(parameter) ?? called(identifier.one)
    if (named !== undefined) return named
  }
  return undefined
}

/** The names by which services ask for parts of a list, besides `limit` and `cursor`. */
export const pageNames = {
  size: new RegExp(`^(${parameters.limit}|per_?page|page_?size|size|top|max_?results)$`, 'i'),
  offset: /^(offset|skip|start|start_?index)$/i,
  page: pageNumber,
  total: /^(total|count|total_?(count|items|results|size)|item_?count)$/i,
  next: /^next_?(cursor|(page_?)?token)$/i,
  more: /^has_?(more|next)(_?page)?$/i,
  search: /^(q|query|search)$/i,
} as const
