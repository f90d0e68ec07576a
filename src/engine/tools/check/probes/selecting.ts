import { typesIn, valuesIn } from 'spec-served-document/model'
import type { Parameter } from 'spec-served-document/types'
import { isSameName, ordering, sortOrderOf } from '../../records/conventions.ts'
import { filters } from '../../records/filters.ts'
import type { Endpoint, Interface, Shape } from '../../records/interface.ts'
import type { Listed } from './listed.ts'

/** How many values of a parameter are tried. */
const tried = 6

/** Something that a parameter keeps of a list. */
interface Selection {
  value: unknown
  property: string
  keeps(item: unknown): boolean
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
 * does one that is called as its least or its greatest, and a text: what it finds has that text within.
 * @param shown some records of the list
 */
export async function checkSelection(
  { session, endpoint, read, itemsOf }: Listed,
  parameter: Parameter,
  shown: readonly unknown[],
): Promise<void> {
  if (parameter.in !== 'query') return
  const isList = session.contract.shape(parameter.schema).type === 'array'
  for (const { value, property, keeps, isText } of selectionsBy(
    session.contract,
    endpoint,
    parameter,
    shown,
  )) {
    const part = await read({ [parameter.name]: isList ? [value] : value })
    const items = itemsOf(part)
    if (!items) continue
    const valueIn = (item: unknown): unknown => Object(item)[property]
    const others = items.map(valueIn).filter(candidate => candidate != null && !keeps(candidate))
    const asked = `${parameter.name}=${value}`
    session.hold(part, `${asked} gives records with ${property} ${others[0]}`, others.length === 0)
    if (isText) continue
    const isThere = shown.some(item => valueIn(item) != null && keeps(valueIn(item)))
    session.hold(part, `${asked} gives none, and the list has some`, !isThere || items.length > 0)
  }
}

function selectionsBy(
  contract: Interface,
  endpoint: Endpoint,
  { name, schema }: Parameter,
  shown: readonly unknown[],
): Selection[] {
  const properties = propertiesOf(contract, endpoint)
  const shape = contract.shape(schema)
  const values = choicesOf(shape.type === 'array' ? contract.shape(shape.items) : shape)
  // One of two that is usual is a switch, which may let others in.
  const isSwitch =
    values.length === 2 && shape.default !== undefined && /^(true|false)$/.test(String(values[0]))
  const valuesOf = (property: string) => shown.map(item => Object(item)[property] as unknown)
  const equal = properties.find(([property]) => isSameName(name)(property))
  if (equal) {
    const [property, { type }] = equal
    if (type === 'string' && isFreeText(shape)) return wordsIn(valuesOf(property), property)
    // Truth values and numbers may be declared as the texts that they are written as.
    const choices = choicesOf(equal[1]).map(String)
    if (isSwitch || values.length < 2 || !values.every(value => choices.includes(String(value)))) return []
    return values
      .slice(0, tried)
      .map(value => ({ value, property, keeps: found => String(found) === String(value) }))
  }
  const numeric = [
    shape,
    ...[shape.anyOf, shape.oneOf].flatMap(some => (some ?? []).map(contract.shape)),
  ].find(part => typesIn(part).some(isNumber))
  if (!numeric) return []
  for (const [property] of properties) {
    const bound = filters.find(({ isNamed }) => isNamed(name, property))
    const listed = valuesOf(property).filter(candidate => candidate != null)
    const numbers = listed.flatMap(candidate => numberIn(candidate) ?? [])
    // A bound that some records keep, and others do not.
    const value = numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
    if (!bound || value === undefined || numbers.length < listed.length) continue
    if (Math.min(...numbers) === Math.max(...numbers) || !fits(numeric, value)) continue
    return [{ value, property, keeps: found => bound.keeps(numberIn(found), value) }]
  }
  return []
}

/** Whether a parameter takes any text. */
const isFreeText = ({ type, enum: values, pattern, format }: Shape) =>
  type === 'string' && values === undefined && pattern === undefined && format === undefined

/** Words of some records that others lack. What they select has them within, whatever way the service searches. */
function wordsIn(values: readonly unknown[], property: string): Selection[] {
  const words = [...new Set(values.filter(isWord))].slice(0, 2)
  if (words.length < 2) return []
  return words.map(word => ({
    value: word,
    property,
    keeps: found => typeof found !== 'string' || found.toLowerCase().includes(word),
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
function propertiesOf(contract: Interface, { gives }: Endpoint): [string, Shape][] {
  const lists = [gives, ...Object.values(gives.properties ?? {}).map(contract.shape)]
  const { properties = {} } =
    lists
      .filter(list => list.type === 'array')
      .map(list => contract.shape(list.items))
      .find(candidate => candidate.properties) ?? {}
  return Object.entries(properties).map(([name, schema]) => [name, contract.shape(schema)])
}

/** A parameter whose values are names of properties, some with a direction, puts the records in their order. */
export async function checkOrder(
  { session, read, itemsOf }: Listed,
  parameter: Parameter,
  all: readonly unknown[],
): Promise<void> {
  if (parameter.in !== 'query' || !ordering.test(parameter.name)) return
  const { contract } = session
  const shape = contract.shape(parameter.schema)
  const isList = shape.type === 'array'
  const values = (valuesIn(isList ? contract.shape(shape.items) : shape) ?? []).map(String)
  const orders = values.map(value => ({ value, ...sortOrderOf(value) }))
  for (const { value, property, direction } of orders) {
    const name = Object.keys(Object(all[0])).find(isSameName(property))
    if (name === undefined) continue
    const isReversed = orders.some(order => order.property === property && order.direction === 'down')
    const due = direction ?? (isReversed ? 'up' : undefined)
    const page = await read({ [parameter.name]: isList ? [value] : value })
    const items = itemsOf(page)
    if (!items) continue
    const found = items.map(item => Object(item)[name])
    const texts = found.slice(1).map((later, index) => compared(found[index], later))
    // A decimal is often a text, which some order as a number and others as a text.
    const numbers = found.map(numberIn)
    const isNumeric = numbers.every(number => number !== undefined)
    const ways = [
      texts,
      ...(isNumeric ? [numbers.slice(1).map((later, index) => compared(numbers[index], later))] : []),
    ]
    const isRight = (way: 'up' | 'down') =>
      ways.some(signs => signs.every(sign => sign === (way === 'up' ? -1 : 1) || sign === 0))
    const what = `${parameter.name}=${value} gives ${name} as ${found.slice(0, 8).join(', ')}`
    // The first of a page is the first of all.
    const [start] = numbers
    const known = all.flatMap(item => numberIn(Object(item)[name]) ?? [])
    const before = known.find(number =>
      start === undefined || direction === undefined
        ? false
        : direction === 'up'
          ? number < start
          : number > start,
    )
    session.hold(
      page,
      `${parameter.name}=${value} begins with ${start}, and the list has ${before}`,
      before === undefined || !isNumeric,
    )
    session.hold(page, what, due === undefined ? isRight('up') || isRight('down') : isRight(due))
  }
}

/** The sign of a comparison; 0 where alphabets and programs differ about it. */
function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b)
  if (typeof a !== 'string' || typeof b !== 'string') return 0
  const isPlain = [a, b].every(text => /^[a-z0-9]*$/.test(text))
  return isPlain && a !== b ? (a < b ? -1 : 1) : 0
}
