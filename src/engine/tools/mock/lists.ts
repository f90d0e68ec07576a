import type { Page } from 'spec-served/internal/replies/pages'
import type { Parameter } from 'spec-served-document/types'
import { foldText, parameters } from '../records/conventions.ts'
import { filters } from '../records/filters.ts'
import { type Endpoint, type Interface, shapeOf } from '../records/interface.ts'
import { pageNames } from './collections.ts'
import type { Kept } from './records.ts'

/** A page of a list. */
export interface ListPage {
  records: readonly Kept[]
  /** of all that the filters keep */
  total: number
  hasMore: boolean
  headers: Readonly<Record<string, string>>
}

type Query = Readonly<Record<string, unknown>>

/** The records that the filters of a query keep. A parameter whose name says nothing keeps all. */
export function filtered(
  { model }: Interface,
  { parameters: all }: Endpoint,
  records: readonly Kept[],
  query: Query,
): Kept[] {
  const properties = [...new Set(records.flatMap(({ state }) => Object.keys(state)))]
  const rules = all.flatMap(parameter => {
    const { name } = parameter
    const value = query[name]
    if (parameter.in !== 'query' || value === undefined || isOfPages(name)) return []
    const named = properties.flatMap(property =>
      filters.filter(({ isNamed }) => isNamed(name, property)).map(({ keeps }) => ({ property, keeps })),
    )
    // A text is the whole of a property, unless the document says that it is the beginning.
    const isBeginning = /\b(begin|start|prefix)/i.test(parameter.description ?? '')
    const rule =
      named[named.length > 1 && isBeginning && !shapeOf(model, parameter.schema ?? {}).enum ? 1 : 0]
    if (rule) return [({ state }: Kept) => rule.keeps(state[rule.property], value)]
    if (!pageNames.search.test(name)) return []
    const text = foldText(String(value))
    return [
      ({ state }: Kept) => Object.values(state).some(candidate => foldText(String(candidate)).includes(text)),
    ]
  })
  return records.filter(record => rules.every(keeps => keeps(record)))
}

const isOfPages = (name: string) =>
  [pageNames.size, pageNames.offset, pageNames.page].some(pattern => pattern.test(name)) ||
  name === parameters.cursor ||
  name === parameters.sort

/** Records in the order that a query asks for, with the keys by which a cursor finds its place. */
function ordered(records: readonly Kept[], { [parameters.sort]: sort }: Query) {
  const wish = typeof sort === 'string' ? sort : ''
  const property = wish.replace(/^-/, '')
  const isByText = records.some(({ state }) => typeof state[property] === 'string')
  const keysOf = ({ state, order }: Kept): (string | number)[] => {
    const value = state[property]
    if (isByText) return [foldText(typeof value === 'string' ? value : ''), order]
    return typeof value === 'number' ? [value, order] : [order]
  }
  const direction = wish.startsWith('-') ? -1 : 1
  const compare = (a: readonly (string | number)[], b: readonly (string | number)[]) =>
    direction * (compareKeys(a[0], b[0]) || compareKeys(a[1], b[1]))
  const rows = records.map(record => ({ record, keys: keysOf(record) }))
  const [first] = rows
  const kinds = (first?.keys ?? [0]).map(key =>
    typeof key === 'string' ? ('string' as const) : ('number' as const),
  )
  return { rows: rows.sort((a, b) => compare(a.keys, b.keys)), kinds, compare }
}

/** Texts follow their code points, which UTF-8 keeps. */
function compareKeys(a: string | number = 0, b: string | number = 0): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
}

/** @param page cuts pages by a cursor, for lists that have one */
export function pageOf(endpoint: Endpoint, kept: readonly Kept[], query: Query, page: () => Page): ListPage {
  const { rows, kinds, compare } = ordered(kept, query)
  const total = kept.length
  const names = endpoint.parameters.filter(parameter => parameter.in === 'query')
  const isCursor =
    names.some(({ name }) => name === parameters.cursor) && typeof query[parameters.limit] === 'number'
  if (isCursor) {
    const ownPage = page()
    const after = ownPage.after(kinds)
    const from = after === undefined ? 0 : rows.findIndex(({ keys }) => compare(keys, after) > 0)
    const limit = Number(query[parameters.limit])
    const rest = from < 0 ? [] : rows.slice(from, from + limit + 1)
    const { rows: cut, headers } = ownPage.cut(rest, ({ keys }) => keys)
    return { records: cut.map(({ record }) => record), total, hasMore: rest.length > limit, headers }
  }
  const numberOf = (pattern: RegExp) => {
    const parameter: Parameter | undefined = names.find(({ name }) => pattern.test(name))
    const value = parameter && query[parameter.name]
    // It may be an object, as `page[size]` is a part of one.
    return typeof value === 'number' || typeof value === 'string' ? Number(value) : undefined
  }
  const size = numberOf(pageNames.size) ?? total
  const number = numberOf(pageNames.page)
  const isFromZero = names.some(
    ({ name, schema }) => pageNames.page.test(name) && Object(schema).minimum === 0,
  )
  const start =
    numberOf(pageNames.offset) ??
    (number === undefined ? 0 : size * Math.max(0, number - (isFromZero ? 0 : 1)))
  const cut = rows.slice(start, start + size)
  return { records: cut.map(({ record }) => record), total, hasMore: start + size < total, headers: {} }
}
