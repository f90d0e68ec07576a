import { differs, type Effect, narrows, widens } from '../change.ts'
import { colourOf } from './colour.ts'
import { type Differences, demand, difference, placeOf, type Step, type Walk } from './difference.ts'
import type { Discriminator } from './inheritance.ts'
import { type All, type Choice, type Shape, shapeOf, takeApart, withoutChoice } from './shape.ts'

/** Judges what changes in the choices of schemas: those that differ one by one, in their order. */
export function* compareAlternatives(walk: Walk, step: Step): Differences {
  const [before, after] = [step.before.choices, step.after.choices]
  const without = (choices: readonly Choice[], others: readonly Choice[]) => {
    const known = new Set(others.map(signOf))
    return choices.filter(choice => !known.has(signOf(choice)))
  }
  const [base, next] = [without(before, after), without(after, before)]
  for (let index = 0; index < Math.max(base.length, next.length); index++) {
    const [was, is] = [base[index], next[index]]
    const kind = (is ?? was)?.kind ?? 'anyOf'
    if (was && is) yield* compareChoice(walk, was, is, step)
    else
      yield* demand(
        step,
        kind,
        [was !== undefined, is !== undefined],
        ['alternatives-constrained', `${kind} is new`],
        ['alternatives-unconstrained', `${kind} is gone`],
      )
  }
}

function signOf({ kind, alternatives, discriminator }: Choice): string {
  const values = discriminator?.targets.map(({ name, values }) => [name, values])
  return JSON.stringify([kind, discriminator?.property, values, alternatives.map(colourOf).sort()])
}

/**
 * A schema with a choice, and one without: the latter may be what all alternatives were taken from, or one of them.
 * @returns nothing when it is the former
 */
export function soleChoices(base: All, next: All, { before, after }: Step): [Choice, Choice] | undefined {
  const [choice, ...more] = [...before.choices, ...after.choices]
  if (!choice || more.length > 0 || base.length === 0 || next.length === 0) return undefined
  const [own, other] = before.choices.length > 0 ? [base, next] : [next, base]
  const around = takeApart(own).map(part => withoutChoice(part, choice))
  if (colourOf(around) === colourOf(takeApart(other).map(part => withoutChoice(part, choice))))
    return undefined
  const spread = { ...choice, alternatives: choice.alternatives.map(one => [...around, ...one]) }
  const sole = soleAlternative(choice, other)
  return before.choices.length > 0 ? [spread, sole] : [sole, spread]
}

function soleAlternative({ kind, discriminator }: Choice, all: All): Choice {
  const at = all[0]?.at ?? []
  const name = at[0] === 'components' && at.length === 3 ? `#/${at.join('/')}` : undefined
  return { kind, at, alternatives: [all], names: [name], discriminator }
}

/** Judges what changes between two choices: which alternatives there are, each of them, and how they are told apart. */
export function* compareChoice(walk: Walk, base: Choice, next: Choice, step: Step): Differences {
  const { pairs, removed, added } = pairUp(walk, base, next)
  for (const [before, after] of pairs) {
    const isAlone = base.alternatives.length === 1 && next.alternatives.length === 1
    const path = isAlone ? step.path : `${step.path}(${labelOf(next, after)})`
    yield* walk.compare(base.alternatives[before] ?? [], next.alternatives[after] ?? [], path)
  }
  const place = ({ alternatives }: Choice, index: number) => placeOf(alternatives[index] ?? [])
  for (const index of removed) {
    const what = `${labelOf(base, index)} is gone`
    yield {
      ...difference(step, narrows, 'alternative-removed', base.kind, what),
      ...place(base, index),
      side: 'base',
    }
  }
  for (const index of added) {
    const what = `${labelOf(next, index)} is new`
    yield { ...difference(step, widens, 'alternative-added', next.kind, what), ...place(next, index) }
  }
  if (base.kind !== next.kind && base.alternatives.length > 1 && next.alternatives.length > 1) {
    const effect = next.kind === 'anyOf' ? widens : narrows
    yield difference(step, effect, 'alternatives-kind-changed', next.kind, `${base.kind} became ${next.kind}`)
  }
  yield* compareDiscriminators(base, next, pairs, step)
}

/** Index, as a pointer has it, and name of an alternative. */
function labelOf({ kind, names, alternatives }: Choice, index: number): string {
  const name = names[index]?.split('/').at(-1) ?? alternatives[index]?.[0]?.node.type
  return `${kind}/${index}${name ? ` ${name}` : ''}`
}

type Pairs = readonly (readonly [before: number, after: number])[]

function* compareDiscriminators(base: Choice, next: Choice, pairs: Pairs, step: Step): Differences {
  const [before, after] = [base.discriminator, next.discriminator]
  yield* compareSigns(before, after, step)
  if (!before || !after) return
  const indexIn = ({ alternatives }: Choice, all: All) =>
    alternatives.findIndex(one => one.some(({ node }) => node === all[0]?.node))
  const isPaired = (all: All, side: 0 | 1) =>
    pairs.some(pair => pair[side] === indexIn(side === 0 ? base : next, all))
  yield* compareTargets(before, after, step, isPaired, function* (value, old, now) {
    const [from, to] = [indexIn(base, old), indexIn(next, now)]
    if (colourOf(old) !== colourOf(now) && !pairs.some(pair => pair[0] === from && pair[1] === to))
      yield told(step, differs, 'discriminator-target-changed', `${value} stands for another schema`)
  })
}

/**
 * Judges what changes in the schemas that take this one into themselves, where a discriminator tells which of them a
 * value is. Values are not tried by it, so that its differences stand for themselves.
 */
export function* compareHeirs(walk: Walk, step: Step): Differences {
  for (const found of differencesOfHeirs(walk, step)) yield { ...found, effect: { ...found.effect } }
}

function* differencesOfHeirs(walk: Walk, step: Step): Differences {
  const [before, after] = [step.before.heirs, step.after.heirs]
  if (!after || (!before && step.before.required.has(after.property))) return
  yield* compareSigns(before, after, step)
  if (!before) return
  yield* compareTargets(
    before,
    after,
    step,
    () => true,
    (value, old, now) => walk.compare(old, now, `${step.path}(${value})`),
  )
}

const told = (step: Step, effect: Effect, rule: string, what: string) =>
  difference(step, effect, rule, 'discriminator', what)

/** Judges what changes in the property that tells which schema a value is of. */
function* compareSigns(
  before: Discriminator | undefined,
  after: Discriminator | undefined,
  step: Step,
): Differences {
  const [was, is] = [before?.property, after?.property]
  if (was !== undefined && is !== undefined && was !== is)
    yield told(step, differs, 'discriminator-changed', `${was} told which it is, now ${is} does`)
  else
    yield* demand(
      step,
      'discriminator',
      [was !== undefined, is !== undefined],
      ['discriminator-added', `${is} has to tell which it is now`],
      ['discriminator-removed', `${was} need not tell which it is`],
    )
}

/** Judges which values tell a schema, of those schemas that are in both, and what each value stands for. */
function* compareTargets(
  before: Discriminator,
  after: Discriminator,
  step: Step,
  isInBoth: (all: All, side: 0 | 1) => boolean,
  both: (value: string, old: All, now: All) => Differences,
): Differences {
  const [was, is] = [targetsOf(before), targetsOf(after)]
  for (const [value, old] of was) {
    const now = is.get(value)
    if (now) yield* both(value, old, now)
    else if (isInBoth(old, 0))
      yield told(step, narrows, 'discriminator-value-removed', `${value} no longer tells which it is`)
  }
  for (const [value, now] of is)
    if (!was.has(value) && isInBoth(now, 1))
      yield told(step, widens, 'discriminator-value-added', `${value} tells which it is, too`)
}

function targetsOf({ targets }: Discriminator): Map<string, All> {
  return new Map(targets.flatMap(({ values, target }) => values.map(value => [value, [target]] as const)))
}

/** Which alternatives are the same: by name, by what they say, and then those that have most in common. */
function pairUp(walk: Walk, base: Choice, next: Choice) {
  const removed = new Set(base.alternatives.keys())
  const added = new Set(next.alternatives.keys())
  const pairs: [before: number, after: number][] = []
  const pair = (before: number, after: number) => {
    removed.delete(before)
    added.delete(after)
    pairs.push([before, after])
  }
  const match = (keyOf: (choice: Choice, index: number) => string | undefined) => {
    const keys = new Map<string | undefined, number[]>()
    for (const after of added) keys.set(keyOf(next, after), [...(keys.get(keyOf(next, after)) ?? []), after])
    for (const before of removed) {
      const key = keyOf(base, before)
      const after = key === undefined ? undefined : keys.get(key)?.shift()
      if (after !== undefined) pair(before, after)
    }
  }
  match(({ names }, index) => names[index])
  match(({ alternatives }, index) => colourOf(alternatives[index] ?? []))
  for (const [before, after] of likelyPairs(walk, base, next, removed, added))
    if (removed.has(before) && added.has(after)) pair(before, after)
  return { pairs: pairs.sort(([a], [b]) => a - b), removed, added }
}

/** Alternatives that have something in common, those with most of it first; of very many, those at the same place. */
function likelyPairs(
  { context }: Walk,
  base: Choice,
  next: Choice,
  removed: ReadonlySet<number>,
  added: ReadonlySet<number>,
): (readonly [before: number, after: number])[] {
  if (removed.size * added.size > likenessLimit) return [...removed].map(index => [index, index])
  const shapes = ({ alternatives }: Choice, indexes: Iterable<number>) =>
    [...indexes].map(index => [index, shapeOf(alternatives[index] ?? [], context.reader)] as const)
  const fresh = shapes(next, added)
  return shapes(base, removed)
    .flatMap(([before, was]) => fresh.map(([after, is]) => ({ before, after, score: likeness(was, is) })))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ before, after }) => [before, after])
}

/** How often alternatives are held against each other. */
const likenessLimit = 10_000

/** How much schemas have in common, from 0 to 1. */
function likeness(one: Shape, other: Shape): number {
  if (![...one.types].some(type => other.types.has(type))) return 0
  const names = new Set([...one.properties.keys(), ...other.properties.keys()])
  if (names.size === 0) return 0.5
  return [...names].filter(name => one.properties.has(name) && other.properties.has(name)).length / names.size
}
