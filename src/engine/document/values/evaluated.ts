import { type Model, partsOf } from '../model.ts'
import { type Matcher, matcherOf } from '../pattern.ts'
import type { Reference, Schema } from '../types.ts'

/** Whether a schema accepts a value, or the member of that name in it. */
export type Takes = (schema: Schema | Reference, name?: string) => boolean

/** Returns the names or places in a value that a schema's keywords evaluate. */
export function createEvaluated(model: Model) {
  const matchers = new Map<string, Matcher>()

  function isMatch(pattern: string, name: string): boolean {
    const matcher = matchers.get(pattern) ?? matcherOf(pattern)
    matchers.set(pattern, matcher)
    return matcher.test(name)
  }

  function isAboutProperty(part: Schema, name: string): boolean {
    if (Object.hasOwn(part.properties ?? {}, name)) return true
    if (Object.keys(part.patternProperties ?? {}).some(pattern => isMatch(pattern, name))) return true
    return (part.additionalProperties ?? part.unevaluatedProperties) !== undefined
  }

  return (schema: Schema, value: object, takes: Takes): ReadonlySet<string> => {
    const found = new Set<string>()
    const visit = (node: Schema | Reference): void => {
      for (const part of partsOf(model, node)) {
        const isAbout = Array.isArray(value) ? isAboutItem : isAboutProperty
        for (const name of Object.keys(value)) if (isAbout(part, name, takes)) found.add(name)
        for (const subschema of inPlace(part, value, takes)) visit(subschema)
      }
    }
    visit(schema)
    return found
  }
}

function isAboutItem(part: Schema, place: string, takes: Takes): boolean {
  if (Number(place) < (part.prefixItems ?? []).length) return true
  if (part.contains && takes(part.contains, place)) return true
  return (part.items ?? part.unevaluatedItems) !== undefined
}

/** The subschemas that apply to the same value, and accept it. */
function inPlace(schema: Schema, value: object, takes: Takes): readonly (Schema | Reference)[] {
  const { anyOf = [], oneOf = [], if: condition, then, else: otherwise, dependentSchemas = {} } = schema
  const branches = condition && takes(condition) ? [condition, then ?? []] : [(condition && otherwise) ?? []]
  const due = Object.entries(dependentSchemas).filter(([name]) => Object.hasOwn(value, name))
  return [
    ...[...anyOf, ...oneOf].filter(alternative => takes(alternative)),
    ...branches.flat(),
    ...due.map(([, dependent]) => dependent),
  ]
}
