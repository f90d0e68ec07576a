import { typesIn, valuesIn } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { isSameName, offset, ordering, pageNumber, sortOrderOf } from '../../records/conventions.ts'
import { filters } from '../../records/filters.ts'
import type { Endpoint, Interface, Shape } from '../../records/interface.ts'
import type { Body } from '../../records/messages.ts'
import { totalIn } from '../items.ts'
import type { Session } from '../session.ts'
import { nextPage } from '../wire.ts'
import type { Listed, Several } from './listed.ts'

/** How many values of a parameter are tried, and how many pairs of parameters. */
const tried = 6

/** How many items a small page has. */
const fewItems = 2

/** Something that a parameter keeps of a list. */
export interface Selection {
  name: string
  /** whether the parameter takes a list of values */
  isList: boolean
  value: unknown
  property: string
  keeps(item: unknown): boolean
  /** whether an item may be kept or not, as fractions of a bound are stored in several ways */
  isEdge?(item: unknown): boolean
  /** whether the parameter may want something else than the property shows, and then selects nothing */
  isText?: true
}

/** A number, also one that is written as a text, as decimals often are. */
const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)
      ? Number(value)
      : undefined

/** A word that every reader and every search takes alike. */
const isWord = (value: unknown): value is string => typeof value === 'string' && /^[a-z]{4,40}$/.test(value)

/**
 * A parameter that is called as a property of the records, and has no value that the property has not, selects by it. So
 * does one that is called as its least or its greatest, and a text: what it finds has that text within. Two of them
 * select by both.
 * @param whole the list as it is without them
 */
export async function checkSelections(list: Listed, whole: Several): Promise<void> {
  const { session, endpoint } = list
  const shown = whole.items
  const selections = endpoint.parameters
    .filter(parameter => parameter.in === 'query')
    .map(parameter => selectionsBy(session.contract, endpoint, parameter, shown))
  for (const selection of selections.flat()) await holdSelected(list, whole, [selection])
  for (const pair of pairsOf(selections, shown)) await holdSelected(list, whole, pair)
}

/** A list has the records that are selected, no others, and says how many there are. */
async function holdSelected(list: Listed, whole: Several, chosen: readonly Selection[]): Promise<void> {
  const { session, readSeveral } = list
  const query = chosen.map(({ name, isList, value }) => [name, isList ? [value] : value])
  const { first, items, ids, isAll } = await readSeveral(Object.fromEntries(query))
  if (!list.itemsOf(first)) return
  if (chosen.length === 1 && ids.length > 1) await holdLinks(list, Object.fromEntries(query))
  const asked = chosen.map(({ name, value }) => `${name}=${value}`).join('&')
  for (const { property, keeps } of chosen) {
    const others = items.map(valueAt(property)).filter(value => value != null && !keeps(value))
    session.hold(first, `${asked} gives records with ${property} ${others[0]}`, others.length === 0)
  }
  if (chosen.some(({ isText }) => isText)) return
  const due = whole.items.flatMap((item, index) => (isKept(chosen, item) ? [whole.ids[index] ?? ''] : []))
  session.hold(first, `${asked} gives none, and the list has some`, due.length === 0 || items.length > 0)
  if (!whole.isAll || !isAll) return
  const lost = due.find(id => !ids.includes(id))
  session.hold(first, `${asked} lacks ${lost}, which the list has`, lost === undefined || items.length === 0)
  // A number that is not that of all records counts something else.
  const [all, total] = [whole.first, first].map(({ reply }) => totalIn(reply))
  const isCounted = all === whole.items.length && total !== undefined
  const what = `its total is ${total} with ${asked}, which selects ${items.length}`
  session.hold(first, what, !isCounted || total === items.length)
}

/** The URL of the next page, where it counts pages or items, asks for the same records. */
async function holdLinks({ session, size, read }: Listed, query: Body): Promise<void> {
  if (!size) return
  const page = await read({ ...query, [size.name]: 1 })
  const { searchParams } = new URL(nextPage(page.request.url, page.reply) ?? '', 'http://localhost')
  const isCounted = [...searchParams.keys()].some(name => offset.test(name) || pageNumber.test(name))
  if (isCounted)
    for (const name of Object.keys(query))
      session.hold(page, `its link to the next page leaves out ${name}`, searchParams.has(name))
}

export const valueAt = (property: string) => (item: unknown) => Object(item)[property] as unknown

/** Whether a record is surely one of those that all of some parameters keep. */
const isKept = (chosen: readonly Selection[], item: unknown) =>
  chosen.every(({ property, keeps, isEdge }) => {
    const value = valueAt(property)(item)
    return value != null && keeps(value) && !isEdge?.(value)
  })

/** For each two parameters, the values of which each takes away most that the other leaves. */
function pairsOf(selections: readonly (readonly Selection[])[], shown: readonly unknown[]): Selection[][] {
  const usable = selections.map(some => some.filter(({ isText }) => !isText))
  const pairs = usable.flatMap((some, index) =>
    usable.slice(index + 1).map(others => [some, others] as const),
  )
  const best = pairs.flatMap(([some, others]) => {
    const combined = some.flatMap(one =>
      others.map(other => {
        const count = (...chosen: Selection[]) => shown.filter(item => isKept(chosen, item)).length
        const both = count(one, other)
        const worth = both === 0 ? 0 : Math.min(count(one) - both, count(other) - both)
        return { pair: [one, other], worth }
      }),
    )
    return combined.toSorted((a, b) => b.worth - a.worth).slice(0, 1)
  })
  return best.flatMap(({ pair, worth }) => (worth > 0 ? [pair] : [])).slice(0, tried)
}

function selectionsBy(
  contract: Interface,
  endpoint: Endpoint,
  { name, schema }: Parameter,
  shown: readonly unknown[],
): Selection[] {
  const properties = propertiesOf(contract, endpoint)
  const shape = contract.shape(schema)
  const isList = shape.type === 'array'
  const values = choicesOf(isList ? contract.shape(shape.items) : shape)
  // One of two that is usual is a switch, which may let others in.
  const isSwitch =
    values.length === 2 && shape.default !== undefined && /^(true|false)$/.test(String(values[0]))
  const valuesShown = (property: string) => shown.flatMap(valueAt(property))
  const equal = properties.find(
    ([property, { type }]) =>
      isSameName(name)(property) || (type === 'array' && isSameName(`${name}s`)(property)),
  )
  const named = { name, isList }
  if (equal) {
    const [property, outer] = equal
    // A record is selected by one of the items that it has.
    const item = outer.type === 'array' ? contract.shape(outer.items) : outer
    if (item.type === 'string' && isFreeText(shape))
      return wordsIn(valuesShown(property), property).map(word => ({ ...named, ...word }))
    // Truth values and numbers may be declared as the texts that they are written as.
    const choices = choicesOf(item).map(String)
    if (isSwitch || values.length < 2 || !values.every(value => choices.includes(String(value)))) return []
    return values.slice(0, tried).map(value => ({
      ...{ ...named, value, property },
      keeps: found => [found].flat().some(candidate => String(candidate) === String(value)),
    }))
  }
  const numeric = [
    shape,
    ...[shape.anyOf, shape.oneOf].flatMap(some => (some ?? []).map(contract.shape)),
  ].find(part => typesIn(part).some(isNumber))
  if (!numeric) return []
  const bounds = properties.flatMap(([property]) => {
    const bound = filters.find(({ isNamed }) => isNamed(name, property))
    return bound ? [{ property, bound }] : []
  })
  for (const { property, bound } of bounds.length > 0 ? bounds : boundsByLastWord(name, properties)) {
    const listed = valuesShown(property).filter(candidate => candidate != null)
    const numbers = listed.flatMap(candidate => numberIn(candidate) ?? [])
    if (numbers.length < listed.length) continue
    // A bound that some records keep, and others do not.
    const distinct = [...new Set(numbers)].toSorted((a, b) => a - b)
    const value = [distinct.length / 2, (distinct.length - 1) / 2]
      .map(index => distinct[Math.floor(index)])
      .find(middle => middle !== undefined && !numbers.every(number => bound.keeps(number, middle)))
    if (value === undefined || !fits(numeric, value)) continue
    return [
      {
        ...{ ...named, value, property },
        keeps: found => bound.keeps(numberIn(found), value),
        isEdge: found => numberIn(found) === value && !Number.isInteger(value),
      },
    ]
  }
  return []
}

/** The bound of the only number whose name ends with that in a parameter: `max_price` for `unit_price`. */
function boundsByLastWord(name: string, properties: readonly [string, Shape][]) {
  const numeric = properties.filter(([, shape]) => typesIn(shape).some(isNumber))
  const found = numeric.flatMap(([property]) => {
    const words = property.replace(/([a-z\d])([A-Z])/g, '$1_$2').split(/[_-]/)
    return words.slice(1).flatMap((_, index) => {
      const ending = words.slice(index + 1).join('_')
      const bound = filters.find(({ isNamed }) => !isSameName(name)(ending) && isNamed(name, ending))
      return bound ? [{ property, bound }] : []
    })
  })
  return found.length === 1 ? found : []
}

/** One value of each parameter that selects some records. */
export function usableOf({ contract }: Session, endpoint: Endpoint, { items }: Several): Selection[] {
  return endpoint.parameters
    .filter(parameter => parameter.in === 'query')
    .flatMap(parameter =>
      selectionsBy(contract, endpoint, parameter, items)
        .filter(selection => !selection.isText && items.some(item => isKept([selection], item)))
        .slice(0, 1),
    )
}

/** A search that is described to take letters in any case finds the same by both. */
export async function checkCase(list: Listed, { items }: Several): Promise<void> {
  const { session, endpoint, readSeveral, itemsOf } = list
  const words = [...new Set(items.flatMap(item => Object.values(Object(item)).filter(isWord)))]
  for (const { in: place, name, schema, description = '' } of endpoint.parameters) {
    const shape = session.contract.shape(schema)
    const said = `${description} ${shape.description ?? ''}`
    if (place !== 'query' || !isFreeText(shape) || !anyCase.test(said)) continue
    const letter = [...usualLetters].find(each => items.filter(holds(each)).length > fewItems)
    if (letter !== undefined) await holdLinks(list, { [name]: letter })
    const short = words.filter(word => word.length <= Number(shape.maxLength ?? Infinity))
    for (const word of short.slice(0, tried)) {
      const [lower, upper] = [
        await readSeveral({ [name]: word }),
        await readSeveral({ [name]: word.toUpperCase() }),
      ]
      if (lower.ids.length === 0 || !lower.isAll || !upper.isAll || !itemsOf(upper.first)) continue
      const [due, found] = [lower.ids.length, upper.ids.length]
      const what = `${name}=${word.toUpperCase()} finds ${found}, and ${word} ${due}`
      session.hold(upper.first, what, due === found)
      break
    }
  }
}

/** Letters that many texts have. */
const usualLetters = 'aeinorst'

/** Whether an item has a text with a letter. */
const holds = (letter: string) => (item: unknown) =>
  Object.values(Object(item)).some(value => typeof value === 'string' && value.includes(letter))

const anyCase =
  /(ignor\w*|without regard to|regardless of|whatever( the)?|any|no matter)[^.]{0,20}\bcase\b|case[- ]?insensitiv/i

/** A truth value that selects, as its description says of both, does not let all in by false. */
export async function checkTruths(list: Listed, whole: Several): Promise<void> {
  const { session, endpoint, readSeveral } = list
  for (const { in: place, name, schema, description = '' } of endpoint.parameters) {
    const shape = session.contract.shape(schema)
    const isOne = typesIn(shape)[0] === 'boolean' && shape.default === undefined
    if (
      place !== 'query' ||
      !isOne ||
      !/\bfalse\b[^.]*\bonly\b|\bonly\b[^.]*\bfalse\b/i.test(`${description} ${shape.description ?? ''}`)
    )
      continue
    const [yes, no] = [await readSeveral({ [name]: true }), await readSeveral({ [name]: false })]
    if (!yes.isAll || !no.isAll || !whole.isAll || yes.first.reply.status >= 300) continue
    const both = no.ids.find(id => yes.ids.includes(id))
    session.hold(no.first, `${name}=false gives ${both}, as does ${name}=true`, both === undefined)
  }
}

/** Whether a parameter takes any text. */
const isFreeText = ({ type, enum: values, pattern, format }: Shape) =>
  type === 'string' && values === undefined && pattern === undefined && format === undefined

/** Words of some records that others lack. What they select has them within, whatever way the service searches. */
function wordsIn(
  values: readonly unknown[],
  property: string,
): Pick<Selection, 'value' | 'property' | 'keeps' | 'isText'>[] {
  const words = [...new Set(values.filter(isWord))].slice(0, 2)
  if (words.length < 2) return []
  return words.map(word => ({
    value: word,
    property,
    keeps: found =>
      [found].flat().some(text => typeof text !== 'string' || text.toLowerCase().includes(word)),
    isText: true,
  }))
}

const isNumber = (type: string) => type === 'integer' || type === 'number'

const fits = (shape: Shape, value: number) =>
  (!typesIn(shape).includes('integer') || Number.isInteger(value)) &&
  value >= Number(shape.minimum ?? -Infinity) &&
  value <= Number(shape.maximum ?? Infinity)

/** The values of an enumeration, or the two of a boolean. */
const choicesOf = (shape: Shape): readonly unknown[] =>
  valuesIn(shape)?.filter(value => value !== null) ?? (typesIn(shape)[0] === 'boolean' ? [true, false] : [])

/** The properties of a list's items, with their schemas. */
export function propertiesOf(contract: Interface, { gives }: Endpoint): [string, Shape][] {
  const lists = [gives, ...Object.values(gives.properties ?? {}).map(contract.shape)]
  const { properties = {} } =
    lists
      .filter(list => list.type === 'array')
      .map(list => contract.shape(list.items))
      .find(candidate => candidate.properties) ?? {}
  return Object.entries(properties).map(([name, schema]) => [name, contract.shape(schema)])
}

/** An order of a list, and how it is asked for. */
export interface Order {
  query: Readonly<Record<string, unknown>>
  asked: string
  /** the name of the property */
  property: string
  direction: 'up' | 'down' | undefined
}

/** The orders of a list by properties of its records, as parameters name them: in one, or in one beside a direction. */
export function ordersOf(
  { contract }: Session,
  { parameters }: Endpoint,
  records: readonly unknown[],
): Order[] {
  const names = [...new Set(records.flatMap(record => Object.keys(Object(record))))]
  const textsOf = (shape: Shape) => (valuesIn(shape) ?? []).map(String)
  const inQuery = parameters
    .filter(parameter => parameter.in === 'query')
    .map(({ name, schema }) => ({ name, shape: contract.shape(schema) }))
  const toward = inQuery.find(({ shape }) => {
    const texts = textsOf(shape)
    return texts.length === 2 && texts.every(text => directionWord.test(text))
  })
  return inQuery.flatMap(({ name, shape }) => {
    if (name === toward?.name || !ordering.test(name)) return []
    const isList = shape.type === 'array'
    const orders = textsOf(isList ? contract.shape(shape.items) : shape).map(value => ({
      value,
      ...sortOrderOf(value),
    }))
    return orders.flatMap(({ value, property, direction }) => {
      const shown = names.find(isSameName(property))
      if (shown === undefined) return []
      const isReversed = orders.some(order => order.property === property && order.direction === 'down')
      const query = { [name]: isList ? [value] : value }
      const plain = { query, asked: `${name}=${value}`, property: shown }
      if (!toward || direction) return [{ ...plain, direction: direction ?? (isReversed ? 'up' : undefined) }]
      return textsOf(toward.shape).map(
        (way): Order => ({
          query: { ...query, [toward.name]: way },
          asked: `${plain.asked}&${toward.name}=${way}`,
          property: shown,
          direction: /^desc/i.test(way) ? 'down' : 'up',
        }),
      )
    })
  })
}

const directionWord = /^(asc|desc)(ending)?$/i

/** An order by a property puts the records so. */
export async function checkOrder(
  list: Listed,
  { query, asked, property, direction }: Order,
  all: readonly unknown[],
): Promise<void> {
  const { session, read, readSeveral, itemsOf, isLast } = list
  const page = await read(query)
  const first = itemsOf(page)
  if (!first) return
  const comparable = (some: readonly unknown[]) =>
    some.flatMap(item => comparableIn(valueAt(property)(item)) ?? [])
  const isEnough = comparable(first).length > 1 || isLast(page)
  const items = isEnough ? first : (await readSeveral(query)).items
  const found = items.map(valueAt(property))
  // Values of which programs have orders of their own, and none, stand anywhere between the others.
  const keys = comparable(items)
  const signsOf = (some: readonly (string | number)[]) =>
    some.slice(1).map((later, index) => compared(some[index], later))
  // A decimal is often a text, which some order as a number and others as a text.
  const numbers = found.map(numberIn)
  const known = numbers.flatMap(number => number ?? [])
  const isNumeric = known.length === found.length
  const ways = [signsOf(keys), ...(isNumeric ? [signsOf(known)] : [])]
  const isRight = (way: 'up' | 'down') =>
    ways.some(signs => signs.every(sign => sign === (way === 'up' ? -1 : 1) || sign === 0))
  // The first of a page is the first of all.
  const [start] = numbers
  const before = all
    .flatMap(item => numberIn(valueAt(property)(item)) ?? [])
    .find(number =>
      start === undefined || direction === undefined
        ? false
        : direction === 'up'
          ? number < start
          : number > start,
    )
  session.hold(
    page,
    `${asked} begins with ${start}, and the list has ${before}`,
    before === undefined || !isNumeric,
  )
  const what = `${asked} gives ${property} as ${found.slice(0, 8).join(', ')}`
  const isOrdered = direction === undefined ? isRight('up') || isRight('down') : isRight(direction)
  session.hold(page, what, isOrdered)
  if (isOrdered) await holdFirst(list, { query, asked, property }, items)
}

/** A small page begins with what the whole list begins with: the order is that of all records, and not of a page. */
async function holdFirst(
  { session, size, read, itemsOf }: Listed,
  { query, asked, property }: Pick<Order, 'query' | 'asked' | 'property'>,
  items: readonly unknown[],
): Promise<void> {
  const { minimum = 1 } = session.contract.shape(size?.schema)
  const length = Math.max(Number(minimum), fewItems)
  if (!size || items.length <= length) return
  const part = await read({ ...query, [size.name]: length })
  const [due, found] = [items, itemsOf(part) ?? []].map(some => some.map(valueAt(property))[0])
  if (comparableIn(due) === undefined || comparableIn(found) === undefined) return
  const what = `${asked} with ${size.name}=${length} begins with ${found}, and the whole list with ${due}`
  session.hold(part, what, found === due)
}

/** A value that alphabets and programs order alike: a number, a day or an instant as one, or a plain word. */
function comparableIn(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(value)) {
    const instant = Date.parse(value)
    return Number.isNaN(instant) ? undefined : instant
  }
  return /^[a-z0-9]+$/.test(value) ? value : undefined
}

/** The sign of a comparison; 0 of values of several kinds. */
function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b)
  return typeof a !== 'string' || typeof b !== 'string' || a === b ? 0 : a < b ? -1 : 1
}
