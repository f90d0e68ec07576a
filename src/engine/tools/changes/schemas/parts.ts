import { followAt, partsAt } from 'spec-served-document/reading/nodes'
import type { Reference, Schema } from 'spec-served-document/types'
import { canonical, child, elements, type Located } from '../located.ts'
import { isNothing } from './terms.ts'

/** Schemas that must all hold; none means that anything goes. */
export type All = readonly Located<Schema>[]

/** `number` here is the numbers that are no integers. */
export const everyType = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** A schema under a keyword; `true` and `false` are none. */
export function schemaIn(part: Located<Schema>, keyword: string): Located<Schema> | undefined {
  return child(part, keyword) as Located<Schema> | undefined // by the grammar
}

/** Schemas by their names, under a keyword. */
export function mapIn(part: Located<Schema>, keyword: string): Located<Record<string, Schema>> | undefined {
  return child(part, keyword) as Located<Record<string, Schema>> | undefined // by the grammar
}

/** References followed, and `allOf` taken apart: each part says what its own keywords do. */
export function takeApart(all: All): All {
  const [first] = all
  return first ? partsAt(first.from.document, all).map(part => ({ ...part, from: first.from })) : []
}

/** The same, with what a union leaves but one of, besides null. */
export function partsIn(all: All): All {
  const parts = new Map<Schema, Located<Schema>>()
  const visit = (part: Located<Schema>) => {
    if (parts.has(part.node)) return
    parts.set(part.node, part)
    const only = onlyAlternative(part)
    if (only) takeApart([only]).forEach(visit)
  }
  takeApart(all).forEach(visit)
  return [...parts.values()]
}

/** Returns the place of a union's only alternative besides null. */
export function onlyIn({
  oneOf,
  anyOf,
  discriminator,
}: Schema): readonly ['oneOf' | 'anyOf', number] | undefined {
  const [first, second, ...more] = oneOf ?? anyOf ?? []
  if (
    !first ||
    !second ||
    more.length > 0 ||
    discriminator ||
    (oneOf && anyOf) ||
    isNull(first) === isNull(second)
  )
    return undefined
  return [oneOf ? 'oneOf' : 'anyOf', isNull(first) ? 1 : 0]
}

function onlyAlternative(part: Located<Schema>): Located<Schema> | undefined {
  const [keyword, index] = onlyIn(part.node) ?? []
  return keyword && elements(child(part, keyword))[index ?? 0]
}

/** Whether a schema says that a value is null. */
function isNull(schema: Schema | Reference): boolean {
  return 'type' in schema
    ? String(schema.type) === 'null'
    : 'enum' in schema && canonical(schema.enum) === '[null]'
}

export function typesOf(all: All, parts: All): Set<string> {
  const named = parts.map(({ node: { type = everyType } }) => {
    const types = [type].flat()
    return new Set(types.includes('number') ? [...types, 'integer'] : types)
  })
  if (parts.some(({ node }) => isNothing(node))) return new Set()
  const types = named.reduce(intersection, new Set(everyType))
  // If only values are listed, they show the type.
  const listed = parts.flatMap(({ node }) => node.enum ?? [])
  const isTold = listed.length === 0 || parts.some(({ node }) => node.type !== undefined)
  const listedTypes = isTold ? types : intersection(types, new Set(listed.flatMap(typesOfValue)))
  listedTypes.delete('null')
  return all.every(candidate => takesNull(candidate)) ? listedTypes.add('null') : listedTypes
}

/** Whether a schema takes null, as far as its type, its values, and those of its parts show. */
function takesNull(schema: Located<Schema>, seen = new Set<Schema>()): boolean {
  const target = followAt<Schema>(schema.from.document, schema.node, schema.place)
  if (!target || seen.has(target.node)) return true
  seen.add(target.node)
  const part = { ...target, from: schema.from }
  const { nullable, type = 'null', enum: values = [null] } = part.node
  if (nullable === true) return true
  if (![type].flat().includes('null') || !values.includes(null)) return false
  return elements(child(part, 'allOf')).every(candidate => takesNull(candidate, seen))
}

function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer'] : ['number', 'integer']
  return [typeof value]
}

export function intersection<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> {
  return new Set([...a].filter(value => b.has(value)))
}
