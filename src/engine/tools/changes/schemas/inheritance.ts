import { partsAt } from 'spec-served-document/reading/nodes'
import type { ReadDocument } from 'spec-served-document/reading/read'
import type { Schema } from 'spec-served-document/types'
import { child, elements, entries, type Located, remembered, rootOf } from '../located.ts'

/** How alternatives are distinguished by a property. */
export interface Discriminator {
  property: string
  /** the schema of values that the property does not name (`defaultMapping`) */
  usual: string | undefined
  /** the schemas that it leads to, each with the property's values that do */
  targets: { name: string; values: readonly string[]; target: Located<Schema>; isDefault: boolean }[]
  /** whether the targets are not listed, but schemas that take this one into their `allOf` */
  isInherited: boolean
}

/** The discriminator of a schema; without a mapping, a value is the name of a schema (OpenAPI 3.0.3, 4.7.25). */
export function discriminatorOf(place: Located<Schema>): Discriminator | undefined {
  const { discriminator, oneOf, anyOf } = place.node
  if (!discriminator) return undefined
  const listed = oneOf ?? anyOf
  const targets = listed
    ? elements(child(place, oneOf ? 'oneOf' : 'anyOf'))
    : (childrenOf(place.from).get(place.node) ?? [])
  const mapping = Object.entries(discriminator.mapping ?? {})
  const leadsTo = (to: string | undefined, name: string) =>
    to?.split('/').at(-1) === encodeURI(name) || to === name
  return {
    property: discriminator.propertyName,
    usual: discriminator.defaultMapping?.split('/').at(-1),
    isInherited: !listed,
    targets: targets.flatMap(target => {
      const name = target.place[0] === 'components' && target.place.length === 3 ? target.place[2] : undefined
      if (name === undefined) return []
      const mapped = mapping.filter(([, to]) => leadsTo(to, name))
      const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name]
      return [{ name, target, values, isDefault: leadsTo(discriminator.defaultMapping, name) }]
    }),
  }
}

/** Returns a schema of the objects whose discriminator has one of these values. */
export function named(property: string, values: readonly string[]): Schema {
  return { type: 'object', required: [property], properties: { [property]: { enum: [...values] } } }
}

const childrenByDocument = new WeakMap<ReadDocument, Map<Schema, Located<Schema>[]>>()

/** The components that take a schema into their `allOf`, directly or by another, by that schema. */
export function childrenOf(from: ReadDocument): ReadonlyMap<Schema, Located<Schema>[]> {
  return remembered(childrenByDocument, from, () => {
    const components = child(rootOf(from), 'components')
    const schemas = entries(components && child(components, 'schemas')).map(([, schema]) => schema)
    const inherited = schemas.flatMap(heir =>
      partsAt(from.document, [heir])
        .filter(({ node }) => node !== heir.node)
        .map(({ node }) => ({ node, heir })),
    )
    const children = new Map<Schema, Located<Schema>[]>()
    for (const { node, heir } of inherited) children.set(node, [...(children.get(node) ?? []), heir])
    return children
  })
}
