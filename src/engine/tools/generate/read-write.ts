import { modelOf, partsOf, schemaKeywords } from 'spec-served-document/model'
import { type Path, pathOf } from 'spec-served-document/pointer'
import { referenceTo, schemasWithin } from 'spec-served-document/reading/nodes'
import { schemasIn, walk, walkFrom } from 'spec-served-document/reading/walk'
import type { MediaType, OpenApi, Parameter, Reference, Schema } from 'spec-served-document/types'

type Node = Schema | Reference
type Way = 'sent' | 'answered'

/** The mark of properties that do not go a way (OpenAPI 3.0.3, 4.7.24.2). */
const marks = { sent: 'readOnly', answered: 'writeOnly' } as const

const isReference = (node: Node): node is Reference => typeof node.$ref === 'string'

/**
 * Takes `readOnly` properties out of the schemas of requests, and `writeOnly` ones out of those of replies. A component
 * that both use, and that differs, becomes two: its own name is for replies, the one that ends in `Sent` for requests.
 */
export function splitWays(document: OpenApi): void {
  if (![...schemasIn(document)].some(({ schema }) => schema.readOnly || schema.writeOnly)) return
  const model = modelOf(document)
  const places = placesIn(document)
  const reached = { sent: new Set<Schema>(), answered: new Set<Schema>() }
  for (const { place, way } of places) for (const _ of schemasWithin(model, place.schema, reached[way]));
  const { schemas = {} } = document.components ?? {}
  const marked = markedIn(schemas, isMarked)
  const sentNames = new Map(
    [...marked].filter(isBoth).map(name => [referenceTo(['components', 'schemas', name]), freeName(name)]),
  )

  function isMarked(properties: readonly Node[]): boolean {
    return properties.some(property => partsOf(model, property).some(part => part.readOnly || part.writeOnly))
  }

  function isBoth(name: string): boolean {
    const schema = model.resolve<Schema>(schemas[name] ?? {})
    return reached.sent.has(schema) && reached.answered.has(schema)
  }

  function freeName(name: string): string {
    let free = `${name}Sent`
    while (Object.hasOwn(schemas, free)) free += '_'
    return free
  }

  const hiddenIn = (schema: Node, way: Way) =>
    new Set(
      partsOf(model, schema)
        .flatMap(({ properties = {} }) => Object.entries(properties))
        .filter(([, property]) => partsOf(model, property).some(part => part[marks[way]]))
        .map(([name]) => name),
    )

  function shown(node: Node, way: Way): Node {
    if (!isReference(node)) return without(node, hiddenIn(node, way), way)
    const name = way === 'sent' && sentNames.get(node.$ref)
    return name ? { ...node, $ref: referenceTo(['components', 'schemas', name]) } : node
  }

  /** A schema without properties, whichever of its parts has or requires them. */
  function without(schema: Schema, hidden: ReadonlySet<string>, way: Way): Schema {
    const isShown = (name: string) => !hidden.has(name)
    const copy: Schema = { ...schema }
    for (const keyword of schemaKeywords.one)
      if (typeof schema[keyword] === 'object') copy[keyword] = shown(schema[keyword] as Node, way) // by the keyword
    for (const keyword of schemaKeywords.list)
      if (keyword !== 'allOf' && schema[keyword])
        copy[keyword] = (schema[keyword] as Node[]).map(item => shown(item, way)) // likewise
    for (const keyword of schemaKeywords.map) {
      const map = Object.entries((schema[keyword] ?? {}) as Record<string, Node>) // likewise
      const rest = keyword === 'properties' ? map.filter(([name]) => isShown(name)) : map
      if (schema[keyword])
        copy[keyword] = Object.fromEntries(rest.map(([name, schemaBelow]) => [name, shown(schemaBelow, way)]))
    }
    if (schema.required) copy.required = schema.required.filter(isShown)
    if (schema.allOf) copy.allOf = schema.allOf.map(part => withoutIn(part, hidden, way))
    return copy
  }

  /** A part by another name does not know that the whole hides what it has, so it is written out. */
  function withoutIn(part: Node, hidden: ReadonlySet<string>, way: Way): Node {
    const hiddenHere = hiddenIn(part, way)
    const isSaid = partsOf(model, part)
      .flatMap(({ properties = {}, required = [] }) => [...Object.keys(properties), ...required])
      .some(name => hidden.has(name) && !hiddenHere.has(name))
    if (isReference(part) && !isSaid) return shown(part, way)
    return without(model.resolve<Schema>(part), new Set([...hidden, ...hiddenHere]), way)
  }

  const added = Object.entries(schemas).flatMap(([name, schema]): [string, Node][] => {
    const sent = sentNames.get(referenceTo(['components', 'schemas', name]))
    if (sent)
      return [
        [name, shown(schema, 'answered')],
        [sent, shown(schema, 'sent')],
      ]
    const target = model.resolve<Schema>(schema)
    const way = reached.sent.has(target) ? 'sent' : reached.answered.has(target) ? 'answered' : undefined
    return way && marked.has(name) ? [[name, shown(schema, way)]] : []
  })
  const changed = places.map(({ place, way }) => ({ place, schema: shown(place.schema, way) }))
  Object.assign(schemas, Object.fromEntries(added))
  for (const { place, schema } of changed) place.schema = schema
}

/** The places of schemas outside components, and the way that their values go. Callbacks and webhooks go the other way. */
function placesIn(document: OpenApi) {
  return [...walk(document)].flatMap(({ kind, node, path, isReference: refers }) => {
    const isPlace = kind === 'mediaType' || kind === 'parameter' || kind === 'header'
    const place = node as MediaType | Parameter // of one of these kinds
    if (!isPlace || refers || !place.schema) return []
    return [{ place: place as { schema: Node }, way: wayAt(kind === 'header', path) }]
  })
}

function wayAt(isHeader: boolean, [root, ...path]: Path): Way {
  const isAnswered = isHeader || (root === 'webhooks' ? path.slice(1) : path).includes('responses')
  const isOurs = root === 'webhooks' || path.includes('callbacks')
  return isAnswered === isOurs ? 'sent' : 'answered'
}

/** The components that hold a marked property, themselves or by what they refer to. */
function markedIn(
  schemas: Record<string, Node>,
  isMarked: (properties: readonly Node[]) => boolean,
): Set<string> {
  const users = new Map<string, string[]>()
  const marked = new Set<string>()
  for (const [name, schema] of Object.entries(schemas))
    for (const { kind, node } of walkFrom('schema', schema, [])) {
      if (kind !== 'schema') continue
      const { $ref, properties } = node as Schema // of this kind
      const target = typeof $ref === 'string' ? pathOf($ref.slice(1))?.[2] : undefined
      if (target !== undefined) users.set(target, [...(users.get(target) ?? []), name])
      else if (properties && isMarked(Object.values(properties))) marked.add(name)
    }
  for (const name of marked) for (const user of users.get(name) ?? []) marked.add(user)
  return marked
}
