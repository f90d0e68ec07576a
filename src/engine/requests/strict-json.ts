import { badText, escapePointer, excerpt, type Fault } from './faults.ts'
import { isExactNumber } from './values.ts'

/** How deep arrays and objects may be nested. */
const depthLimit = 100
/** How many values a body may hold, arrays and objects counted with what is in them: each costs time and memory. */
const valuesLimit = 10_000
/** At most this many faults are told. */
const faultsLimit = 100

/** What keeps a text from being read as JSON. */
export class JsonError extends Error {
  readonly faults: readonly Fault[]
  /** whether it is no JSON at all */
  readonly isSyntax: boolean
  constructor(faults: readonly Fault[], isSyntax = false) {
    super(faults[0]?.message)
    this.faults = faults
    this.isSyntax = isSyntax
  }
}

/**
 * Parses a JSON text that means one thing only to everybody: no name stands twice in an object, and no number changes
 * when it is read (RFC 8259, sections 4 and 6, leave both to the reader; RFC 7493 does not).
 * Time and memory are bounded: what is nested too deep or holds too many values is not parsed at all.
 * @throws JsonError
 */
export function parseStrictJson(text: string): unknown {
  const faults = faultsOf(text)
  const value = parse(text)
  if (faults.length > 0) throw new JsonError(faults)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0]
    const message = `is no JSON: syntax error${position ? ` at ${position}` : ''}`
    throw new JsonError([{ path: '', message }], true)
  }
}

/** An array or object that is open at the place of reading. */
interface Level {
  /** the names so far; undefined in an array */
  names: Set<string> | undefined
  /** where in it the value being read stands */
  at: string | number
}

/** Strings, numbers, the first letters of other values, and punctuation. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|-?\d[\d.eE+-]*|[{}[\],:tfn]/g

/**
 * Reads a text once, from its beginning to its end, for what JSON.parse lets pass. It need not be JSON: that is for
 * JSON.parse to say.
 * @throws JsonError as soon as there is too much of anything
 */
function faultsOf(text: string): Fault[] {
  const faults: Fault[] = []
  const levels: Level[] = []
  let values = 0
  let isName = false
  const refuse = (path: string, message: string) => {
    throw new JsonError([{ path, message }])
  }
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
      level.at = unescaped(token)
      faults.push(...faultsOfName(level.at, level.names, levels))
      level.names.add(level.at)
    } else {
      values += 1
      if (values > valuesLimit) refuse('', `holds more than ${valuesLimit} values`)
      if (first === '{' || first === '[') {
        if (levels.length === depthLimit)
          refuse(pointerTo(levels), `is nested deeper than ${depthLimit} levels`)
        isName = first === '{'
        levels.push(isName ? { names: new Set(), at: '' } : { names: undefined, at: 0 })
      } else if (first === '"') {
        const bad = mayHoldBadText.test(token) ? badText(unescaped(token)) : undefined
        if (bad) faults.push({ path: pointerTo(levels), message: bad })
      } else if (/[-\d]/.test(first) && !isExactNumber(token))
        faults.push({
          path: pointerTo(levels),
          message: 'must be a number that a double holds without a change',
        })
    }
    if (faults.length >= faultsLimit) throw new JsonError(faults)
  }
  return faults
}

/** Escapes for NUL and for surrogates, which as such can't stand in a text that was UTF-8, and a byte order mark. */
const mayHoldBadText = /\\u(0000|d[89a-f])|^"(\ufeff|\\ufeff)/i

function faultsOfName(name: string, names: ReadonlySet<string>, levels: readonly Level[]): Fault[] {
  const isPrototype = name === '__proto__' || (name === 'prototype' && levels.at(-2)?.at === 'constructor')
  const messages = [
    names.has(name) && 'stands twice in its object',
    isPrototype && 'names a property of the object prototype',
    badText(name.replace(/^\ufeff/, '')),
  ]
  return messages.flatMap(message => (message ? { path: pointerTo(levels), message } : []))
}

/** What a string means; nothing, where JSON.parse will refuse it anyway. */
function unescaped(token: string): string {
  try {
    return JSON.parse(token)
  } catch {
    return ''
  }
}

/** The JSON Pointer to the value being read, no longer than it will be shown. */
const pointerTo = (levels: readonly Level[]) =>
  levels.map(({ at }) => `/${escapePointer(excerpt(String(at)))}`).join('')
