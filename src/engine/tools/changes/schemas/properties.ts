import { type Impact, narrows, type Severity, widens } from '../change.ts'
import { isOver } from '../deprecations.ts'
import {
  type Difference,
  type Differences,
  demand,
  kebab,
  placeIn,
  placeOf,
  type Step,
} from './difference.ts'
import type { All } from './parts.ts'
import { schemaFor } from './shape.ts'

/** Judges what changes in an object: in each property, and in which are there, required or allowed besides. */
export function* compareProperties(step: Step): Differences {
  const { before, after, path: place } = step
  for (const [name, base] of before.properties) {
    const next = after.properties.get(name)
    const path = `${step.path}.${name}`
    if (next) yield* step.compare(base, next, path)
    else {
      const rest = schemaFor(after, name)
      if (rest === false || after.additional === rest) yield removedProperty(step, path, base)
      if (rest !== false && rest.length > 0) yield* step.compare(base, rest, path)
    }
  }
  for (const [name, next] of after.properties) {
    if (before.properties.has(name)) continue
    const path = `${step.path}.${name}`
    yield addedProperty(step, after.required.has(name), path, next)
    // The schema of other properties applied to this one before.
    const rest = schemaFor(before, name)
    if (rest !== false && rest.length > 0) yield* step.compare(rest, next, path)
  }
  for (const pattern of new Set([...before.patterned.keys(), ...after.patterned.keys()])) {
    const others = [before, after].map(({ patterned, additional }) => patterned.get(pattern) ?? additional)
    yield* compareOthers(step, 'patternProperties', others, `${place}.{${pattern}}`)
  }
  yield* compareNested(step, 'propertyNames', [before.names, after.names], `${place} name`.trim())
  yield* compareRequired(step)
  yield* compareAdditional(step)
}

/** Clients are asked to expect new properties, whatever a closed object of before says. */
function addedProperty({ context }: Step, isDue: boolean, path: string, next: All): Difference {
  return {
    effect: { request: isDue ? 'breaking' : 'info', response: 'info' },
    rule: isDue ? 'required-property-added' : 'property-added',
    path,
    ...placeOf(next),
    what: `the ${isDue ? 'required ' : ''}property is new`,
    ...(isDue && context.reader === 'request' ? { why: 'existing clients do not send it' } : {}),
  }
}

function removedProperty({ context, after }: Step, path: string, base: All): Difference {
  const [request, unread]: [Severity, string] =
    after.additional === false
      ? ['breaking', 'clients that send it are refused']
      : ['warning', 'the service no longer reads it']
  const effect: Impact = { request, response: 'breaking' }
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
  const { additional: base } = step.before
  const { additional: next } = step.after
  yield* compareOthers(step, 'additionalProperties', [base, next], `${step.path}.*`)
}

/** Judges what changes in what properties may be that are not named: false is that there are none. */
function* compareOthers(
  step: Step,
  keyword: string,
  [base = [], next = []]: readonly (All | false)[],
  path: string,
): Differences {
  if (base !== false && next !== false) return yield* compareNested(step, keyword, [base, next], path)
  const rules = [`${kebab(keyword)}-closed`, `${kebab(keyword)}-opened`] as const
  const kin = [keyword, 'unevaluatedProperties']
  const what = `other properties are ${next === false ? 'not taken any more' : 'taken now'}`
  yield* demand(step, kin, [base === false, next === false], rules, what)
}

/** Judges what changes in the schema of all parts of a kind; without one they may be anything. */
export function* compareNested(
  step: Step,
  keyword: string,
  [base, next]: readonly [All, All],
  path: string,
): Differences {
  if (base.length > 0 && next.length > 0) return yield* step.compare(base, next, path)
  const rules = [`${kebab(keyword)}-constrained`, `${kebab(keyword)}-unconstrained`] as const
  const what = next.length > 0 ? 'not everything is taken any more' : 'anything is taken now'
  yield* demand({ ...step, path }, keyword, [base.length > 0, next.length > 0], rules, what)
}
