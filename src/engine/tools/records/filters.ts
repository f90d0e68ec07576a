import { isDeepStrictEqual } from 'node:util'
import { foldText } from './conventions.ts'

/** A rule by which a parameter may keep items, and the parameter's name if the rule goes by one property. */
interface Filter {
  isNamed(parameter: string, property: string): boolean
  keeps(item: unknown, value: unknown): boolean
}

/** Returns a text in one letter case, as searches compare it. */
export const fold = (text: unknown) => foldText(String(text))
/** Names that are written in several ways: minPrice, min_price and min-price. */
const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase()
const prefixed = (prefix: string) => (parameter: string, property: string) =>
  plain(parameter) === plain(`${prefix}${property}`)
/** Also priceMax, price_lte and price[lte]. */
const bound = (word: string, operator: string) => (parameter: string, property: string) =>
  [`${word}${property}`, `${word}imum${property}`, `${property}${word}`, `${property}${operator}`].some(
    name => plain(parameter.replace(/[[\]]/g, '_')) === plain(name),
  )

/** The usual effects of a parameter that is named after a property. */
export const filters: readonly Filter[] = [
  { isNamed: prefixed(''), keeps: (item, value) => isDeepStrictEqual(item, value) },
  {
    isNamed: prefixed(''),
    keeps: (item, value) => typeof item === 'string' && fold(item).startsWith(fold(value)),
  },
  { isNamed: bound('max', 'lte'), keeps: (item, value) => typeof item === 'number' && item <= Number(value) },
  { isNamed: bound('min', 'gte'), keeps: (item, value) => typeof item === 'number' && item >= Number(value) },
  {
    isNamed: (parameter, property) => parameter === `${property}s`,
    keeps: (item, value) =>
      Array.isArray(value) && value.some(candidate => isDeepStrictEqual(candidate, item)),
  },
]
