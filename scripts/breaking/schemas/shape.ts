import type { Schema } from '../../../src/document/types.ts'
import { partsAt } from '../../document/nodes.ts'
import type { Reader } from '../change.ts'
import { canonical, child, elements, entries, type Located, remembered } from '../located.ts'
import { leastMultiple } from './decimals.ts'
import { childrenOf, type Discriminator, discriminatorOf, named } from './inheritance.ts'

/** Schemas that must all hold; none means that anything goes. */
export type All = readonly Located<Schema>[]

/** `number` here is the numbers that are no integers. */
export const everyType = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** What schemas that must all hold say together, as one. */
export interface Shape {
  /** the schemas themselves, references followed and `allOf` taken apart */
  parts: All
  types: ReadonlySet<string>
  /** the allowed values in canonical form; undefined when they are not listed */
  values: ReadonlySet<string> | undefined
  formats: ReadonlySet<string>
  patterns: ReadonlySet<string>
  multipleOf: number | undefined
  uniqueItems: boolean
  items: All
  properties: ReadonlyMap<string, All>
  required: ReadonlySet<string>
  /** what properties without a schema of their own may be; false when there may be none */
  additional: All | false
  choices: Choice[]
  /** the schemas that take one of these into themselves, where a discriminator tells which */
  heirs: Discriminator | undefined
  not: All
  default: string | undefined
}

/** Alternatives of which one has to hold, exactly or at least. */
export interface Choice {
  kind: 'oneOf' | 'anyOf'
  at: readonly string[]
  alternatives: Alternative[]
  discriminator: Discriminator | undefined
}

export interface Alternative {
  all: All
  /** how it was written: the reference, if it was one */
  name: string | undefined
  /** as places show it: its index, as a pointer has it, and what it is */
  label: string
  /** what its discriminator demands of it, if that tells it */
  sign: All
}

/** One alternative of a choice. */
export function alternativeOf(
  kind: string,
  index: number,
  all: All,
  name?: string,
  told?: Discriminator,
): Alternative {
  const [part] = all
  const shown = name?.split('/').at(-1) ?? part?.node.type
  const { values, isDefault } = told?.targets.find(({ target }) => target.node === part?.node) ?? {}
  const sign = told && values && part && !isDefault ? [{ ...part, node: named(told.property, values) }] : []
  return { all, name, label: `${kind}/${index}${shown ? ` ${shown}` : ''}`, sign }
}

/**
 * Reads schemas as one, for the reader's side of them: what clients can't send (`readOnly`) or never get (`writeOnly`)
 * is left out.
 */
export function shapeOf(all: All, reader: Reader): Shape {
  const parts = takeApart(all)
  const declared = Map.groupBy(
    parts.flatMap(part => entries(child(part, 'properties'))),
    ([name]) => name,
  )
  const properties = new Map([...declared].map(([name, both]) => [name, both.map(([, schema]) => schema)]))
  const isShown = (name: string) => !isHidden(properties.get(name) ?? [], reader)
  const lists = parts.flatMap(({ node }) => (node.enum ? [new Set(node.enum.map(canonical))] : []))
  const within = (keyword: 'items' | 'additionalProperties') =>
    parts.flatMap(part => (child(part, keyword) as Located<Schema> | undefined) ?? []) // `true` is no object
  const said = (keyword: 'format' | 'pattern') => new Set(parts.flatMap(({ node }) => node[keyword] ?? []))
  const isClosed = parts.some(({ node }) => node.additionalProperties === false)
  const defaults = parts.flatMap(({ node }) => (node.default === undefined ? [] : canonical(node.default)))
  return {
    parts,
    types: typesOf(parts),
    values: lists.length > 0 ? lists.reduce(intersection) : undefined,
    formats: said('format'),
    patterns: said('pattern'),
    multipleOf: multipleOf(parts),
    uniqueItems: parts.some(({ node }) => node.uniqueItems),
    items: within('items').filter(isBinding),
    properties: new Map([...properties].filter(([name]) => isShown(name))),
    required: new Set(parts.flatMap(({ node }) => node.required ?? []).filter(isShown)),
    additional: isClosed ? false : within('additionalProperties').filter(isBinding),
    choices: parts.flatMap(choicesOf),
    heirs: heirsOf(parts),
    not: parts.flatMap(part => child(part, 'not') ?? []),
    default: defaults.sort()[0],
  }
}

const texts = new Set(['description', 'title', 'example', 'externalDocs', 'xml', 'nullable', 'allOf'])

/** Whether a schema says something about values that are not null. */
function isBinding(schema: Located<Schema>): boolean {
  const keywords = takeApart([schema]).flatMap(({ node }) => Object.keys(node))
  return keywords.some(keyword => !texts.has(keyword) && !keyword.startsWith('x-'))
}

/** What a number has to be a multiple of; that integers are those of 1, their type says. */
function multipleOf(parts: All): number | undefined {
  const units = parts.flatMap(({ node }) => node.multipleOf ?? [])
  if (units.length === 0) return undefined
  const isInteger = parts.some(({ node }) => node.type === 'integer')
  const unit = [...units, ...(isInteger ? [1] : [])].reduce(leastMultiple)
  return isInteger && unit === 1 ? undefined : unit
}

/** Whoever comes from one of the heirs is that heir already. */
function heirsOf(parts: All): Discriminator | undefined {
  for (const part of parts) {
    const found = discriminatorOf(part)
    const heirs = childrenOf(part.from).get(part.node) ?? []
    if (found?.isInherited && !heirs.some(heir => parts.some(({ node }) => node === heir.node))) return found
  }
  return undefined
}

const cache = () => new WeakMap<Schema, Schema>()
const stripped = { oneOf: cache(), anyOf: cache(), other: cache() }

/** A part without a choice, if it is the one that offers it, and without its `allOf`, whose parts stand beside it. */
export function withoutChoice(part: Located<Schema>, { kind, at }: Choice): Located<Schema> {
  const isOwn = at.length === part.at.length + 1 && part.at.every((name, index) => name === at[index])
  const node = remembered(stripped[isOwn ? kind : 'other'], part.node, () => {
    const { allOf, [kind]: alternatives, discriminator, ...rest } = part.node
    return isOwn ? rest : { ...rest, [kind]: alternatives, discriminator }
  })
  return { ...part, node }
}

/** References followed, and `allOf` taken apart: each part says what its own keywords do. */
export function takeApart(all: All): All {
  const [first] = all
  return first ? partsAt(first.from.document, all).map(part => ({ ...part, from: first.from })) : []
}

function intersection<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...one].filter(value => other.has(value)))
}

function isHidden(schemas: All, reader: Reader): boolean {
  const mark = reader === 'request' ? 'readOnly' : 'writeOnly'
  return takeApart(schemas).some(({ node }) => node[mark])
}

function typesOf(parts: All): Set<string> {
  const types = parts
    .map(({ node: { type, nullable } }) => {
      if (type === undefined) return new Set(everyType)
      const types: string[] = [type].flat()
      return new Set([
        ...types,
        ...(types.includes('number') ? ['integer'] : []),
        ...(nullable ? ['null'] : []),
      ])
    })
    .reduce(intersection, new Set(everyType))
  // Where only the values are listed, they tell the type.
  const listed = parts.flatMap(({ node }) => node.enum ?? [])
  if (listed.length > 0 && parts.every(({ node }) => node.type === undefined)) {
    const isNullable = parts.every(({ node }) => node.nullable)
    return intersection(types, new Set([...listed.flatMap(typesOfValue), ...(isNullable ? ['null'] : [])]))
  }
  // Strictly, `nullable` beside `allOf` says nothing; but whoever writes it means that null is taken.
  if (parts.some(({ node }) => node.nullable && node.type === undefined && node.allOf)) types.add('null')
  return types
}

function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer'] : ['number', 'integer']
  return [typeof value]
}

/** What takes null only, the same for each reading of a schema. */
const nulls = cache()

/** What a part offers as alternatives; null is one of them where the part says that it is taken. */
export function choicesOf(part: Located<Schema>): Choice[] {
  const { from, node, at } = part
  return (['oneOf', 'anyOf'] as const).flatMap(kind => {
    const listed = node[kind]
    if (!listed) return []
    const discriminator = discriminatorOf(part)
    const alternatives = elements(child(part, kind)).map((one, index) => {
      const { $ref } = listed[index] ?? {}
      return alternativeOf(kind, index, [one], typeof $ref === 'string' ? $ref : undefined, discriminator)
    })
    if (node.nullable && node.type === undefined) {
      const none = { from, node: remembered(nulls, node, () => ({ enum: [null] })), at: [...at, 'nullable'] }
      alternatives.push(alternativeOf(kind, alternatives.length, [none], 'null'))
    }
    return [{ kind, at: [...at, kind], alternatives, discriminator }]
  })
}
