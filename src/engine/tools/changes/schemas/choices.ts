import type { Schema } from 'spec-served-document/types'
import { child, elements, type Located, remembered } from '../located.ts'
import { type Discriminator, discriminatorOf, named } from './inheritance.ts'
import { type All, mapIn, onlyIn, schemaIn } from './parts.ts'

/** Alternatives of which one has to hold, exactly or at least; a condition leaves one of two. */
export interface Choice {
  kind: 'oneOf' | 'anyOf' | 'if' | 'dependentSchemas' | 'dependentRequired'
  /** the schema that offers it, and the way to it from there */
  owner: Schema
  way: readonly string[]
  alternatives: Alternative[]
  discriminator?: Discriminator | undefined
}

export interface Alternative {
  all: All
  /** how it was written: the reference, if it was one */
  name: string | undefined
  /** as places show it: its index, as a pointer has it, and what it is */
  label: string
  /** the demand of its discriminator on it, if that names it */
  sign: All
}

/** One alternative of a choice. */
export function alternativeOf(
  kind: string,
  index: number,
  all: All,
  name?: string,
  discriminator?: Discriminator,
): Alternative {
  const [part] = all
  const shown = name?.split('/').at(-1) ?? part?.node.type
  const { values, isDefault } = discriminator?.targets.find(({ target }) => target.node === part?.node) ?? {}
  const sign =
    discriminator && values && part && !isDefault
      ? [{ ...part, node: named(discriminator.property, values) }]
      : []
  return { all, name, label: `${kind}/${index}${shown ? ` ${shown}` : ''}`, sign }
}

const stripped = new WeakMap<Schema, Map<string, Schema>>()

/** A part without its own choice, its `allOf` and its union of one. The parts of those two stand beside it. */
export function withoutChoice(part: Located<Schema>, { owner, way }: Choice): Located<Schema> {
  const [keyword = '', name = ''] = part.node === owner ? way : []
  const strippedParts = remembered(stripped, part.node, () => new Map())
  const node = remembered(strippedParts, `${keyword} ${name}`, () => {
    const { [onlyIn(part.node)?.[0] ?? 'allOf']: _, allOf, ...rest } = part.node
    if (name === '') delete rest[keyword]
    else
      rest[keyword] = Object.fromEntries(Object.entries(rest[keyword] ?? {}).filter(([key]) => key !== name))
    if (keyword === 'oneOf' || keyword === 'anyOf') delete rest.discriminator
    return rest
  })
  return { ...part, node }
}

/** Returns the alternatives of a part. */
export function choicesOf(part: Located<Schema>): Choice[] {
  const unions = (['oneOf', 'anyOf'] as const).flatMap((kind): Choice[] => {
    if (!part.node[kind] || onlyIn(part.node)) return []
    const discriminator = discriminatorOf(part)
    return [{ kind, owner: part.node, way: [kind], alternatives: alternativesIn(part, kind), discriminator }]
  })
  return [...unions, ...conditionsOf(part)]
}

/** The alternatives of a union. */
export function alternativesIn(part: Located<Schema>, kind: 'oneOf' | 'anyOf'): Alternative[] {
  const discriminator = discriminatorOf(part)
  return elements(child(part, kind)).map((alternative, index) => {
    const { $ref } = part.node[kind]?.[index] ?? {}
    return alternativeOf(
      kind,
      index,
      [alternative],
      typeof $ref === 'string' ? $ref : undefined,
      discriminator,
    )
  })
}

const conditions = new WeakMap<object, Map<string, Schema>>()

/** Returns the conditions of a part. A value meets the demand, or the condition does not concern it. */
function conditionsOf(part: Located<Schema>): Choice[] {
  const { node: owner, place, from } = part
  /** A schema that is made of the condition at a place, the same each time. */
  const made = (way: readonly string[], what: string, make: () => Schema): Located<Schema> => {
    const conditionsOfOwner = remembered(conditions, owner, () => new Map())
    return {
      from,
      place: [...place, ...way],
      node: remembered(conditionsOfOwner, `${way.join()} ${what}`, make),
    }
  }
  const choice = (way: [Choice['kind'], ...string[]], then: All, otherwise: All): Choice => ({
    kind: way[0],
    owner,
    way,
    alternatives: [
      { all: then, name: undefined, label: `${way.join('/')}`, sign: [] },
      { all: otherwise, name: undefined, label: `not ${way.join('/')}`, sign: [] },
    ],
  })
  const dependent = (keyword: 'dependentSchemas' | 'dependentRequired') =>
    Object.keys(owner[keyword] ?? {}).map(name => {
      const way = [keyword, name] as [Choice['kind'], string] // one of these kinds
      const has: Schema = { type: 'object', required: [name] }
      const { [name]: more = [] } = (owner.dependentRequired ?? {}) as Record<string, string[]> // by the grammar
      const demanded =
        keyword === 'dependentSchemas' ? schemaIn({ ...part, ...mapIn(part, keyword) }, name) : undefined
      const then = demanded ?? made(way, 'more', () => ({ required: more }))
      return choice(way, [made(way, 'has', () => has), then], [made(way, 'lacks', () => ({ not: has }))])
    })
  const condition = schemaIn(part, 'if')
  const not = made(['if'], 'not', () => ({ not: owner.if ?? {} }))
  const branch = (keyword: 'then' | 'else') => [schemaIn(part, keyword) ?? []].flat()
  return [
    ...(condition ? [choice(['if'], [condition, ...branch('then')], [not, ...branch('else')])] : []),
    ...dependent('dependentSchemas'),
    ...dependent('dependentRequired'),
  ]
}
