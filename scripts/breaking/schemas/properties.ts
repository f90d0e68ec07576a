import { type Effect, narrows, type Severity, widens } from '../change.ts'
import { isOver } from '../lifecycle.ts'
import {
  type Difference,
  type Differences,
  demand,
  kebab,
  placeIn,
  placeOf,
  type Step,
} from './difference.ts'
import type { All } from './shape.ts'

/** Judges what changes in the properties of an object: in each, in which there are, are required or may be besides. */
export function* compareProperties(step: Step): Differences {
  const { before, after } = step
  for (const [name, base] of before.properties) {
    const next = after.properties.get(name)
    const path = `${step.path}.${name}`
    if (next) yield* step.compare(base, next, path)
    else {
      yield removedProperty(step, path, base)
      if (after.additional !== false && after.additional.length > 0)
        yield* step.compare(base, after.additional, path)
    }
  }
  for (const [name, next] of after.properties) {
    if (before.properties.has(name)) continue
    const path = `${step.path}.${name}`
    yield addedProperty(step, after.required.has(name), path, next)
    // What other properties had to be, this one was too.
    if (before.additional !== false && before.additional.length > 0)
      yield* step.compare(before.additional, next, path)
  }
  yield* compareRequired(step)
  yield* compareAdditional(step)
}

/** Clients are told to expect new properties, whatever a closed object of before says. */
function addedProperty({ context }: Step, isDue: boolean, path: string, next: All): Difference {
  return {
    effect: { request: isDue ? 'breaking' : 'info', response: 'info' },
    rule: isDue ? 'required-property-added' : 'property-added',
    path,
    ...placeOf(next),
    what: `the ${isDue ? 'required ' : ''}property is new`,
    ...(isDue && context.reader === 'request' ? { why: 'clients of before do not send it' } : {}),
  }
}

function removedProperty({ context, after }: Step, path: string, base: All): Difference {
  const [request, unread]: [Severity, string] =
    after.additional === false
      ? ['breaking', 'clients that send it are refused']
      : ['warning', 'what clients send is not read any more']
  const effect: Effect = { request, response: 'breaking' }
  const why = context.reader === 'request' ? unread : 'clients that read it find nothing'
  const isPast = base.some(({ node }) => isOver(node, context.day))
  return {
    ...(isPast
      ? { effect: { request: 'info', response: 'info' }, why: 'its sunset has passed' }
      : { effect, why }),
    rule: 'property-removed',
    path,
    ...placeIn(base, after.parts),
    what: 'the property is gone',
  }
}

function* compareRequired({ before, after, path }: Step): Differences {
  for (const name of new Set([...after.required, ...before.required])) {
    const [was, is] = [before.required.has(name), after.required.has(name)]
    // A property that came or went has been judged as such.
    if (was === is || before.properties.has(name) !== after.properties.has(name)) continue
    const became = is ? 'required' : 'optional'
    yield {
      effect: is ? narrows : widens,
      rule: `property-became-${became}`,
      path: `${path}.${name}`,
      ...placeOf(after.properties.get(name) ?? after.parts),
      what: `the property became ${became}`,
    }
  }
}

function* compareAdditional(step: Step): Differences {
  const [before, after] = [step.before.additional, step.after.additional]
  const keyword = 'additionalProperties'
  if (before !== false && after !== false)
    yield* compareNested(step, keyword, [before, after], `${step.path}.*`)
  else {
    const isClosed = [before === false, after === false] as const
    yield* demand(step, keyword, isClosed, ['additional-properties-closed', 'additional-properties-opened'])
  }
}

/** Judges what changes in the schema of all items or of all other properties; without one they may be anything. */
export function* compareNested(
  step: Step,
  keyword: 'items' | 'additionalProperties',
  [base, next]: readonly [All, All],
  path: string,
): Differences {
  if (base.length > 0 && next.length > 0) return yield* step.compare(base, next, path)
  const rules = [`${kebab(keyword)}-constrained`, `${kebab(keyword)}-unconstrained`] as const
  const what = next.length > 0 ? 'not everything is taken any more' : 'anything is taken now'
  yield* demand({ ...step, path }, keyword, [base.length > 0, next.length > 0], rules, what)
}
