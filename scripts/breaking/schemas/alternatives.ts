import { differs, type Effect, narrows, widens } from '../change.ts'
import { colourOf } from './colour.ts'
import { type Differences, difference, placeOf, type Step, type Walk } from './difference.ts'
import type { Discriminator } from './inheritance.ts'
import { type All, type Choice, type Shape, shapeOf, takeApart, withoutChoice } from './shape.ts'

/** Judges what changes in the choices of schemas: those that differ one by one, in their order. */
export function* compareAlternatives(walk: Walk, step: Step): Differences {
  const signs = (choices: readonly Choice[]) => choices.map(signOf)
  const [was, is] = [signs(step.before.choices), signs(step.after.choices)]
  const base = step.before.choices.filter(choice => !is.includes(signOf(choice)))
  const next = step.after.choices.filter(choice => !was.includes(signOf(choice)))
  for (let index = 0; index < Math.max(base.length, next.length); index++) {
    const [before, after] = [base[index], next[index]]
    if (before && after) yield* compareChoice(walk, before, after, step)
    else if (after)
      yield difference(step, narrows, 'alternatives-constrained', [after.kind], `${after.kind} is new`)
    else if (before)
      yield difference(step, widens, 'alternatives-unconstrained', [before.kind], `${before.kind} is gone`)
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
  for (const index of removed)
    yield {
      ...difference(step, narrows, 'alternative-removed', [base.kind], `${labelOf(base, index)} is gone`),
      ...placeOf(base.alternatives[index] ?? []),
      side: 'base',
    }
  for (const index of added)
    yield {
      ...difference(step, widens, 'alternative-added', [next.kind], `${labelOf(next, index)} is new`),
      ...placeOf(next.alternatives[index] ?? []),
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
  if (!before && !after) return
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, ['discriminator'], what)
  if (!before) yield report(narrows, 'discriminator-added', `${after?.property} has to tell which it is now`)
  else if (!after)
    yield report(widens, 'discriminator-removed', `${before.property} need not tell which it is`)
  else if (before.property !== after.property)
    yield report(
      differs,
      'discriminator-changed',
      `${before.property} told which it is, now ${after.property} does`,
    )
  if (!before || !after) return
  const [was, is] = [targetsOf(before), targetsOf(after)]
  const indexIn = ({ alternatives }: Choice, all: All) =>
    alternatives.findIndex(one => one.some(({ node }) => node === all[0]?.node))
  for (const [value, old] of was) {
    const now = is.get(value)
    const [from, to] = [indexIn(base, old), indexIn(next, now ?? [])]
    const isPaired = pairs.some(pair => pair[0] === from)
    if (!now && isPaired)
      yield report(narrows, 'discriminator-value-removed', `${value} no longer tells which it is`)
    else if (
      now &&
      colourOf(old) !== colourOf(now) &&
      !pairs.some(pair => pair[0] === from && pair[1] === to)
    )
      yield report(differs, 'discriminator-target-changed', `${value} stands for another schema`)
  }
  for (const [value, now] of is)
    if (!was.has(value) && pairs.some(pair => pair[1] === indexIn(next, now)))
      yield report(widens, 'discriminator-value-added', `${value} tells which it is, too`)
}

function targetsOf({ targets }: Discriminator): Map<string, All> {
  return new Map(targets.flatMap(({ values, target }) => values.map(value => [value, [target]] as const)))
}

/**
 * Judges what changes in the schemas that take this one into themselves, where a discriminator tells which of them a
 * value is. Values are not tried by it, so that its differences stand for themselves.
 */
export function* compareHeirs(walk: Walk, step: Step): Differences {
  const { path } = step
  const [before, after] = [step.before.heirs, step.after.heirs]
  if (!after) return
  const report = (effect: Effect, rule: string, what: string) => ({
    ...difference(step, { ...effect }, rule, ['discriminator'], what),
  })
  if (!before) {
    if (!step.before.required.has(after.property))
      yield report(narrows, 'discriminator-added', `${after.property} has to tell which it is now`)
    return
  }
  if (before.property !== after.property)
    yield report(
      differs,
      'discriminator-changed',
      `${before.property} told which it is, now ${after.property} does`,
    )
  const [was, is] = [targetsOf(before), targetsOf(after)]
  for (const [value, old] of was) {
    const now = is.get(value)
    if (!now) yield report(narrows, 'discriminator-value-removed', `${value} no longer tells which it is`)
    else
      for (const found of walk.compare(old, now, `${path}(${value})`))
        yield { ...found, effect: { ...found.effect } }
  }
  for (const value of is.keys())
    if (!was.has(value)) yield report(widens, 'discriminator-value-added', `${value} tells which it is, too`)
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
  const shapes = ({ alternatives }: Choice, indexes: Iterable<number>) =>
    [...indexes].map(index => [index, shapeOf(alternatives[index] ?? [], walk.context.reader)] as const)
  // Of very many, those that stand at the same place.
  if (removed.size * added.size > likenessLimit) {
    for (const before of removed) if (added.has(before)) pair(before, before)
    return { pairs: pairs.sort(([a], [b]) => a - b), removed, added }
  }
  const [left, fresh] = [shapes(base, removed), shapes(next, added)]
  const likely = left.flatMap(([before, was]) =>
    fresh.map(([after, is]) => ({ before, after, score: likeness(was, is) })),
  )
  for (const { before, after, score } of likely.sort((a, b) => b.score - a.score))
    if (score > 0 && removed.has(before) && added.has(after)) pair(before, after)
  return { pairs: pairs.sort(([a], [b]) => a - b), removed, added }
}

/** How often alternatives are held against each other. */
const likenessLimit = 10_000

/** How much schemas have in common, from 0 to 1. */
function likeness(one: Shape, other: Shape): number {
  if (![...one.types].some(type => other.types.has(type))) return 0
  const [names, others] = [one, other].map(({ properties }) => [...properties.keys()])
  const all = new Set([...(names ?? []), ...(others ?? [])])
  if (all.size === 0) return 0.5
  return (names ?? []).filter(name => others?.includes(name)).length / all.size
}
