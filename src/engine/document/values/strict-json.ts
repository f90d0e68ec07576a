import { type Bounds, boundsOf } from '../contract/extensions.ts'
import { isExactNumber } from '../decimals.ts'
import type { Fault } from './faults.ts'
import { badTexts, escapePointer, excerpt, inexact, Unreadable } from './faults.ts'
import { misfitIn } from './json-misfit.ts'
import { parseExactly, wholeIn } from './whole-numbers.ts'

/** The most faults that are reported. */
const faultsLimit = 100

/** Thrown for a text that is not JSON. */
export class SyntaxFault extends Unreadable {}

/** Thrown for JSON that holds what can't be taken as it is. */
export class Misfit extends Unreadable {
  readonly value: unknown
  constructor(value: unknown, faults: readonly Fault[]) {
    super(...faults)
    this.value = value
  }
}

/**
 * Parses a JSON text with one meaning: no name stands twice in an object, and reading changes no number (RFC 7493).
 * A text that is nested too deep or holds too many values is not parsed at all: each costs time and memory.
 * @param isExact whether a whole number beyond ±(2^53 − 1) becomes a bigint
 * @throws Unreadable
 */
export function parseStrictJson(text: string, bounds: Bounds = boundsOf({}), isExact = false): unknown {
  const usual = parseUsual(text, bounds, isExact)
  if (usual !== undefined) return usual
  const faults = faultsOf(text, bounds, isExact)
  const value = parse(text, isExact)
  faults.push(...badTexts(value, ''))
  if (faults.length > 0) throw new Misfit(value, faults)
  return value
}

/**
 * Parses a text in which nothing is lost or changed: its numbers are exact, and as many names stand in it as its value has.
 * The text is read once by its characters, and its value once.
 * @returns undefined for any other text, whose faults are told with their places
 */
function parseUsual(text: string, bounds: Bounds, isExact: boolean): unknown {
  const names = namesIn(text, bounds, isExact)
  if (names === undefined) return undefined
  try {
    const value: unknown = isExact ? parseExactly(text) : JSON.parse(text)
    if (namesOf(value) !== names) return undefined
    return mayHaveBadTexts(text) && badTexts(value, '').length > 0 ? undefined : value
  } catch {
    return undefined
  }
}

/** Only an escape can stand for U+0000, and for half of a surrogate pair, in a text that has none itself. */
const mayHaveBadTexts = (text: string) =>
  text.includes('\\u') || text.includes('\ufeff') || !text.isWellFormed()

/** The codes of characters that begin or end a token. */
const [quote, backslash, colon, minus, point] = [0x22, 0x5c, 0x3a, 0x2d, 0x2e]
const [object, array, endOfObject, endOfArray] = [0x7b, 0x5b, 0x7d, 0x5d]
const shortWord = 4
const isDigit = (code: number) => code >= 0x30 && code <= 0x39
/** The letter and the signs of an exponent. */
const isOfExponent = (code: number) => code === 0x65 || code === 0x45 || code === 0x2b || code === minus
/** A number of this many characters, without an exponent, is exact: a double has 15 decimal digits. Source: IEEE 754 */
const exactLength = 15

/**
 * Counts the names in a text.
 * @returns undefined if it holds too much, or a number that a double changes
 */
function namesIn(text: string, { bodyLevels, bodyValues }: Bounds, takesWhole: boolean): number | undefined {
  const { length } = text
  let [levels, values, names, position] = [0, 0, 0, 0]
  while (position < length) {
    const code = text.charCodeAt(position)
    if (code === quote) {
      position = endOfString(text, position)
      values++
    } else if (code === colon) {
      names++
      values-- // the name before it was none
      position++
    } else if (code === object || code === array) {
      if (levels === bodyLevels) return undefined
      levels++
      values++
      position++
    } else if (code === endOfObject || code === endOfArray) {
      levels--
      position++
    } else if (isDigit(code) || code === minus) {
      const start = position++
      let hasExponent = false
      for (; position < length; position++) {
        const next = text.charCodeAt(position)
        if (isDigit(next) || next === point) continue
        if (!isOfExponent(next)) break
        hasExponent = true
      }
      const isExact = !hasExponent && position - start <= exactLength
      if (!isExact && !isKept(text.slice(start, position), takesWhole)) return undefined
      values++
    } else if (code === 0x74 || code === 0x66 || code === 0x6e) {
      position += shortWord // true, null, and the most of false
      values++
    } else position++
    if (values > bodyValues) return undefined
  }
  return names
}

/** Whether reading changes no number: a double holds it, or it becomes a bigint. */
const isKept = (text: string, takesWhole: boolean) =>
  isExactNumber(text) || (takesWhole && wholeIn(text) !== undefined)

/** Returns the place behind a string that begins at a place. */
function endOfString(text: string, start: number): number {
  for (let position = start; ; ) {
    position = text.indexOf('"', position + 1)
    if (position === -1) return text.length
    let escapes = position
    while (text.charCodeAt(escapes - 1) === backslash) escapes--
    if ((position - escapes) % 2 === 0) return position + 1
  }
}

/** Counts the names in a value. One that no object may have counts as none. */
function namesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let names = 0
  if (Array.isArray(value)) for (const item of value) names += namesOf(item)
  else
    for (const name in value)
      if (name !== '__proto__') names += 1 + namesOf((value as Record<string, unknown>)[name]) // JSON's objects have texts as names
  return names
}

function parse(text: string, isExact: boolean): unknown {
  try {
    return isExact ? parseExactly(text) : JSON.parse(text)
  } catch {
    throw new SyntaxFault({ path: '', message: `is not valid JSON: ${misfitIn(text)}` })
  }
}

/** An array or object that is open at the present place. */
interface Level {
  /** the names so far; undefined in an array */
  names: Set<string> | undefined
  /** the place of the present value in it */
  at: string | number
}

/** Strings, numbers, the first letters of other values, and punctuation. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*|[{}[\],:tfn]/g

/** Returns faults that JSON.parse accepts. The text need not be JSON. @throws Unreadable when there is too much */
function faultsOf(text: string, { bodyLevels, bodyValues }: Bounds, takesWhole: boolean): Fault[] {
  const faults: Fault[] = []
  const levels: Level[] = []
  let values = 0
  let isName = false
  const refuse = (path: string, message: string) => {
    throw new Unreadable({ path, message })
  }
  const tell = (message: string) => faults.push({ path: pointerTo(levels), message })
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1)
    const first = token[0] ?? ''
    if (first === ':') isName = false
    else if (first === ',') {
      if (typeof level?.at === 'number') level.at += 1
      isName = level?.names !== undefined
    } else if (first === '}' || first === ']') {
      levels.pop()
      isName = false
    } else if (first === '"' && isName && level?.names) {
      const name = unescaped(token)
      level.at = name
      if (level.names.has(name)) tell('stands twice in its object')
      if (name === '__proto__') tell('names a property of the object prototype')
      level.names.add(name)
    } else {
      values += 1
      if (values > bodyValues) refuse('', `holds more than ${bodyValues} values`)
      if (first === '{' || first === '[') {
        if (levels.length === bodyLevels)
          refuse(pointerTo(levels), `is nested deeper than ${bodyLevels} levels`)
        isName = first === '{'
        levels.push(isName ? { names: new Set(), at: '' } : { names: undefined, at: 0 })
      } else if (/[-\d]/.test(first) && !isKept(token, takesWhole)) tell(inexact)
    }
    if (faults.length >= faultsLimit) throw new Unreadable(...faults)
  }
  return faults
}

/** Returns the value of a string; '' if JSON.parse will refuse it. */
function unescaped(token: string): string {
  try {
    return JSON.parse(token)
  } catch {
    return ''
  }
}

/** Returns the JSON Pointer to the present value, cut to the length that is shown. */
const pointerTo = (levels: readonly Level[]) =>
  levels.map(({ at }) => `/${escapePointer(excerpt(String(at)))}`).join('')
