import { type Bounds, boundsOf } from '../contract/extensions.ts'
import type { Fault } from '../errors/api-error.ts'
import { badTexts, escapePointer, excerpt, Unreadable } from '../errors/faults.ts'
import { misfitIn } from './json-misfit.ts'
import { isExactNumber } from './values.ts'

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
 * @throws Unreadable
 */
export function parseStrictJson(text: string, bounds: Bounds = boundsOf({})): unknown {
  const plain = parsePlain(text, bounds)
  if (plain !== undefined) return plain
  const faults = faultsOf(text, bounds)
  const value = parse(text)
  faults.push(...badTexts(value, ''))
  if (faults.length > 0) throw new Misfit(value, faults)
  return value
}

/** Escapes of characters, the byte order mark, and the name that no object may have. */
const notPlain = /\\u|\ufeff|__proto__/

/**
 * Parses a short text that is just as JSON.stringify writes its value, so that nothing in it is lost or changed.
 * @returns undefined for any other text
 */
function parsePlain(text: string, { bodyLevels, bodyValues }: Bounds): unknown {
  // Each level takes two characters at least, and each value one and a comma.
  if (text.length > 2 * Math.min(bodyLevels, bodyValues - 1) || notPlain.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined // its fault is told with its place
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
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
function faultsOf(text: string, { bodyLevels, bodyValues }: Bounds): Fault[] {
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
      } else if (/[-\d]/.test(first) && !isExactNumber(token))
        tell('must be a number that a double holds without a change')
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
