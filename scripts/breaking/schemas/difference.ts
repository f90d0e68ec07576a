import type { Change, Effect, Reader } from '../change.ts'
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
  keyword: readonly [string, ...string[]],
  what: string,
): Difference {
  const at = (parts: All) => parts.find(({ node }) => keyword[0] in node)
  const [next, base] = [at(after.parts), at(before.parts)]
  const found = next
    ? { at: [...next.at, ...keyword], side: 'new' as const }
    : after.parts.length > 0
      ? placeOf(after.parts)
      : { at: base ? [...base.at, ...keyword] : (before.parts[0]?.at ?? []), side: 'base' as const }
  return { effect, rule, path, ...found, what }
}

/** Where schemas of the new document stand. */
export function placeOf(all: All): Pick<Difference, 'at' | 'side'> {
  return { at: all[0]?.at ?? [], side: 'new' }
}

/** The path of a property. */
export function within(path: string, name: string): string {
  return `${path}.${name}`
}

/** A keyword as rules are named after it. */
export function kebab(keyword: string): string {
  return keyword.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** Whether both schemas take values of a type. */
export function has({ before, after }: Step, type: string): boolean {
  return before.types.has(type) && after.types.has(type)
}
