import { isObject } from 'spec-served-document/pointer'
import type { Parameter } from 'spec-served-document/types'
import {
  hasNextName,
  isSameName,
  itemsName,
  madeByService,
  nextPageName,
  offset,
  pageNumber,
  pageSize,
  totalField,
  totalName,
} from '../records/conventions.ts'
import type { Exchange } from './sending.ts'
import { nextPage } from './wire.ts'

/** The depth in a reply to which lists, cursors and links are looked for. */
const depth = 2

/** The properties of a reply, and of the objects in it, each with its name. */
function* propertiesIn(body: unknown, within = depth): Generator<[name: string, value: unknown]> {
  for (const [name, value] of isObject(body) ? Object.entries(body) : []) {
    yield [name, value]
    if (within > 0) yield* propertiesIn(value, within - 1)
  }
}

/**
 * The items of a list: the reply, or the only list in it. Of several lists it is the only one of objects, or the one with
 * a usual name or that of the list.
 * @param path of the list
 */
export function itemsIn(body: unknown, path = ''): unknown[] | undefined {
  if (Array.isArray(body)) return body
  const lists = [...propertiesIn(body, depth - 1)].flatMap(([name, value]) =>
    Array.isArray(value) ? [{ name, value }] : [],
  )
  const ofObjects = lists.filter(({ value }) => value.every(isObject))
  const isOwn = isSameName(lastOf(path))
  const named = ofObjects.filter(({ name }) => isOwn(name) || itemsName.test(name))
  return [lists, ofObjects, named].find(some => some.length === 1)?.[0]?.value
}

/**
 * The URL of the next page of a list, as its Link tells it, or its body: by a URL, or by the value of a parameter.
 * Undefined for the last page, and where the body tells it in no usual way.
 */
export const nextOf = (page: Exchange): string | undefined => nextTold(page) ?? pageAfter(page)

/** The same, where the reply tells it. */
export function nextTold({ endpoint, request: { url }, reply }: Exchange): string | undefined {
  const link = nextPage(url, reply)
  if (link !== undefined) return link
  const properties = [...propertiesIn(reply.body)]
  if (properties.some(([name, value]) => hasNextName.test(name) && value === false)) return undefined
  const [path = '', query = ''] = url.split('?')
  for (const [name, value] of properties.filter(([property]) => nextPageName.test(property))) {
    const target: unknown = isObject(value) ? value.href : value
    if ((typeof target !== 'string' && typeof target !== 'number') || target === '') continue
    const text = String(target)
    // A server may have another address for itself than its callers have.
    const [to = '', search] = text.split('?')
    if (search !== undefined && /^(https?:|\/|$)/.test(to) && (to === '' || lastOf(to) === lastOf(path)))
      return `${path}?${search}`
    const parameter = parameterFor(endpoint, name)
    const asked = new URLSearchParams(query)
    // A reply may also repeat the cursor that it was asked for.
    if (parameter === undefined || (isSameName(parameter)(name) && asked.get(parameter) === text)) continue
    asked.set(parameter, text)
    return `${path}?${asked}`
  }
  return undefined
}

/** The URL of the page after one that is full, where a parameter says how many items, or pages, come before. */
function pageAfter({ endpoint, request: { url }, reply }: Exchange): string | undefined {
  const count = itemsIn(reply.body, endpoint.path)?.length ?? 0
  const [path = '', query = ''] = url.split('?')
  const asked = new URLSearchParams(query)
  const named = (name: RegExp) =>
    endpoint.parameters.find(parameter => parameter.in === 'query' && name.test(parameter.name))
  const [size, from, number] = [pageSize, offset, pageNumber].map(named)
  if (!size || count === 0 || asked.get(size.name) !== String(count) || saysLast(reply.body)) return undefined
  const before = (parameter: Parameter, usual: unknown) => Number(asked.get(parameter.name) ?? usual)
  const total = totalIn(reply) ?? Number.POSITIVE_INFINITY
  if (from) {
    const start = before(from, 0)
    asked.set(from.name, String(start + count))
    return start + count === total ? undefined : `${path}?${asked}`
  }
  const first = number && firstPage(number)
  if (number === undefined || first === undefined) return undefined
  const page = before(number, first)
  asked.set(number.name, String(page + 1))
  return (page + 1 - first) * count === total ? undefined : `${path}?${asked}`
}

/** The number of the first page, 0 or 1, as far as the document says it. */
export function firstPage({ schema }: Parameter): number | undefined {
  const { minimum, default: usual } = Object(schema)
  return [0, 1].find(first => first === Number(usual ?? minimum))
}

/** Whether a reply says itself that no page follows. */
const saysLast = (body: unknown): boolean =>
  [...propertiesIn(body)].some(
    ([name, value]) => (hasNextName.test(name) && value === false) || (/^next/i.test(name) && value === null),
  )

/** How many items a list has in all, as a reply says. */
export function totalIn({ body, headers }: Exchange['reply']): number | undefined {
  const found = [...propertiesIn(body)].flatMap(([name, value]) => (totalName.test(name) ? [value] : []))
  const [total = Number(headers[totalField] ?? Number.NaN)] = found
  return typeof total === 'number' && Number.isInteger(total) ? total : undefined
}

/** Whether a reply says that there are more items, wherever they are. */
export const saysMore = (body: unknown): boolean =>
  [...propertiesIn(body)].some(([name, value]) => hasNextName.test(name) && value === true)

const lastOf = (path: string) => path.replace(/\/$/, '').split('/').at(-1) ?? ''

/** The parameter that takes what a reply tells of the next page: of the same name, or the only one for such values. */
function parameterFor({ parameters }: Exchange['endpoint'], propertyName: string): string | undefined {
  const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
  const isNamed = [propertyName, propertyName.replace(/^(next|end)_?/i, '')].map(isSameName)
  const onward = names.filter(name => madeByService.test(name) && !/before/i.test(name))
  const isOnward = /^next$|cursor|token|page|after/i.test(propertyName) && onward.length === 1
  return names.find(name => isNamed.some(isOne => isOne(name))) ?? (isOnward ? onward[0] : undefined)
}
