import { type Rule, verdictOf } from './verdicts.ts'

/**
 * The effect of a difference on clients: it breaks some, may surprise some, or affects none. `version`: the number of the
 * version does not say what changed.
 */
export type Severity = (typeof severities)[number]

/** Gravest first. */
export const severities = ['breaking', 'version', 'warning', 'info'] as const

/**
 * The reader of a value: the service reads requests, clients read responses. Errors are announced to be open.
 * In a callback, clients read the request as they read a response. The service reads their reply.
 */
export type Reader = 'request' | 'response' | 'error'

/** One difference between two documents, judged. */
export interface Change {
  severity: Severity
  /** the stable name of the rule, in kebab-case */
  rule: string
  /** the place in the interface, as a client sees it; empty for the whole of it */
  part: string
  /** the place in the new document, or in the base when it is only there */
  place: readonly string[]
  side: 'new' | 'base'
  /** the difference */
  what: string
  /** its effect on clients */
  why: string
  /** a value that shows it, as JSON */
  example?: string | undefined
}

/** The circumstances on which a verdict depends, besides the rule. */
interface Circumstances {
  reader?: Reader
  /** whether the removal was announced for a day that is over by now */
  isOver?: boolean
}

/** A change of the new document, at its place there, with the verdict of its rule. */
export function found(
  rule: Rule,
  { place }: Pick<Change, 'place'>,
  what: string,
  { reader = 'response', isOver = false }: Circumstances = {},
): Change {
  const [severity, why] = isOver ? (['info', 'its sunset has passed'] as const) : verdictOf(rule, reader)
  const [name = rule] = rule.split('/', 1)
  return { severity, rule: name, part: '', place, side: 'new', what, why }
}

/** A change that shows in the base only: what stood there is gone. */
export const lost = (...parts: Parameters<typeof found>): Change => ({ ...found(...parts), side: 'base' })

/** The judgements of a part that both documents have, that is gone, or that is new. */
interface Comparison<T> {
  /** the place of the part, as clients see it */
  part?(part: T, key: string): string
  both(base: T, next: T, key: string): Iterable<Change>
  gone(part: T, key: string): Iterable<Change>
  fresh(part: T, key: string): Iterable<Change>
  /** the part that a key means; by default, the one of that very key */
  find?(parts: ReadonlyMap<string, T>, key: string): T | undefined
}

/** Judges the parts of two documents, each by the key that says which of the other is the same. */
export function* compareParts<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  { part = () => '', both, gone, fresh, find = (parts, key) => parts.get(key) }: Comparison<T>,
): Generator<Change> {
  for (const [key, base] of before) {
    const next = find(after, key)
    yield* inPart(part(next ?? base, key), next === undefined ? gone(base, key) : both(base, next, key))
  }
  for (const [key, next] of after) {
    if (before.has(key)) continue
    const base = find(before, key)
    yield* inPart(part(next, key), base === undefined ? fresh(next, key) : both(base, next, key))
  }
}

/** Changes as they are seen from further out. */
export function* inPart(part: string, changes: Iterable<Change>): Generator<Change> {
  for (const change of changes) yield { ...change, part: `${part} ${change.part}`.trim() }
}

/**
 * A change of a set of values: its severity depends on who reads it. Errors are judged as responses are, apart from a
 * new value of an enumeration. That is a warning there: clients are asked to expect new error codes.
 */
export interface Impact {
  request: Severity
  response: Severity
  /** whether it is one of the values that are taken, and not of what is promised besides */
  isOfValues?: boolean
}

export const narrows: Impact = { request: 'breaking', response: 'info', isOfValues: true }
export const widens: Impact = { request: 'info', response: 'breaking', isOfValues: true }
/** Neither a subset nor a superset of the values before. */
export const differs: Impact = { request: 'breaking', response: 'breaking', isOfValues: true }

/** The effect on what a schema is the opposite of (`not`). */
export function opposite({ request, response, ...rest }: Impact): Impact {
  return { request: response, response: request, ...rest }
}

/** The severity of an effect for a reader. */
export function severityFor(effect: Impact, reader: Reader): Severity {
  return effect[reader === 'request' ? 'request' : 'response']
}

/** Returns in words the effect of a difference of values on clients. */
export function consequence(severity: Severity, reader: Reader): string {
  if (severity === 'info') return 'existing clients still work'
  if (severity === 'warning') return 'clients may see another behaviour'
  return reader === 'request'
    ? 'the service may refuse values that clients send'
    : 'clients may get values that the old document excludes'
}
