import { leastMultiple } from 'spec-served-document/decimals'
import { toRegExp } from 'spec-served-document/pattern'
import type { Schema } from 'spec-served-document/types'
import type { Reader } from '../change.ts'
import { canonical, child, elements, entries, type Located } from '../located.ts'
import { waived } from '../waived.ts'
import { type Choice, choicesOf } from './choices.ts'
import { childrenOf, type Discriminator, discriminatorOf } from './inheritance.ts'
import { type All, intersection, mapIn, partsIn, schemaIn, takeApart, typesOf } from './parts.ts'

/** The joint demands of schemas that must all hold. */
export interface JointShape {
  /** the schemas themselves, references followed, `allOf` taken apart, and unions of one besides null */
  parts: All
  types: ReadonlySet<string>
  /** the allowed values but null, in canonical form; undefined when they are not listed */
  values: ReadonlySet<string> | undefined
  /** with the encodings and the media types of the contents of texts */
  formats: ReadonlySet<string>
  patterns: ReadonlySet<string>
  multipleOf: number | undefined
  uniqueItems: boolean
  /** of the first items, those that have schemas of their own */
  first: readonly All[]
  /** of the others */
  items: All
  /** the demands on some items, on as many as each says itself (`minContains`, `maxContains`) */
  contains: readonly Located<Schema>[]
  properties: ReadonlyMap<string, All>
  /** the schemas of properties whose names match a pattern */
  patterned: ReadonlyMap<string, All>
  /** the schemas of the names of properties */
  names: All
  required: ReadonlySet<string>
  /** the schemas of all other properties; false when there may be none */
  additional: All | false
  choices: Choice[]
  /** the schemas that take one of these into themselves, where a discriminator names which */
  heirs: Discriminator | undefined
  not: All
  default: string | undefined
}

/**
 * Reads schemas as one, for the reader's side. Properties that it can't send (`readOnly`) or never gets (`writeOnly`)
 * are left out.
 */
export function jointShapeOf(all: All, reader: Reader): JointShape {
  const parts = partsIn(all)
  const together = (keyword: 'properties' | 'patternProperties') => {
    const said = parts.flatMap(part => entries(mapIn(part, keyword)))
    return new Map(
      [...Map.groupBy(said, ([name]) => name)].map(([name, both]) => [name, both.map(entry => entry[1])]),
    )
  }
  const patterned = together('patternProperties')
  const properties = new Map(
    [...together('properties')].map(([name, declared]) => [
      name,
      [...declared, ...matching(patterned, name)],
    ]),
  )
  const isShown = (name: string) => !isHidden(properties.get(name) ?? [], reader)
  const lists = parts.flatMap(({ node }) => (node.enum ? [new Set(node.enum.map(canonical))] : []))
  const listed = lists.length > 0 ? new Set(lists.reduce(intersection)) : undefined
  listed?.delete('null')
  const within = (keyword: string) => parts.flatMap(part => schemaIn(part, keyword) ?? []).filter(isBinding)
  const said = (...keywords: string[]) =>
    new Set(parts.flatMap(({ node }) => keywords.flatMap(keyword => (node[keyword] as string) ?? []))) // by the grammar
  // `unevaluatedProperties` covers only what no keyword beside or within it covers.
  const isTold = parts.some(({ node }) => node.additionalProperties !== undefined)
  const others = isTold ? 'additionalProperties' : 'unevaluatedProperties'
  const defaults = parts.flatMap(({ node }) => (node.default === undefined ? [] : canonical(node.default)))
  return {
    parts,
    types: typesOf(all, parts),
    values: listed,
    formats: said('format', 'contentEncoding', 'contentMediaType'),
    patterns: said('pattern'),
    multipleOf: multipleOf(parts),
    uniqueItems: parts.some(({ node }) => node.uniqueItems),
    ...itemsOf(parts),
    contains: parts.filter(({ node }) => node.contains),
    properties: new Map([...properties].filter(([name]) => isShown(name))),
    patterned,
    names: within('propertyNames'),
    required: new Set(parts.flatMap(({ node }) => node.required ?? []).filter(isShown)),
    additional: parts.some(({ node }) => node[others] === false) ? false : within(others),
    choices: parts.flatMap(choicesOf),
    heirs: heirsOf(parts),
    not: parts.flatMap(part => child(part, 'not') ?? []),
    default: defaults.sort()[0],
  }
}

/** Returns the schemas of a property: by its name, by patterns that it matches, or those of all other properties. */
export function schemaFor({ properties, patterned, additional }: JointShape, name: string): All | false {
  const schemas = properties.get(name) ?? matching(patterned, name)
  return schemas.length > 0 || properties.has(name) ? schemas : additional
}

function matching(patterned: ReadonlyMap<string, All>, name: string): All {
  return [...patterned].flatMap(([pattern, schemas]) => (toRegExp(pattern)?.test(name) ? schemas : []))
}

/** Returns the schemas of the first items, each by itself, and those of all other items. */
function itemsOf(parts: All): Pick<JointShape, 'first' | 'items'> {
  const isTold = parts.some(({ node }) => node.items !== undefined)
  const lists = parts.map(part => ({
    first: elements(child(part, 'prefixItems')),
    others: [schemaIn(part, isTold ? 'items' : 'unevaluatedItems') ?? []].flat(),
  }))
  const count = Math.max(0, ...lists.map(({ first }) => first.length))
  const itemsAt = (index: number) =>
    lists.flatMap(({ first, others }) => first[index] ?? others).filter(isBinding)
  return { first: Array.from({ length: count }, (_, index) => itemsAt(index)), items: itemsAt(count) }
}

/** Whether a schema says something about values that are not null. */
function isBinding(schema: Located<Schema>): boolean {
  const keywords = takeApart([schema]).flatMap(({ node }) => Object.keys(node))
  return keywords.some(name => !(name in waived.schema) && name !== 'allOf' && !name.startsWith('x-'))
}

/** Returns the unit of which a number must be a multiple. The type says that integers are multiples of 1. */
function multipleOf(parts: All): number | undefined {
  const units = parts.flatMap(({ node }) => node.multipleOf ?? [])
  if (units.length === 0) return undefined
  const isInteger = parts.some(({ node }) => String(node.type) === 'integer')
  const unit = [...units, ...(isInteger ? [1] : [])].reduce(leastMultiple)
  return isInteger && unit === 1 ? undefined : unit
}

/** A schema that already inherits from one of the heirs is that heir. */
function heirsOf(parts: All): Discriminator | undefined {
  for (const part of parts) {
    const found = discriminatorOf(part)
    const heirs = childrenOf(part.from).get(part.node) ?? []
    if (found?.isInherited && !heirs.some(heir => parts.some(({ node }) => node === heir.node))) return found
  }
  return undefined
}

function isHidden(schemas: All, reader: Reader): boolean {
  const mark = reader === 'request' ? 'readOnly' : 'writeOnly'
  return takeApart(schemas).some(({ node }) => node[mark])
}
