import { type Change, differs, type Impact, narrows, type Reader, widens } from '../change.ts'
import type { All } from './parts.ts'
import type { JointShape } from './shape.ts'
import type { Trials } from './trial.ts'

/** A difference between two schemas: what it does to the set of values that they take. */
export interface Difference {
  effect: Impact
  rule: string
  /** the way into the value, `.name` or `[]` for each step */
  path: string
  place: readonly string[]
  side: Change['side']
  what: string
  why?: string
  /** a value that only one of the schemas takes, as JSON */
  example?: string | undefined
}

export type Differences = Generator<Difference>

/** The circumstances of a comparison of schemas. */
export interface Context {
  reader: Reader
  /** today, YYYY-MM-DD in UTC */
  day: string
  stability: string
  trials: Trials
  /** whether values stand in a URL or a header, where a number is a text too */
  isWritten?: boolean
  /** whether values are written as XML */
  isXml?: boolean
}

/** Two schemas at the same place of a value, as they are read. */
export interface Step {
  base: All
  next: All
  before: JointShape
  after: JointShape
  path: string
  context: Context
  /** Yields what differs between two schemas within, unless the way here has met that pair. */
  compare(base: All, next: All, path: string): Differences
}

/** A difference at a keyword: in the new document where that has it, else in the base. */
export function difference(
  { before, after, path }: Step,
  effect: Impact,
  rule: string,
  keywords: string | readonly string[],
  what: string,
): Difference {
  const keywordPlace = ({ parts }: JointShape) => {
    const [first] = [keywords].flat().flatMap(keyword => {
      const part = parts.find(({ node }) => keyword in node)
      return part ? [[...part.place, keyword]] : []
    })
    return first
  }
  const [next, others] = [keywordPlace(after), placeIn(before.parts, after.parts)]
  if (next) return { effect, rule, path, place: next, side: 'new', what }
  return {
    effect,
    rule,
    path,
    ...others,
    place: (others.side === 'base' && keywordPlace(before)) || others.place,
    what,
  }
}

/**
 * The difference that a keyword makes by which fewer values are taken, or more, or some in place of others.
 * @param kin keywords that say the same in another way
 */
export function* shift(
  step: Step,
  keyword: string,
  { fewer, more }: { fewer: boolean; more: boolean },
  what: string,
  kin: readonly string[] = [],
): Differences {
  const effect = fewer && more ? differs : fewer ? narrows : widens
  const manner = fewer && more ? 'changed' : fewer ? 'narrowed' : 'widened'
  if (fewer || more) yield difference(step, effect, `${kebab(keyword)}-${manner}`, [keyword, ...kin], what)
}

const texts: Record<string, string> = {
  'null-refused': 'it is never null any more',
  'null-allowed': 'it may be null now',
  'enum-added': 'only some values are taken now',
  'enum-removed': 'any value is taken now',
  'unique-items-added': 'an item may not come twice any more',
  'unique-items-removed': 'an item may come twice now',
  'not-added': 'some values are ruled out',
  'not-removed': 'some values are no longer ruled out',
}

/**
 * Returns the difference that a demand of only one schema makes. A new demand means fewer values, one that goes means
 * more.
 */
export function* demand(
  step: Step,
  keywords: string | readonly string[],
  [was, is]: readonly [was: boolean, is: boolean],
  [came, went]: readonly [came: string, went: string],
  what?: string,
): Differences {
  const rule = is ? came : went
  if (was !== is) yield difference(step, is ? narrows : widens, rule, keywords, what ?? texts[rule] ?? rule)
}

/** Returns the place of schemas of the new document. */
export function placeOf(all: All): Pick<Difference, 'place' | 'side'> {
  return { place: all[0]?.place ?? [], side: 'new' }
}

/** Returns the place of schemas of the new document, or else of those of the base. */
export function placeIn(base: All, next: All): Pick<Difference, 'place' | 'side'> {
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
