import {
  type Model,
  modelOf,
  namedAlternatives,
  partsOf,
  typesIn,
  valuesIn,
} from 'spec-served-document/model'
import { type Path, pathOf } from 'spec-served-document/pointer'
import { referenceTo } from 'spec-served-document/reading/nodes'
import { schemasIn } from 'spec-served-document/reading/walk'
import type { OpenApi, Reference, Schema } from 'spec-served-document/types'
import type { Violation } from './violation.ts'

type Node = Schema | Reference

/** A component that a discriminator chooses. */
interface Choice {
  /** the place of the discriminator */
  place: Path
  property: string
  /** the name of the component */
  chosen: string
  /** the names that choose it: those of the mapping, or else its own */
  names: readonly string[]
  isMapped: boolean
  /** the values of the property that choose it, as the component takes them */
  values: readonly unknown[]
  /** stands for it in the discriminator's schema; undefined for a child that inherits from that schema */
  alternative: Node | undefined
}

/**
 * Writes the values of discriminators into the schemas that they choose, and takes the discriminators away.
 * openapi-typescript writes all values as texts, and knows one discriminator for each schema.
 */
export function writeDiscriminators(document: OpenApi): void {
  const model = modelOf(document)
  const { schemas = {} } = document.components ?? {}
  const heirs = heirsIn(model)
  const choices = choicesIn(model, heirs)
  const byComponent = Map.groupBy(choices, ({ chosen }) => chosen)
  const narrowed = new Map<string, readonly unknown[]>()
  const components: Record<string, Schema> = {}

  // The values of a child are values of its parent. A component that several properties choose has not all of them.
  for (const [name, [choice]] of byComponent) {
    const component = schemas[name]
    if (!choice || !component || typeof component.$ref === 'string') continue
    const family = [name, ...(heirs.get(name) ?? [])].map(item => byComponent.get(item) ?? [])
    if (!family.flat().every(({ property }) => property === choice.property)) continue
    const values = family.map(group => group.flatMap(item => item.values))
    if (values.some(group => group.length === 0)) continue
    narrowed.set(name, [...new Set(values.flat())])
    components[name] = withValues(model, component as Schema, choice.property, narrowed.get(name)) // it is no reference
  }
  const alternatives = new Map(
    choices.flatMap(({ alternative, chosen, property, values }) => {
      if (!alternative || narrowed.get(chosen)?.length === values.length) return []
      return [[alternative, withValues(model, { allOf: [alternative] }, property, values)] as const]
    }),
  )
  for (const { schema } of [...schemasIn(document)]) {
    if (!schema.discriminator) continue
    for (const keyword of ['oneOf', 'anyOf'] as const)
      if (schema[keyword]) schema[keyword] = schema[keyword].map(item => alternatives.get(item) ?? item)
    delete schema.discriminator
  }
  Object.assign(schemas, components)
}

/** A schema whose property has these values, if it takes others too. */
function withValues(model: Model, schema: Schema, property: string, values: readonly unknown[] = []): Schema {
  const takenValues = takenIn(model, schema, property)
  if (values.length === 0 || takenValues?.length === values.length) return schema
  const described = Object.hasOwn(schema.properties ?? {}, property)
    ? schema.properties?.[property]
    : undefined
  const text = described && 'description' in described ? { description: described.description } : {}
  const chosen = { [property]: { ...text, enum: [...values] } }
  const required = [...new Set([...(schema.required ?? []), property])]
  if (described) return { ...schema, required, properties: { ...schema.properties, ...chosen } }
  const part: Schema = { type: 'object', required: [property], properties: chosen }
  return { ...schema, allOf: [...(schema.allOf ?? []), part] }
}

/** Lists the names in mappings that choose a component which takes no such value: no call with one compiles. */
export function misnamedIn(model: Model): Violation[] {
  return choicesIn(model, heirsIn(model)).flatMap(({ place, chosen, names, property, isMapped }) =>
    names
      .filter(name => isMapped && valuesNamed(model, chosen, property, name).length === 0)
      .map(name => ({
        place: [...place, 'mapping', name],
        message: `No value chooses ${chosen} by the name ${name}: it ${demandOf(model, chosen, property)}.`,
        decide: `another name here, or a ${property} that ${chosen} takes.`,
      })),
  )
}

function demandOf(model: Model, chosen: string, property: string): string {
  const node = nodeOf(chosen)
  const values = takenIn(model, node, property)?.map(value => JSON.stringify(value))
  if (values) return `takes no ${property} but ${values.join(', ')}`
  const propertySchema = propertyIn(model, node, property)
  return propertySchema.length === 0
    ? `takes no ${property}`
    : `takes ${property} as ${propertySchema.flatMap(typesIn).join(' or ')}`
}

function choicesIn(model: Model, heirs: ReadonlyMap<string, ReadonlySet<string>>): Choice[] {
  return [...schemasIn(model.document)].flatMap(({ schema, path }) => {
    const { discriminator, oneOf = [], anyOf = [] } = schema
    // A default alternative takes any name.
    if (!discriminator || discriminator.defaultMapping !== undefined) return []
    const alternatives = [...oneOf, ...anyOf]
    const [root, kind, componentName = '', ...below] = path
    const children =
      root === 'components' && kind === 'schemas' && below.length === 0 ? heirs.get(componentName) : []
    const named = alternatives.length > 0 ? alternatives : [...(children ?? [])].map(nodeOf)
    const byName = namedAlternatives(named, discriminator)
    const { propertyName: property, mapping = {} } = discriminator
    return named.flatMap((item): Choice[] => {
      const all = [...byName].flatMap(([name, to]) => (to === item ? name : []))
      const mapped = all.filter(name => Object.hasOwn(mapping, name))
      const names = mapped.length > 0 ? mapped : all
      const chosen = componentIn(item)
      if (chosen === undefined || names.length === 0) return []
      const others = new Set([...byName].flatMap(([name, to]) => (to === item ? [] : name)))
      const unnamed = takenIn(model, item, property)?.filter(value => !others.has(String(value))) ?? []
      const values = [
        ...new Set([...names.flatMap(name => valuesNamed(model, chosen, property, name)), ...unnamed]),
      ]
      const alternative = alternatives.length > 0 ? item : undefined
      return [
        {
          place: [...path, 'discriminator'],
          property,
          chosen,
          names,
          isMapped: mapped.length > 0,
          values,
          alternative,
        },
      ]
    })
  })
}

const nodeOf = (component: string): Reference => ({ $ref: referenceTo(['components', 'schemas', component]) })

/** The component that an alternative refers to. */
function componentIn(node: Node): string | undefined {
  const { $ref, allOf: [only] = [] } = node as Schema // a reference lacks the others
  const reference = $ref ?? only?.$ref
  return typeof reference === 'string' ? pathOf(reference.slice(1))?.[2] : undefined
}

/** The values of a property that a name stands for, by the type that the property has. */
function valuesNamed(model: Model, component: string, property: string, name: string): unknown[] {
  const node = nodeOf(component)
  const taken = takenIn(model, node, property)
  if (taken) return taken.filter(value => String(value) === name)
  const propertySchema = propertyIn(model, node, property)
  const isClosed = partsOf(model, node).some(part => part.additionalProperties === false)
  const types = new Set(propertySchema.flatMap(typesIn))
  if (types.size === 0) return propertySchema.length === 0 && isClosed ? [] : [name]
  const isNumber = types.has('number') || (types.has('integer') && Number.isInteger(Number(name)))
  return [
    ...(types.has('string') ? [name] : []),
    ...(isNumber && String(Number(name)) === name && name !== 'NaN' ? [Number(name)] : []),
    ...(types.has('boolean') && /^(true|false)$/.test(name) ? [name === 'true'] : []),
  ]
}

/** The schemas of a property, whichever part of a schema has it. */
const propertyIn = (model: Model, node: Node, property: string): Schema[] =>
  partsOf(model, node).flatMap(({ properties = {} }) =>
    Object.hasOwn(properties, property) ? partsOf(model, properties[property] ?? {}) : [],
  )

/** The values that a property of a schema may have, also by its alternatives; undefined: any. */
function takenIn(model: Model, node: Node, property: string, depth = 0): unknown[] | undefined {
  const lists = propertyIn(model, node, property).flatMap(part => {
    const values = valuesIn(part)
    return values ? [values] : []
  })
  for (const { oneOf, anyOf } of depth < 10 ? partsOf(model, node) : []) {
    const each = (oneOf ?? anyOf ?? []).map(item => takenIn(model, item, property, depth + 1))
    if (each.length > 0 && each.every(values => values !== undefined)) lists.push([...new Set(each.flat())])
  }
  const [first, ...others] = lists
  return first?.filter(value => others.every(list => list.includes(value)))
}

/** The components that have a component in their `allOf`, also by others between them. */
function heirsIn({ document }: Model): Map<string, Set<string>> {
  const heirs = new Map<string, Set<string>>()
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    for (const part of partsOf({ document }, schema).flatMap(({ allOf = [] }) => allOf)) {
      const parent = typeof part.$ref === 'string' ? componentIn(part) : undefined
      if (parent !== undefined && parent !== name)
        heirs.set(parent, (heirs.get(parent) ?? new Set()).add(name))
    }
  return heirs
}
