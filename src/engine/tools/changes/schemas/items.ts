import type { Schema } from 'spec-served-document/types'
import { differs, opposite } from '../change.ts'
import type { Located } from '../located.ts'
import { type Differences, demand, type Step, shift } from './difference.ts'
import { classOf } from './equivalence.ts'
import { type All, schemaIn } from './parts.ts'
import { compareNested } from './properties.ts'
import type { JointShape } from './shape.ts'

/** Judges what changes in a list: its first items, all other items, and those that `contains` asks for. */
export function* compareItems(step: Step): Differences {
  const { before, after, path } = step
  for (let index = 0; index < Math.max(before.first.length, after.first.length); index++) {
    const [base, next] = [before.first[index] ?? before.items, after.first[index] ?? after.items]
    yield* compareNested(step, 'prefixItems', [base, next], `${path}[${index}]`)
  }
  yield* compareNested(step, 'items', [before.items, after.items], `${path}[]`)
  yield* compareContains(step)
}

/** Judges what changes in what some of the items must be, and how many of them. */
function* compareContains(step: Step): Differences {
  const without = (some: JointShape['contains'], others: JointShape['contains']) => {
    const signs = new Set(others.map(signOf))
    return some.filter(candidate => !signs.has(signOf(candidate)))
  }
  const [before, after] = [step.before.contains, step.after.contains]
  const [[was, ...less], [is, ...more]] = [without(before, after), without(after, before)]
  if (!was || !is) {
    const what = is ? 'some items must fit what it says now' : 'no items had to fit it'
    const rules = ['contains-added', 'contains-removed'] as const
    return yield* demand(step, 'contains', [was !== undefined, is !== undefined], rules, what)
  }
  const [had, has] = [countsOf(was), countsOf(is)]
  const isBounded = Number.isFinite(Math.max(had.most, has.most)) || less.length + more.length > 0
  const isOpposite = isBounded && had.least + has.least === 0
  for (const found of step.compare(itemIn(was), itemIn(is), `${step.path}[some]`)) {
    const effect = isOpposite ? opposite(found.effect) : isBounded ? differs : found.effect
    yield { ...found, effect }
  }
  const changeOf = (word: string, count: number, now: number) => `${word} was ${count} and is ${now}`
  const least = { fewer: has.least > had.least, more: has.least < had.least }
  yield* shift(step, 'minContains', least, changeOf('minContains', had.least, has.least), ['contains'])
  const most = { fewer: has.most < had.most, more: has.most > had.most }
  yield* shift(step, 'maxContains', most, changeOf('maxContains', had.most, has.most), ['contains'])
}

function itemIn(part: Located<Schema>): All {
  return [schemaIn(part, 'contains') ?? []].flat()
}

function countsOf({ node: { minContains = 1, maxContains = Infinity } }: Located<Schema>) {
  return { least: Number(minContains), most: Number(maxContains) }
}

function signOf(part: Located<Schema>): string {
  const { least, most } = countsOf(part)
  return `${classOf(itemIn(part))} ${least} ${most}`
}
