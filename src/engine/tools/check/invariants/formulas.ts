import { isObject } from 'spec-served-document/pointer'
import type { Endpoint, Interface, Shape } from '../../records/interface.ts'
import type { Body, WireReply } from '../../records/messages.ts'

/** A number of a record that follows from others of it, as the description of its property says. */
interface Formula {
  property: string
  /** the words that say it */
  text: string
  /** the number before it is rounded; undefined where a record lacks one of the others */
  valueIn(record: Body): number | undefined
  rounding: keyof typeof roundings
  /** whether some record keeps it: words may mean something else */
  held?: true
  /** the first number that breaks it, and what it should be */
  broken?: { is: number; due: number }
}

/** How a number may differ from what was computed. */
const roundings = {
  exact: (is: number, due: number) => Math.abs(is - due) < 1,
  nearest: (is: number, due: number) => Math.abs(is - due) <= 0.5 + tiny,
  halfUp: (is: number, due: number) => is - due <= 0.5 + tiny && due - is < 0.5 - tiny,
  down: (is: number, due: number) => is <= due + tiny && due - is < 1 - tiny,
  up: (is: number, due: number) => is >= due - tiny && is - due < 1 - tiny,
}
/** How far a double may be from what was written. */
const tiny = 1e-6

/**
 * Holds numbers that a document says to follow from others of the same record: their sum, difference or product, a
 * percentage, or the sum over a list. Only words count that some record keeps, as a text may mean something else.
 */
export function createFormulas(contract: Interface) {
  const known = new Map<Endpoint, readonly [list: string | undefined, formula: Formula][]>()

  function formulasOf(endpoint: Endpoint) {
    const before = known.get(endpoint)
    if (before) return before
    const { gives } = endpoint
    const item = gives.type === 'array' ? contract.shape(gives.items) : gives
    const lists = Object.entries(gives.properties ?? {}).flatMap(([name, schema]) => {
      const { type, items } = contract.shape(schema)
      return type === 'array' && items ? [[name, contract.shape(items)] as const] : []
    })
    const found = [
      ...formulasIn(contract, item).map(formula => [undefined, formula] as const),
      ...lists.flatMap(([name, shape]) =>
        formulasIn(contract, shape).map(formula => [name, formula] as const),
      ),
    ]
    const all = found.map(([list, formula]): [string | undefined, Formula] => [list, formula])
    known.set(endpoint, all)
    return all
  }

  return function* (endpoint: Endpoint, { status, body }: Pick<WireReply, 'status' | 'body'>) {
    if (status >= 300) return
    for (const [list, formula] of formulasOf(endpoint)) {
      const records: unknown[] = [list === undefined ? body : Object(body)[list]].flat()
      for (const record of records.filter(isObject)) note(formula, record)
      const { property, text, held, broken } = formula
      if (!held || !broken) continue
      yield `${property} is ${broken.is}, and ${text} is ${broken.due}, which other records keep`
      delete formula.broken
    }
  }
}

function note(formula: Formula, record: Body): void {
  const { property, rounding } = formula
  const { [property]: is } = record
  const due = formula.valueIn(record)
  if (typeof is !== 'number' || due === undefined || due === 0) return
  if (roundings[rounding](is, due)) formula.held = true
  else formula.broken ??= { is, due }
}

/** Words of a rule that holds for some records only. */
const conditional =
  /\b(if|when|unless|except|only|at (most|least)|capped?|min(imum)?|max(imum)?|up to|otherwise|or more|or less|from|after|until|without)\b/i

function formulasIn({ shape }: Interface, { properties = {} }: Shape): Formula[] {
  const isNumber = (schema: Shape) => schema.type === 'integer' || schema.type === 'number'
  const shapes = Object.entries(properties).map(([name, schema]) => [name, shape(schema), schema] as const)
  const names = shapes.flatMap(([name, each]) => (isNumber(each) ? [name] : []))
  const lists = shapes.flatMap(([name, { type, items }]) => {
    const parts = type === 'array' && items ? Object.entries(shape(items).properties ?? {}) : []
    const numbers = parts.flatMap(([part, schema]) => (isNumber(shape(schema)) ? [part] : []))
    return numbers.length > 0 ? [{ list: name, numbers }] : []
  })
  return shapes.flatMap(([property, own, schema]) => {
    if (!isNumber(own)) return []
    const described = String(own.description ?? Reflect.get(schema, 'description') ?? '')
    for (const sentence of described.split(/(?<=[.;])\s+/)) {
      const found = conditional.test(sentence) ? undefined : readFormula(sentence, property, names, lists)
      if (found) return [{ property, rounding: roundingIn(described, own), ...found }]
    }
    return []
  })
}

function roundingIn(described: string, { type }: Shape): Formula['rounding'] {
  if (/half(s|ves)?( a \w+)?,? up|half[- ]up|commercial/i.test(described)) return 'halfUp'
  if (/round\w* down|floor|truncat|down to/i.test(described)) return 'down'
  if (/round\w* up|ceil|up to the next/i.test(described)) return 'up'
  return /round/i.test(described) && type === 'integer' ? 'nearest' : 'exact'
}

/** Finds the formula of a sentence, in which names stand as they are written, often within backticks. */
function readFormula(
  sentence: string,
  property: string,
  all: readonly string[],
  lists: readonly { list: string; numbers: readonly string[] }[],
): Pick<Formula, 'text' | 'valueIn'> | undefined {
  const others = all.filter(name => name !== property)
  const numberOf = (record: Body, name: string) => {
    const { [name]: value } = record
    return typeof value === 'number' ? value : undefined
  }
  const both = (names: readonly string[], work: (a: number, b: number) => number) => (record: Body) => {
    const [a, b] = names.map(name => numberOf(record, name))
    return a === undefined || b === undefined ? undefined : work(a, b)
  }
  for (const { list, numbers } of lists) {
    const one = oneOf(numbers)
    const over = `(?:\\s+(?:of|over|in|for))?\\s+(?:all|the|its|each)?\\s*(?:the\\s+)?\`?${list}\`?`
    const product = match(sentence, `(?:sum|total) of (?:all |the |its )*${one}\\s*${times}\\s*${one}${over}`)
    const sum = match(sentence, `(?:sum|total) of (?:all |the |its )*${one}${over}`)
    const [text, ...names] = product ?? sum ?? []
    if (text !== undefined)
      return {
        text,
        valueIn: record => {
          const parts = [record[list]].flat().filter(isObject)
          const values = parts.map(part => names.map(name => numberOf(part, name)))
          return values.flat().every(value => value !== undefined)
            ? values.reduce((total, some) => total + some.reduce<number>((a, b) => a * (b ?? 0), 1), 0)
            : undefined
        },
      }
  }
  const one = oneOf(others)
  const percent = '\\s*(?:%|per ?cent|percent)\\s+of\\s+(?:the\\s+)?'
  const [share, number, whole = ''] = match(sentence, `(\\d+(?:\\.\\d+)?)${percent}${one}`) ?? []
  if (share !== undefined)
    return {
      text: share,
      valueIn: record => {
        const value = numberOf(record, whole)
        return value === undefined ? undefined : (value * Number(number)) / 100
      },
    }
  const forms: [pattern: string, work: (a: number, b: number) => number][] = [
    [`${one}${percent}${one}`, (a, b) => (a * b) / 100],
    [`${one}\\s*${times}\\s*${one}`, (a, b) => a * b],
    [`${one}\\s*(?:-|−|–|less|minus)\\s+${one}(?!,? *(?:-|−|–|less|minus|and|plus)\\b)`, (a, b) => a - b],
    [`(?:sum|total) of ${one} and ${one}`, (a, b) => a + b],
    [`${one}\\s*(?:\\+|plus)\\s+${one}(?!,? *(?:-|−|–|less|minus|and|plus)\\b)`, (a, b) => a + b],
  ]
  for (const [pattern, work] of forms) {
    const [text, ...names] = others.length > 1 ? (match(sentence, pattern) ?? []) : []
    if (text !== undefined) return { text, valueIn: both(names, work) }
  }
  return undefined
}

const times = '(?:×|·|\\*|times|multiplied by)'
const oneOf = (names: readonly string[]) =>
  names.length > 0 ? `\`?\\b(${names.toSorted((a, b) => b.length - a.length).join('|')})\\b\`?` : '(?!)'
const match = (sentence: string, pattern: string) => new RegExp(pattern, 'i').exec(sentence)
