import {
  type Change,
  consequence,
  differs,
  type Effect,
  narrows,
  opposite,
  type Reader,
  severityFor,
  widens,
} from './change.ts'
import { compareDeprecation, isOver } from './lifecycle.ts'
import type { Located } from './located.ts'
import { type All, boundOf, bounds, type Choice, type Schema, type Shape, shapeOf } from './shape.ts'

/** What a comparison of schemas has to know about where it takes place. */
export interface Context {
  reader: Reader
  /** where, as a client sees it */
  place: string
  /** today, YYYY-MM-DD in UTC */
  day: string
  stability: string
}

/** A difference between two schemas: what it does to the set of values that they take. */
interface Difference {
  effect: Effect
  rule: string
  /** the way into the value */
  path: string
  at: readonly string[]
  side: Change['side']
  what: string
  why?: string
}

type Compared = Generator<Difference>

/**
 * Judges what changes in the values that schemas take: fewer are breaking in a request, more in a response. It follows
 * references, recursive ones once; it reads `allOf` as one schema, so that it is no change to move parts into one.
 */
export function* compareSchemas(
  base: Located<Schema> | undefined,
  next: Located<Schema> | undefined,
  context: Context,
): Generator<Change> {
  if (!base && !next) return
  const walk = new Walk(context)
  for (const { effect, path, why, ...rest } of walk.compare(base ? [base] : [], next ? [next] : [], '')) {
    const open = rest.rule === 'enum-value-added' && context.reader === 'error'
    const severity =
      open && severityFor(effect, 'error') === 'breaking' ? 'warning' : severityFor(effect, context.reader)
    const place = path ? `${context.place} ${path}` : context.place
    yield { ...rest, severity, place, why: why ?? consequence(severity, context.reader) }
  }
}

class Walk {
  readonly context: Context
  readonly seen: Set<string>

  constructor(context: Context, seen: Iterable<string> = []) {
    this.context = context
    this.seen = new Set(seen)
  }

  *compare(base: All, next: All, path: string): Compared {
    const pair = [base, next].map(all => all.map(({ at }) => at.join('\0')).join('\x01')).join('\x02')
    if (this.seen.has(pair)) return
    this.seen.add(pair)
    const [before, after] = [shapeOf(base, this.context.reader), shapeOf(next, this.context.reader)]
    const step: Step = { before, after, path }
    yield* this.#deprecation(step)
    const [was, is] = [choiceOf(before), choiceOf(after)]
    if (was && !is && next.length > 0) return yield* this.#choice(was, soleAlternative(was.kind, next), step)
    if (is && !was && base.length > 0) return yield* this.#choice(soleAlternative(is.kind, base), is, step)
    if (!isDisjoint(step)) {
      for (const constraint of constraints) yield* constraint(step)
      if (has(step, 'array')) yield* this.#nested(before.items, after.items, 'items', step, `${path}[]`)
      if (has(step, 'object')) yield* this.#properties(step)
    } else yield* compareTypes(step)
    yield* this.#choices(step)
    yield* this.#not(step)
  }

  /** A schema that may stand on one side only, where none means anything. */
  *#nested(base: All, next: All, name: string, step: Step, path: string): Compared {
    if (base.length > 0 && next.length > 0) yield* this.compare(base, next, path)
    else if (next.length > 0)
      yield difference(step, narrows, `${name}-constrained`, [name], 'not everything is taken any more', path)
    else if (base.length > 0)
      yield difference(step, widens, `${name}-unconstrained`, [name], 'anything is taken now', path)
  }

  *#deprecation(step: Step): Compared {
    const [base, next] = [step.before.parts[0], step.after.parts[0]]
    if (!base || !next || !(base.node.deprecated || next.node.deprecated)) return
    const { day, stability } = this.context
    for (const { severity, ...rest } of compareDeprecation(base, next, {
      day,
      stability,
      mayBeEndless: true,
    }))
      yield { ...rest, effect: { request: severity, response: severity }, path: step.path }
  }

  *#properties(step: Step): Compared {
    const { before, after, path } = step
    for (const [name, base] of before.properties) {
      const next = after.properties.get(name)
      if (next) yield* this.compare(base, next, within(path, name))
      else yield* this.#removed(step, name, base)
    }
    for (const [name, next] of after.properties) {
      if (before.properties.has(name)) continue
      const due = after.required.has(name)
      yield {
        effect: due ? { request: 'breaking', response: 'info' } : { request: 'info', response: 'info' },
        rule: due ? 'required-property-added' : 'property-added',
        path: within(path, name),
        ...place(next),
        what: due ? 'the required property is new' : 'the property is new',
        ...(due && this.context.reader === 'request' ? { why: 'requests of before lack it' } : {}),
      }
    }
    yield* this.#required(step)
    if (before.additional === false && after.additional !== false)
      yield difference(
        step,
        widens,
        'additional-properties-opened',
        ['additionalProperties'],
        'other properties are taken now',
      )
    else if (before.additional !== false && after.additional === false)
      yield difference(
        step,
        narrows,
        'additional-properties-closed',
        ['additionalProperties'],
        'other properties are not taken any more',
      )
    else if (before.additional !== false && after.additional !== false)
      yield* this.#nested(
        before.additional,
        after.additional,
        'additional-properties',
        step,
        within(path, '*'),
      )
  }

  *#removed(step: Step, name: string, base: All): Compared {
    const { after, path } = step
    const closed = after.additional === false
    const over = base.some(({ node }) => isOver(node, this.context.day))
    yield {
      effect: over
        ? { request: 'info', response: 'info' }
        : { request: closed ? 'breaking' : 'warning', response: 'breaking' },
      rule: 'property-removed',
      path: within(path, name),
      ...(after.parts[0] ? place(after.parts) : { ...place(base), side: 'base' as const }),
      what: 'the property is gone',
      why: over
        ? 'its sunset has passed'
        : this.context.reader !== 'request'
          ? 'clients that read it find nothing'
          : closed
            ? 'requests that send it are refused'
            : 'what clients send is not read any more',
    }
    if (after.additional !== false && after.additional.length > 0)
      yield* this.compare(base, after.additional, within(path, name))
  }

  *#required({ before, after, path }: Step): Compared {
    const known = (name: string) => before.properties.has(name) === after.properties.has(name)
    for (const name of after.required)
      if (!before.required.has(name) && known(name))
        yield {
          effect: narrows,
          rule: 'property-became-required',
          path: within(path, name),
          ...place(after.properties.get(name) ?? after.parts),
          what: 'the property became required',
        }
    for (const name of before.required)
      if (!after.required.has(name) && known(name))
        yield {
          effect: widens,
          rule: 'property-became-optional',
          path: within(path, name),
          ...place(after.properties.get(name) ?? after.parts),
          what: 'the property became optional',
        }
  }

  *#choices(step: Step): Compared {
    const [base, next] = [step.before.choices, step.after.choices]
    for (let index = 0; index < Math.max(base.length, next.length); index++) {
      const [before, after] = [base[index], next[index]]
      if (before && after) yield* this.#choice(before, after, step)
      else if (after)
        yield difference(step, narrows, 'alternatives-constrained', [after.kind], `${after.kind} is new`)
      else if (before)
        yield difference(step, widens, 'alternatives-unconstrained', [before.kind], `${before.kind} is gone`)
    }
  }

  *#choice(base: Choice, next: Choice, step: Step): Compared {
    const { pairs, removed, added } = this.#paired(base, next)
    const name = (all: All, written: string | undefined) =>
      written?.split('/').at(-1) ?? all[0]?.node.type ?? 'one'
    for (const [before, after, label] of pairs)
      yield* this.compare(before, after, label ? `${step.path}(${label})` : step.path)
    for (const index of removed) {
      const what = `the alternative ${name(base.alternatives[index] ?? [], base.names[index])} is gone`
      yield { ...difference(step, narrows, 'alternative-removed', [next.kind], what) }
    }
    for (const index of added) {
      const what = `the alternative ${name(next.alternatives[index] ?? [], next.names[index])} is new`
      yield { ...difference(step, widens, 'alternative-added', [next.kind], what) }
    }
    if (base.kind !== next.kind && base.alternatives.length > 1 && next.alternatives.length > 1) {
      const effect = next.kind === 'anyOf' ? widens : narrows
      yield difference(
        step,
        effect,
        'alternatives-kind-changed',
        [next.kind],
        `${base.kind} became ${next.kind}`,
      )
    }
    const [before, after] = [base.discriminator?.propertyName, next.discriminator?.propertyName]
    if (before !== after && before !== undefined)
      yield difference(
        step,
        differs,
        'discriminator-changed',
        ['discriminator'],
        `the discriminator was ${before} and is ${after ?? 'gone'}`,
      )
    const [was, is] = [base.discriminator?.mapping ?? {}, next.discriminator?.mapping ?? {}]
    for (const value of Object.keys(was))
      if (after !== undefined && !(value in is))
        yield difference(
          step,
          narrows,
          'discriminator-value-removed',
          ['discriminator', 'mapping'],
          `${value} is no longer a value of the discriminator`,
        )
    for (const value of Object.keys(is))
      if (before !== undefined && !(value in was))
        yield difference(
          step,
          widens,
          'discriminator-value-added',
          ['discriminator', 'mapping'],
          `${value} is a new value of the discriminator`,
        )
  }

  /** Which alternatives are the same, by reference, then by meaning, then, written in place, by their order. */
  #paired(base: Choice, next: Choice) {
    const removed = new Set(base.alternatives.keys())
    const added = new Set(next.alternatives.keys())
    const pairs: [All, All, string][] = []
    const match = (isSame: (before: number, after: number) => boolean) => {
      for (const before of removed)
        for (const after of added) {
          if (!removed.has(before) || !isSame(before, after)) continue
          removed.delete(before)
          added.delete(after)
          const label =
            base.names[before]?.split('/').at(-1) ?? (base.alternatives.length > 1 ? String(before + 1) : '')
          pairs.push([base.alternatives[before] ?? [], next.alternatives[after] ?? [], label])
        }
    }
    match((before, after) => base.names[before] !== undefined && base.names[before] === next.names[after])
    match((before, after) =>
      this.#meansTheSame(base.alternatives[before] ?? [], next.alternatives[after] ?? []),
    )
    match((before, after) => base.names[before] === undefined && next.names[after] === undefined)
    return { pairs, removed, added }
  }

  #meansTheSame(base: All, next: All): boolean {
    const trial = new Walk(this.context, this.seen)
    return trial.compare(base, next, '').next().done === true
  }

  /** What a schema must not be: there, fewer means more. */
  *#not({ before, after, path }: Step): Compared {
    const step = { before, after, path }
    if (before.not.length === 0 || after.not.length === 0) {
      if (after.not.length > before.not.length)
        yield difference(step, narrows, 'not-added', ['not'], 'some values are ruled out')
      if (after.not.length < before.not.length)
        yield difference(step, widens, 'not-removed', ['not'], 'some values are no longer ruled out')
      return
    }
    for (const found of this.compare(before.not, after.not, `${path} not`.trim()))
      yield { ...found, effect: opposite(found.effect) }
  }
}

interface Step {
  before: Shape
  after: Shape
  path: string
}

type Constraint = (step: Step) => Iterable<Difference>

/** The keywords that stand alone. */
const constraints: Constraint[] = [
  compareTypes,
  compareValues,
  compareFormats,
  compareBounds,
  comparePatterns,
  compareMultiples,
  compareUniqueness,
  compareDefaults,
]

function* compareTypes(step: Step): Iterable<Difference> {
  const [before, after] = [step.before.types, step.after.types]
  const gone = [...before].filter(type => !after.has(type))
  const fresh = [...after].filter(type => !before.has(type))
  const report = (effect: Effect, rule: string, key: string, what: string) =>
    difference(step, effect, rule, [key], what)
  const unbound = gone.length + fresh.length > 1 && (before.size === 7 || after.size === 7) // among all types, null is nothing to speak of
  if (gone.includes('null') && !unbound)
    yield report(narrows, 'null-refused', 'nullable', 'it is never null any more')
  if (fresh.includes('null') && !unbound)
    yield report(widens, 'null-allowed', 'nullable', 'it may be null now')
  const [lost, won] = [gone.filter(type => type !== 'null'), fresh.filter(type => type !== 'null')]
  const what = `${typeNames(before)} became ${typeNames(after)}`
  if (lost.length > 0 && won.length > 0) yield report(differs, 'type-changed', 'type', what)
  else if (lost.length > 0) yield report(narrows, 'type-narrowed', 'type', what)
  else if (won.length > 0) yield report(widens, 'type-widened', 'type', what)
}

function typeNames(types: ReadonlySet<string>): string {
  if (types.size === 7) return 'any type'
  const names = [...types].filter(type => type !== 'null' && !(type === 'integer' && types.has('number')))
  return names.join(' or ') || 'nothing'
}

function* compareValues(step: Step): Iterable<Difference> {
  const [before, after] = [step.before.values, step.after.values]
  if (before && !after) yield difference(step, widens, 'enum-removed', ['enum'], 'any value is taken now')
  if (!before && after)
    yield difference(step, narrows, 'enum-added', ['enum'], 'only some values are taken now')
  if (!before || !after) return
  for (const value of before)
    if (!after.has(value))
      yield difference(step, narrows, 'enum-value-removed', ['enum'], `${value} is no longer a value`)
  for (const value of after)
    if (!before.has(value))
      yield difference(step, widens, 'enum-value-added', ['enum'], `${value} is a new value`)
}

/** Formats whose values are all values of another. */
const subformats: Record<string, string> = { int32: 'int64', float: 'double' }

function* compareFormats(step: Step): Iterable<Difference> {
  const [before, after] = [[...step.before.formats].sort().join(), [...step.after.formats].sort().join()]
  if (before === after) return
  const report = (effect: Effect, rule: string) =>
    difference(step, effect, rule, ['format'], `the format was ${before || 'any'} and is ${after || 'any'}`)
  if (!before) yield report(narrows, 'format-added')
  else if (!after) yield report(widens, 'format-removed')
  else if (subformats[before] === after) yield report(widens, 'format-widened')
  else if (subformats[after] === before) yield report(narrows, 'format-narrowed')
  else yield report(differs, 'format-changed')
}

function* compareBounds(step: Step): Iterable<Difference> {
  for (const bound of bounds) {
    const { keyword, side, type } = bound
    if (!has(step, type) && !(type === 'number' && has(step, 'integer'))) continue
    const [before, after] = [boundOf(step.before, bound), boundOf(step.after, bound)]
    const rise =
      after.limit === before.limit
        ? Number(after.excluded) - Number(before.excluded)
        : after.limit - before.limit
    if (rise === 0) continue
    // A limit that is excluded is stricter on both sides; a greater one is stricter only below.
    const stricter = after.limit === before.limit || side === 'lower' ? rise > 0 : rise < 0
    const kebab = keyword.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    const name = (limit: { limit: number; excluded: boolean }) =>
      Number.isFinite(limit.limit) ? `${limit.limit}${limit.excluded ? ' (exclusive)' : ''}` : 'none'
    yield difference(
      step,
      stricter ? narrows : widens,
      `${kebab}-${stricter ? 'narrowed' : 'widened'}`,
      [keyword],
      `${keyword} was ${name(before)} and is ${name(after)}`,
    )
  }
}

function* comparePatterns(step: Step): Iterable<Difference> {
  const gone = [...step.before.patterns].filter(pattern => !step.after.patterns.has(pattern))
  const fresh = [...step.after.patterns].filter(pattern => !step.before.patterns.has(pattern))
  if (gone.length > 0 && fresh.length > 0)
    yield difference(step, differs, 'pattern-changed', ['pattern'], `the pattern was ${gone} and is ${fresh}`)
  else if (fresh.length > 0)
    yield difference(step, narrows, 'pattern-added', ['pattern'], `it has to match ${fresh}`)
  else if (gone.length > 0)
    yield difference(step, widens, 'pattern-removed', ['pattern'], `it need not match ${gone}`)
}

function* compareMultiples(step: Step): Iterable<Difference> {
  const [before, after] = [step.before.multipleOf, step.after.multipleOf]
  if (before === after) return
  const what = `multipleOf was ${before ?? 'none'} and is ${after ?? 'none'}`
  if (before === undefined || (after !== undefined && after % before === 0))
    yield difference(step, narrows, 'multiple-of-narrowed', ['multipleOf'], what)
  else if (after === undefined || before % after === 0)
    yield difference(step, widens, 'multiple-of-widened', ['multipleOf'], what)
  else yield difference(step, differs, 'multiple-of-changed', ['multipleOf'], what)
}

function* compareUniqueness(step: Step): Iterable<Difference> {
  if (!step.before.uniqueItems && step.after.uniqueItems)
    yield difference(
      step,
      narrows,
      'unique-items-added',
      ['uniqueItems'],
      'an item may not come twice any more',
    )
  if (step.before.uniqueItems && !step.after.uniqueItems)
    yield difference(step, widens, 'unique-items-removed', ['uniqueItems'], 'an item may come twice now')
}

function* compareDefaults(step: Step): Iterable<Difference> {
  const [before, after] = [step.before.default, step.after.default]
  if (before === after) return
  const what = `the default was ${before ?? 'none'} and is ${after ?? 'none'}`
  yield difference(step, { request: 'warning', response: 'info' }, 'default-changed', ['default'], what)
}

function isDisjoint({ before, after }: Step): boolean {
  const common = [...before.types].filter(type => after.types.has(type) && type !== 'null')
  return common.length === 0
}

function has({ before, after }: Step, type: string): boolean {
  return before.types.has(type) && after.types.has(type)
}

/** The choice that a schema consists of, if it says nothing else. */
function choiceOf({ choices, parts }: Shape): Choice | undefined {
  const said = Object.keys(parts[0]?.node ?? {}).filter(keyword => !silent.has(keyword))
  return parts.length === 1 && said.length === 1 ? choices[0] : undefined
}

const silent = new Set(['discriminator', 'nullable', 'description', 'title', 'example', 'externalDocs'])

/** A schema as the only alternative of a choice, to be compared with one of several. */
function soleAlternative(kind: Choice['kind'], all: All): Choice {
  const at = all[0]?.at ?? []
  const name = at[0] === 'components' && at.length === 3 ? `#/${at.join('/')}` : undefined
  return { kind, at, alternatives: [all], names: [name], discriminator: undefined }
}

function within(path: string, name: string): string {
  return `${path}.${name}`
}

function place(all: All): Pick<Difference, 'at' | 'side'> {
  return { at: all[0]?.at ?? [], side: 'new' }
}

/** A difference at a keyword: in the new document where that has it, else in the base. */
function difference(
  { before, after, path }: Step,
  effect: Effect,
  rule: string,
  keyword: readonly [string, ...string[]],
  what: string,
  shown = path,
): Difference {
  const at = (parts: All) => parts.find(({ node }) => keyword[0] in node)
  const [next, base] = [at(after.parts), at(before.parts)]
  const found = next
    ? { at: [...next.at, ...keyword], side: 'new' as const }
    : after.parts.length > 0
      ? place(after.parts)
      : { at: base ? [...base.at, ...keyword] : (before.parts[0]?.at ?? []), side: 'base' as const }
  return { effect, rule, path: shown, ...found, what }
}
