import { differs, type Effect, narrows, widens } from '../change.ts'
import { type Differences, difference, type Step, type Walk } from './difference.ts'
import type { All, Choice, Shape } from './shape.ts'

/** Judges what changes in the alternatives of schemas, the first `oneOf` or `anyOf` with the first, and so on. */
export function* compareAlternatives(walk: Walk, step: Step): Differences {
  const [base, next] = [step.before.choices, step.after.choices]
  for (let index = 0; index < Math.max(base.length, next.length); index++) {
    const [before, after] = [base[index], next[index]]
    if (before && after) yield* compareChoice(walk, before, after, step)
    else if (after)
      yield difference(step, narrows, 'alternatives-constrained', [after.kind], `${after.kind} is new`)
    else if (before)
      yield difference(step, widens, 'alternatives-unconstrained', [before.kind], `${before.kind} is gone`)
  }
}

/** Judges what changes between two choices: which alternatives there are, each of them, and how they are told apart. */
export function* compareChoice(walk: Walk, base: Choice, next: Choice, step: Step): Differences {
  const { pairs, removed, added } = pairUp(walk, base, next)
  for (const [before, after, label] of pairs)
    yield* walk.compare(before, after, label ? `${step.path}(${label})` : step.path)
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, [next.kind], what)
  for (const index of removed)
    yield report(narrows, 'alternative-removed', `the alternative ${nameOf(base, index)} is gone`)
  for (const index of added)
    yield report(widens, 'alternative-added', `the alternative ${nameOf(next, index)} is new`)
  if (base.kind !== next.kind && base.alternatives.length > 1 && next.alternatives.length > 1) {
    const effect = next.kind === 'anyOf' ? widens : narrows
    yield report(effect, 'alternatives-kind-changed', `${base.kind} became ${next.kind}`)
  }
  yield* compareDiscriminators(base, next, step)
}

function* compareDiscriminators(base: Choice, next: Choice, step: Step): Differences {
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
  const report = (effect: Effect, rule: string, what: string) =>
    difference(step, effect, rule, ['discriminator', 'mapping'], what)
  for (const value of Object.keys(was))
    if (after !== undefined && !(value in is))
      yield report(
        narrows,
        'discriminator-value-removed',
        `${value} is no longer a value of the discriminator`,
      )
  for (const value of Object.keys(is))
    if (before !== undefined && !(value in was))
      yield report(widens, 'discriminator-value-added', `${value} is a new value of the discriminator`)
}

/** Which alternatives are the same, by reference, then by meaning, then, written in place, by their order. */
function pairUp(walk: Walk, base: Choice, next: Choice) {
  const removed = new Set(base.alternatives.keys())
  const added = new Set(next.alternatives.keys())
  const pairs: [before: All, after: All, label: string][] = []
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
  match((before, after) => walk.isSame(base.alternatives[before] ?? [], next.alternatives[after] ?? []))
  match((before, after) => base.names[before] === undefined && next.names[after] === undefined)
  return { pairs, removed, added }
}

function nameOf({ names, alternatives }: Choice, index: number): string {
  return names[index]?.split('/').at(-1) ?? alternatives[index]?.[0]?.node.type ?? 'one'
}

/** The keywords that say nothing about values beside a choice. */
const silent = new Set(['discriminator', 'nullable', 'description', 'title', 'example', 'externalDocs'])

/** The choice that a schema consists of, if it says nothing else. */
export function choiceOf({ choices, parts }: Shape): Choice | undefined {
  const said = Object.keys(parts[0]?.node ?? {}).filter(keyword => !silent.has(keyword))
  return parts.length === 1 && said.length === 1 ? choices[0] : undefined
}

/** A schema as the only alternative of a choice, to be compared with one of several. */
export function soleAlternative(kind: Choice['kind'], all: All): Choice {
  const at = all[0]?.at ?? []
  const name = at[0] === 'components' && at.length === 3 ? `#/${at.join('/')}` : undefined
  return { kind, at, alternatives: [all], names: [name], discriminator: undefined }
}
