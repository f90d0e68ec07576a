import { narrows, type Severity, widens } from '../change.ts'
import { isOver } from '../lifecycle.ts'
import { type Differences, difference, placeOf, type Step, type Walk, within } from './difference.ts'
import { compareNested } from './nested.ts'
import type { All } from './shape.ts'

/** Judges what changes in the properties of an object: in each, in which there are, are required or may be besides. */
export function* compareProperties(walk: Walk, step: Step): Differences {
  const { before, after, path } = step
  for (const [name, base] of before.properties) {
    const next = after.properties.get(name)
    if (next) yield* walk.compare(base, next, within(path, name))
    else yield* removedProperty(walk, step, name, base)
  }
  for (const [name, next] of after.properties) {
    if (before.properties.has(name)) continue
    const due = after.required.has(name)
    yield {
      // Clients are told to expect new properties, whatever a closed object of before says.
      effect: { request: due ? 'breaking' : 'info', response: 'info' },
      rule: due ? 'required-property-added' : 'property-added',
      path: within(path, name),
      ...placeOf(next),
      what: due ? 'the required property is new' : 'the property is new',
      ...(due && walk.context.reader === 'request' ? { why: 'clients of before do not send it' } : {}),
    }
    // What other properties had to be, this one was too.
    if (before.additional !== false && before.additional.length > 0)
      yield* walk.compare(before.additional, next, within(path, name))
  }
  yield* compareRequired(step)
  yield* compareAdditional(walk, step)
}

function* removedProperty(walk: Walk, { after, path }: Step, name: string, base: All): Differences {
  const { reader, day } = walk.context
  const [request, why]: [Severity, string] =
    after.additional === false
      ? ['breaking', 'clients that send it are refused']
      : ['warning', 'what clients send is not read any more']
  const over = base.some(({ node }) => isOver(node, day))
  yield {
    effect: over ? { request: 'info', response: 'info' } : { request, response: 'breaking' },
    rule: 'property-removed',
    path: within(path, name),
    ...(after.parts.length > 0 ? placeOf(after.parts) : { ...placeOf(base), side: 'base' }),
    what: 'the property is gone',
    why: over ? 'its sunset has passed' : reader === 'request' ? why : 'clients that read it find nothing',
  }
  if (after.additional !== false && after.additional.length > 0)
    yield* walk.compare(base, after.additional, within(path, name))
}

function* compareRequired({ before, after, path }: Step): Differences {
  const names = new Set([...after.required, ...before.required])
  for (const name of names) {
    const [was, is] = [before.required.has(name), after.required.has(name)]
    // A property that came or went has been judged as such.
    if (was === is || before.properties.has(name) !== after.properties.has(name)) continue
    yield {
      effect: is ? narrows : widens,
      rule: is ? 'property-became-required' : 'property-became-optional',
      path: within(path, name),
      ...placeOf(after.properties.get(name) ?? after.parts),
      what: `the property became ${is ? 'required' : 'optional'}`,
    }
  }
}

function* compareAdditional(walk: Walk, step: Step): Differences {
  const [before, after] = [step.before.additional, step.after.additional]
  const keyword = 'additionalProperties'
  if (before !== false && after !== false)
    yield* compareNested(walk, step, keyword, [before, after], within(step.path, '*'))
  else if (after !== false)
    yield difference(
      step,
      widens,
      'additional-properties-opened',
      [keyword],
      'other properties are taken now',
    )
  else if (before !== false)
    yield difference(
      step,
      narrows,
      'additional-properties-closed',
      [keyword],
      'other properties are not taken any more',
    )
}
