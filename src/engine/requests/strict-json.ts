import { isExactNumber } from './exact-number.ts'
import { badText, escapePointer, excerpt, type Fault } from './faults.ts'

/** A JSON text as it was read: its value; or where the text is no JSON (`at position 7`); or what else is wrong with it. */
export type Json = { value: unknown } | { syntax: string } | { faults: Fault[] }
export type ParseJson = (text: string) => Json

/** How deep arrays and objects may be nested. */
const depthLimit = 100
/** How many values a body may hold, arrays and objects counted with what is in them: each costs time and memory. */
const valuesLimit = 10_000
/** At most this many faults are told. */
const faultsLimit = 100

/** An array or object that is open at the place of reading. */
interface Level {
  /** the names so far; undefined in an array */
  names: Set<string> | undefined
  /** where in it the value being read stands */
  name: string
  index: number
}

/** Ends the reading of a text of which enough is known. */
class Enough extends Error {
  readonly faults: Fault[]
  constructor(faults: Fault[]) {
    super('Enough is known of the text')
    this.faults = faults
  }
}

/**
 * Parses a JSON text that means one thing only to everybody: no name stands twice in an object, and no number changes
 * when it is read (RFC 8259, sections 4 and 6, leave both to the reader; RFC 7493 does not).
 * Time and memory are bounded: what is nested too deep or holds too many values is not parsed at all.
 */
export function parseStrictJson(text: string): Json {
  try {
    const faults = faultsOf(text)
    const value: unknown = JSON.parse(text)
    return faults.length > 0 ? { faults } : { value }
  } catch (error) {
    return error instanceof Enough ? { faults: error.faults } : { syntax: reason(error) }
  }
}

/** What is wrong with a JSON text, in one line, without the text itself. */
function reason(error: unknown): string {
  const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0]
  return position ? `syntax error at ${position}` : 'syntax error'
}

/**
 * Reads a text once, from its beginning to its end, for what JSON.parse lets pass. It need not be JSON: that is for
 * JSON.parse to say.
 * @throws Enough as soon as there is too much of anything
 */
function faultsOf(text: string): Fault[] {
  const faults: Fault[] = []
  const levels: Level[] = []
  let level: Level | undefined
  let isName = false
  let values = 0

  const note = (found: readonly Fault[]) => {
    faults.push(...found)
    if (faults.length >= faultsLimit) throw new Enough(faults)
  }
  const refuse = (path: string, message: string) => {
    throw new Enough([{ path, message }])
  }
  const begin = () => {
    values += 1
    if (values > valuesLimit) refuse('', `holds more than ${valuesLimit} values`)
  }
  const open = (names: Set<string> | undefined) => {
    begin()
    if (levels.length === depthLimit) refuse(pointerTo(levels), `is nested deeper than ${depthLimit} levels`)
    level = { names, name: '', index: 0 }
    levels.push(level)
    isName = names !== undefined
  }

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at)
        if (isName && level?.names) {
          level.name = unescaped(text.slice(at + 1, end))
          note(faultsOfName(level.names, level.name, levels))
          level.names.add(level.name)
        } else {
          begin()
          const raw = text.slice(at + 1, end)
          if (mayHoldBadText.test(raw) && badText(unescaped(raw), '').length > 0)
            note(badText(unescaped(raw), pointerTo(levels)))
        }
        at = end
        break
      }
      case 0x7b: // {
        open(new Set())
        break
      case 0x5b: // [
        open(undefined)
        break
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop()
        level = levels.at(-1)
        isName = false
        break
      case 0x3a: // :
        isName = false
        break
      case 0x2c: // ,
        if (level) level.index += 1
        isName = level?.names !== undefined
        break
      case 0x74: // true
      case 0x66: // false
      case 0x6e: // null
        begin()
        break
      case 0x2d: // -
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39: {
        begin()
        const end = endOfNumber(text, at)
        if (!isExactNumber(text.slice(at, end)))
          note([
            { path: pointerTo(levels), message: 'must be a number that a double holds without a change' },
          ])
        at = end - 1
      }
    }
  }
  return faults
}

/** Escapes for NUL and for surrogates, which as such can't stand in a text that was UTF-8, and a byte order mark. */
const mayHoldBadText = /\\u(0000|d[89a-f])|^(\ufeff|\\ufeff)/i

function faultsOfName(names: ReadonlySet<string>, name: string, levels: readonly Level[]): Fault[] {
  const path = () => pointerTo(levels)
  const parent = levels.at(-2)
  const isPrototype = name === '__proto__' || (name === 'prototype' && parent?.name === 'constructor')
  return [
    ...(names.has(name) ? [{ path: path(), message: 'stands twice in its object' }] : []),
    ...(isPrototype ? [{ path: path(), message: 'names a property of the object prototype' }] : []),
    ...(name.includes('\0') || !name.isWellFormed() ? badText(name, path()) : []),
  ]
}

/** The index of the quotation mark that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) at += 1
  }
  return text.length
}

/** The index behind the last character that may belong to a number. */
function endOfNumber(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isDigit = code >= 0x30 && code <= 0x39
    // + - . E e
    if (!isDigit && code !== 0x2b && code !== 0x2d && code !== 0x2e && code !== 0x45 && code !== 0x65)
      return at
  }
  return text.length
}

/** What a string's text between the quotation marks means; as it is, where JSON.parse will refuse it anyway. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`)
  } catch {
    return raw
  }
}

/** The JSON Pointer to the value being read, no longer than it will be shown. */
function pointerTo(levels: readonly Level[]): string {
  let pointer = ''
  for (const { names, name, index } of levels) {
    const step = names ? escapePointer(excerpt(name)) : String(index)
    pointer += `/${step}`
  }
  return pointer
}
