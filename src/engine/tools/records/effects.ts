import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from './interface.ts'

/** The properties of a record, whichever operations show them. */
export type State = Readonly<Record<string, unknown>>

/**
 * `body.x`, `path.x`, `before.x` (of the record that the path names, as it was) or `reply.x`; any other value is itself.
 */
type Operand = string | number | boolean | null

/** By property: a value, a greater number, or a number at least as great. */
export type Conditions = Readonly<Record<string, Operand | { above: Operand } | { atLeast: Operand }>>

/** An effect of a successful request on records, besides what its body says: a member of `x-effects`. */
export interface Effect {
  /** the record, by the path parameter that names such records */
  of: Readonly<Record<string, Operand>>
  /** the conditions before: of the record, or of the request (`body.x`) */
  when?: Conditions
  /** the conditions on the record for the request to be taken at all */
  needs?: Conditions
  /** a list that must be empty for the request to be taken at all */
  without?: List
  /** the code with which it is refused where it lacks what it needs, and only there */
  otherwise?: string
  /** a list that must be empty afterwards for the effect to be */
  unless?: List
  /** the state afterwards; `any`: something that can't be known */
  becomes?: Readonly<Record<string, Operand | { plus: Operand } | { minus: Operand } | 'any'>>
}

/** A list of records, by the operation that has it and its query. */
export interface List {
  list: string
  with: Readonly<Record<string, Operand>>
}

/** The values that operands refer to. */
export interface Scope {
  body: State
  path: State
  before: State
  reply?: State
}

/** Returns the effects on records that the document declares for an operation. */
export const effectsOf = ({ operation }: Endpoint) =>
  ('x-effects' in operation ? operation['x-effects'] : []) as readonly Effect[] // the lint holds it to this form

/** An operand that stands for a value of the request, of the record before it, or of its reply. */
export const place = /^(body|path|before|reply)\.(.+)$/

/** The value of an operand; undefined where the request or the record has none. */
export function operandOf(operand: Operand, scope: Scope): unknown {
  const [, of, name = ''] = (typeof operand === 'string' && place.exec(operand)) || []
  return of ? scope[of as keyof Scope]?.[name] : operand // of those that the pattern has
}

/** Whether something was so. */
export function conditionsHold(conditions: Conditions, record: State, scope: Scope): boolean {
  return Object.entries(conditions).every(([name, wanted]) => {
    const found = place.test(name) ? operandOf(name, scope) : record[name]
    if (typeof wanted !== 'object' || wanted === null) return isSame(found, operandOf(wanted, scope))
    if ('above' in wanted) return Number(found) > Number(operandOf(wanted.above, scope))
    return Number(found) >= Number(operandOf(wanted.atLeast, scope))
  })
}

/** Returns the due state of a record after an effect. `any` stands for a value that can't be foretold. */
export function stateAfter({ becomes = {} }: Effect, record: State, scope: Scope): State {
  const changed: Record<string, unknown> = { ...record }
  for (const [name, wanted] of Object.entries(becomes)) {
    if (typeof wanted !== 'object' || wanted === null) {
      const value = wanted === 'any' ? anything : operandOf(wanted, scope)
      if (value !== undefined) changed[name] = value
    } else if ('plus' in wanted) changed[name] = Number(record[name]) + Number(operandOf(wanted.plus, scope))
    else changed[name] = Number(record[name]) - Number(operandOf(wanted.minus, scope))
  }
  return changed
}

export const anything = Symbol('anything')

/** Yields, in words, each property of a record that is not as due. */
export function* stateFaults(name: string, before: State, due: State, found: State): Generator<string> {
  for (const property of new Set([...Object.keys(due), ...Object.keys(found)])) {
    const [was, wanted, is] = [before[property], due[property], found[property]]
    if (wanted === anything || isSame(wanted, is)) continue
    yield `${name} had ${property} ${text(was)} and has ${text(is)}, where the document has it ${
      isSame(was, wanted) ? 'stay' : `become ${text(wanted)}`
    }`
  }
}

const text = (value: unknown) => JSON.stringify(value) ?? 'absent'

/** Instants in whatever zone; null is nothing. */
export function isSame(a: unknown, b: unknown): boolean {
  const instant = /^\d{4}-\d\d-\d\d[Tt]/
  if (typeof a === 'string' && typeof b === 'string' && instant.test(a) && instant.test(b))
    return Date.parse(a) === Date.parse(b)
  return isDeepStrictEqual(a ?? undefined, b ?? undefined)
}
