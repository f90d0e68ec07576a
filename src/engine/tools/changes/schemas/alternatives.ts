import { differs, type Impact, narrows, widens } from '../change.ts'
import { type Alternative, alternativeOf, type Choice, withoutChoice } from './choices.ts'
import { type Difference, type Differences, demand, difference, placeOf, type Step } from './difference.ts'
import { classOf } from './equivalence.ts'
import type { Discriminator } from './inheritance.ts'
import { type All, takeApart } from './parts.ts'
import { type JointShape, jointShapeOf } from './shape.ts'

/** Judges the changes of a schema's choices, one choice after the other. */
export function* compareAlternatives(step: Step): Differences {
  const without = (choices: readonly Choice[], others: readonly Choice[]) => {
    const signs = new Set(others.map(signOf))
    return choices.filter(choice => !signs.has(signOf(choice)))
  }
  const keyOf = (choice: Choice) => (isUnion(choice) ? '' : choice.way.join('/'))
  const [before, after] = [step.before.choices, step.after.choices]
  const [base, next] = [
    Map.groupBy(without(before, after), keyOf),
    Map.groupBy(without(after, before), keyOf),
  ]
  for (const key of new Set([...base.keys(), ...next.keys()])) {
    const [olds, news] = [base.get(key) ?? [], next.get(key) ?? []]
    for (let index = 0; index < Math.max(olds.length, news.length); index++)
      yield* compareOne(olds[index], news[index], step)
  }
}

const isUnion = ({ kind }: Choice) => kind === 'oneOf' || kind === 'anyOf'

function* compareOne(was: Choice | undefined, is: Choice | undefined, step: Step): Differences {
  if (was && is) return yield* compareChoice(was, is, step)
  const { kind, way } = is ?? was ?? { kind: '', way: [] }
  const rules = ['alternatives-constrained', 'alternatives-unconstrained'] as const
  const what = `${way.join('/')} is ${is ? 'new' : 'gone'}`
  yield* demand(step, kind, [was !== undefined, is !== undefined], rules, what)
}

/** The same text for choices that offer the same. */
export function signOf({ kind, alternatives, discriminator }: Choice): string {
  const values = discriminator?.targets.map(({ name, values: meant, isDefault }) => [name, meant, isDefault])
  const classes = alternatives.map(({ all }) => classOf(all)).sort()
  return JSON.stringify([kind, discriminator?.property, discriminator?.usual, values, classes])
}

/**
 * Returns the choices of a schema with alternatives and of one without, which counts as a single alternative.
 * @returns nothing when all alternatives were taken from the latter
 */
export function soleChoices({ base, next, before, after }: Step): [Choice, Choice] | undefined {
  const [choice, ...more] = [...before.choices, ...after.choices]
  if (!choice || !isUnion(choice) || more.length > 0 || base.length === 0 || next.length === 0)
    return undefined
  const [choosing, other] = before.choices.length > 0 ? [base, next] : [next, base]
  const [around, rest] = [choosing, other].map(all => takeApart(all).map(part => withoutChoice(part, choice)))
  if (classOf(around ?? []) === classOf(rest ?? [])) return undefined
  const alternatives = choice.alternatives.map(alternative => ({
    ...alternative,
    all: [...(around ?? []), ...alternative.all],
  }))
  const place = other[0]?.place ?? []
  const name = place[0] === 'components' && place.length === 3 ? `#/${place.join('/')}` : undefined
  const sole = { ...choice, alternatives: [alternativeOf(choice.kind, 0, other, name)] }
  return before.choices.length > 0 ? [{ ...choice, alternatives }, sole] : [sole, { ...choice, alternatives }]
}

/** Whether a property came or went only here, and is named beside the choice. */
function isBeside({ rule, path }: Difference, start: string, { before, after }: Step): boolean {
  const name = path.slice(start.length + 1)
  const isSaid = before.properties.has(name) && after.properties.has(name)
  return isSaid && (rule === 'property-removed' || rule === 'property-added')
}

/** Judges the changes of a choice: its set of alternatives, each alternative, and its discriminator. */
export function* compareChoice(base: Choice, next: Choice, step: Step): Differences {
  const { pairs, removed, added } = pairUp(base, next, step)
  const isAlone = base.alternatives.length === 1 && next.alternatives.length === 1
  for (const [before, after] of pairs) {
    const path = isAlone ? step.path : `${step.path}(${after.label})`
    for (const found of step.compare(before.all, after.all, path))
      if (!isBeside(found, path, step)) yield found
  }
  for (const { label, all } of removed) {
    const gone = difference(step, narrows, 'alternative-removed', base.kind, `${label} is gone`)
    yield { ...gone, ...placeOf(all), side: 'base' }
  }
  for (const { label, all } of added)
    yield { ...difference(step, widens, 'alternative-added', next.kind, `${label} is new`), ...placeOf(all) }
  if (
    isUnion(base) &&
    base.kind !== next.kind &&
    base.alternatives.length > 1 &&
    next.alternatives.length > 1
  ) {
    const effect = next.kind === 'anyOf' ? widens : narrows
    yield difference(step, effect, 'alternatives-kind-changed', next.kind, `${base.kind} became ${next.kind}`)
  }
  yield* compareDiscriminators(base.discriminator, next.discriminator, pairs, step)
}

type Pairs = readonly (readonly [before: Alternative, after: Alternative])[]

function* compareDiscriminators(before: Sign, after: Sign, pairs: Pairs, step: Step): Differences {
  yield* compareSigns(before, after, step)
  if (!before || !after) return
  const isOf = ({ all }: Alternative, [target]: All) => all.some(({ node }) => node === target?.node)
  const isPaired = (target: All, side: 0 | 1) => pairs.some(pair => isOf(pair[side], target))
  yield* compareTargets(before, after, step, isPaired, function* (value, old, now) {
    if (classOf(old) !== classOf(now) && !pairs.some(pair => isOf(pair[0], old) && isOf(pair[1], now)))
      yield discriminatorDifference(
        step,
        differs,
        'discriminator-target-changed',
        `${value} stands for another schema`,
      )
  })
  const [was = 'none', is = 'none'] = [before, after].map(item => item.targets.find(to => to.isDefault)?.name)
  if (was !== is) {
    const what = `a value that names no schema was checked against ${was} and is against ${is}`
    yield discriminatorDifference(step, differs, 'discriminator-target-changed', what)
  }
}

/**
 * Judges the changes of the schemas that include this one, where a discriminator names the schema of a value. No values
 * are tried for them, so each difference counts by itself.
 */
export function* compareHeirs(step: Step): Differences {
  for (const found of differencesOfHeirs(step))
    yield { ...found, effect: { ...found.effect, isOfValues: false } }
}

function* differencesOfHeirs(step: Step): Differences {
  const [before, after] = [step.before.heirs, step.after.heirs]
  if (!after || (!before && step.before.required.has(after.property))) return
  yield* compareSigns(before, after, step)
  const both = (value: string, old: All, now: All) => step.compare(old, now, `${step.path}(${value})`)
  if (before) yield* compareTargets(before, after, step, () => true, both)
}

const discriminatorDifference = (step: Step, effect: Impact, rule: string, what: string) =>
  difference(step, effect, rule, 'discriminator', what)

/** Judges the changes of a discriminator: its property, its mapping, and its default. */
function* compareSigns(before: Sign, after: Sign, step: Step): Differences {
  const [was, is] = [before?.property, after?.property]
  const [usual, now] = [before?.usual, after?.usual]
  if (was && is && was !== is)
    yield discriminatorDifference(
      step,
      differs,
      'discriminator-changed',
      `${was} named the alternative, now ${is} does`,
    )
  else if (was && is && usual !== now)
    yield discriminatorDifference(
      step,
      differs,
      'discriminator-default-changed',
      `by default it was ${usual ?? 'none'} and is ${now ?? 'none'}`,
    )
  else {
    const what = is ? `${is} has to tell which it is now` : `${was} need not tell which it is`
    const rules = ['discriminator-added', 'discriminator-removed'] as const
    yield* demand(step, 'discriminator', [was !== undefined, is !== undefined], rules, what)
  }
}

type Sign = Discriminator | undefined

/** Judges which values name a schema, of those schemas that are in both, and what each value stands for. */
function* compareTargets(
  before: Discriminator,
  after: Discriminator,
  step: Step,
  isInBoth: (target: All, side: 0 | 1) => boolean,
  both: (value: string, old: All, now: All) => Differences,
): Differences {
  const [was, is] = [targetsOf(before), targetsOf(after)]
  for (const [value, old] of was) {
    const now = is.get(value)
    if (now) yield* both(value, old, now)
    else if (isInBoth(old, 0))
      yield discriminatorDifference(
        step,
        narrows,
        'discriminator-value-removed',
        `${value} no longer tells which it is`,
      )
  }
  for (const [value, now] of is)
    if (!was.has(value) && isInBoth(now, 1))
      yield discriminatorDifference(
        step,
        widens,
        'discriminator-value-added',
        `${value} tells which it is, too`,
      )
}

function targetsOf({ targets }: Discriminator): Map<string, All> {
  return new Map(targets.flatMap(({ values, target }) => values.map(value => [value, [target]] as const)))
}

/** Which alternatives are the same: by name, by what they say, and then those that have most in common. */
function pairUp(base: Choice, next: Choice, { context }: Step) {
  const [removed, added] = [new Set(base.alternatives), new Set(next.alternatives)]
  const pairs: [Alternative, Alternative][] = []
  if (!isUnion(base))
    return {
      pairs: base.alternatives.flatMap((alternative, index) => [
        [alternative, next.alternatives[index] ?? alternative] as const,
      ]),
      removed: [],
      added: [],
    }
  const match = (find: (alternative: Alternative) => Alternative | undefined) => {
    for (const before of removed) {
      const after = find(before)
      if (!after) continue
      removed.delete(before)
      added.delete(after)
      pairs.push([before, after])
    }
  }
  for (const keyOf of [({ name }: Alternative) => name, ({ all }: Alternative) => classOf(all)]) {
    const byKey = Map.groupBy(added, keyOf)
    match(alternative =>
      keyOf(alternative) === undefined ? undefined : byKey.get(keyOf(alternative))?.shift(),
    )
  }
  const shapes = new Map([...removed, ...added].map(item => [item, jointShapeOf(item.all, context.reader)]))
  match(before => {
    const likely = [...added]
      .slice(0, likenessLimit)
      .map(after => ({ after, score: likeness(shapes.get(before), shapes.get(after)) }))
      .sort((a, b) => b.score - a.score)[0]
    return likely && likely.score > 0 ? likely.after : undefined
  })
  const indexOf = ([before]: [Alternative, Alternative]) => base.alternatives.indexOf(before)
  return { pairs: pairs.sort((a, b) => indexOf(a) - indexOf(b)), removed, added }
}

/** The number of others with which an alternative is compared. */
const likenessLimit = 100

/** How much schemas have in common, from 0 to 1. */
function likeness(a: JointShape | undefined, b: JointShape | undefined): number {
  if (!a || !b || ![...a.types].some(type => b.types.has(type))) return 0
  const names = new Set([...a.properties.keys(), ...b.properties.keys()])
  if (names.size === 0) return 0.5
  return [...names].filter(name => a.properties.has(name) && b.properties.has(name)).length / names.size
}
