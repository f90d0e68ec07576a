import { isDeepStrictEqual } from 'node:util'
import { filters, fold } from '../../records/filters.ts'
import type { Item } from './pages.ts'

/** The items that a list has answered. */
export interface Answer {
  /** of one reply */
  page: readonly Item[]
  /** of all pages */
  all: readonly Item[]
}

/** A possible effect of a parameter on a list. */
export interface Meaning {
  /** whether an answer is the parameter's effect on the whole */
  fits(whole: readonly Item[], value: unknown, answer: Answer): boolean
  /** the part of an answer in which values must differ */
  shows: keyof Answer
}

/** Returns the possible meanings of a parameter: those that its name tells, or else all usual ones. */
export function meaningsFor(name: string, properties: readonly string[]): Meaning[] {
  const all = properties.flatMap(property => filters.map(filter => ({ property, ...filter })))
  const named = all.filter(({ property, isNamed }) => isNamed(name, property))
  const byProperty = (named.length > 0 ? named : all).map(
    ({ property, keeps }): Meaning => ({
      fits: (whole, value, { all: shown }) =>
        isDeepStrictEqual(
          shown,
          whole.filter(item => keeps(item[property], value)),
        ),
      shows: 'all',
    }),
  )
  if (named.length > 0) return byProperty
  return [
    ...byProperty,
    {
      fits: (whole, value, { page }) => isDeepStrictEqual(page, whole.slice(0, Number(value))),
      shows: 'page',
    },
    { fits: (whole, value, { all: shown }) => isInOrder(whole, String(value), shown), shows: 'all' },
    // A filter by something that items do not show: some of them are left, in their order.
    { fits: (whole, _, { all: shown }) => isPartOf(whole, shown), shows: 'all' },
  ]
}

/** Whether a list holds nothing but items of the whole, in the same order. */
function isPartOf(whole: readonly Item[], list: readonly Item[]): boolean {
  let from = 0
  return list.every(item => {
    const found = whole.findIndex((other, index) => index >= from && isDeepStrictEqual(other, item))
    from = found + 1
    return found >= 0
  })
}

/** Whether a list is the whole in the order of a property, or against it with a leading `-`. */
function isInOrder(whole: readonly Item[], order: string, list: readonly Item[]): boolean {
  const property = order.replace(/^-/, '')
  if (list.length !== whole.length || !whole.every(item => property in item)) return false
  const keys = list
    .map(item => item[property])
    .filter(key => typeof key === 'number' || /^[\x20-\x7e]*$/.test(String(key)))
  const sorted = keys.map(key => (typeof key === 'string' ? fold(key) : Number(key)))
  if (order.startsWith('-')) sorted.reverse()
  return sorted.every((key, index) => index === 0 || (sorted[index - 1] ?? key) <= key)
}
