import { type Change, type Effect, narrows, type Reader, widens } from '../change.ts'
import type { Trials } from '../trial/trial.ts'
import type { All, Shape } from './shape.ts'

/** A difference between two schemas: what it does to the set of values that they take. */
export interface Difference {
  effect: Effect
  rule: string
  /** the way into the value, `.name` or `[]` for each step */
  path: string
  at: readonly string[]
  side: Change['side']
  what: string
  why?: string
  /** a value that only one of the schemas takes, as JSON */
  example?: string | undefined
}

export type Differences = Generator<Difference>

/** Two schemas at the same place of a value, as they are read. */
export interface Step {
  before: Shape
  after: Shape
  path: string
}

/** What a comparison of schemas has to know about where it takes place. */
export interface Context {
  reader: Reader
  /** today, YYYY-MM-DD in UTC */
  day: string
  stability: string
  trials: Trials
  /** whether values stand in a URL or a header, where a number is a text too */
  isWritten?: boolean
}

/** The way through two schemas, on which comparisons of parts go on. */
export interface Walk {
  context: Context
  /** Yields what differs between two schemas at a path, unless the walk has met that pair before. */
  compare(base: All, next: All, path: string): Differences
  /** whether this is a part of what is settled as a whole */
  isInside: boolean
  /** The same walk for the parts of what is settled as a whole. */
  inside(): Walk
}

/** A difference at a keyword: in the new document where that has it, else in the base. */
export function difference(
  { before, after, path }: Step,
  effect: Effect,
  rule: string,
  keyword: string,
  what: string,
): Difference {
  const at = ({ parts }: Shape) => {
    const part = parts.find(({ node }) => keyword in node)
    return part && [...part.at, keyword]
  }
  const [next, place] = [at(after), placeIn(before.parts, after.parts)]
  if (next) return { effect, rule, path, at: next, side: 'new', what }
  return { effect, rule, path, ...place, at: (place.side === 'base' && at(before)) || place.at, what }
}

type Told = readonly [rule: string, what: string]

/** What only one of two schemas demands: when it comes, fewer values are taken, and when it goes, more. */
export function* demand(
  step: Step,
  keyword: string,
  [was, is]: readonly [was: boolean, is: boolean],
  came: Told,
  went: Told,
): Differences {
  const [rule, what] = is ? came : went
  if (was !== is) yield difference(step, is ? narrows : widens, rule, keyword, what)
}

/** Where schemas of the new document stand. */
export function placeOf(all: All): Pick<Difference, 'at' | 'side'> {
  return { at: all[0]?.at ?? [], side: 'new' }
}

/** Where schemas of the new document stand, or those of the base where there are no others. */
export function placeIn(base: All, next: All): Pick<Difference, 'at' | 'side'> {
  return next.length > 0 ? placeOf(next) : { ...placeOf(base), side: 'base' }
}

/** A keyword as rules are named after it. */
export function kebab(keyword: string): string {
  return keyword.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** Whether both schemas take values of a type. */
export function has({ before, after }: Step, type: string): boolean {
  return before.types.has(type) && after.types.has(type)
}
