import type { Facts } from 'spec-served/internal/client/client'
import type { Place, Places } from 'spec-served/internal/client/places'
import { writingOf } from 'spec-served-document/formats/forms'
import { type ItemsOfEvents, itemsOfEvents, sequenceOf } from 'spec-served-document/formats/sequences'
import type { Model, OperationModel } from 'spec-served-document/model'
import { pathOf } from 'spec-served-document/pointer'
import { factsOf } from 'spec-served-document/reading/facts'
import { schemasWithin } from 'spec-served-document/reading/nodes'
import type { MediaType, Reference, Schema } from 'spec-served-document/types'
import { isJson, parseMediaType } from 'spec-served-document/values/media-types'
import { type ValueTypes, valueKind } from '../generate/value-types.ts'

/** Returns the facts that a client needs besides the types: only those that are not the default. */
export function clientFacts(model: Model, types: ValueTypes = {}): Facts {
  const facts = factsOf(model)
  const named = model.operations.map(operation => ({
    name: `${operation.method} ${operation.path}`,
    operation,
  }))
  const repeatable = named
    .filter(({ operation }) => facts.get(operation.id)?.repeatable)
    .map(({ name }) => name)
  const writing = named.flatMap(({ name, operation }) => {
    const forms = writingOf(model, operation)
    return Object.keys(forms).length > 0 ? [[name, forms] as const] : []
  })
  const sequences = named.flatMap(({ name, operation }) => {
    const sequenceFacts = sequencesOf(model, operation)
    return Object.keys(sequenceFacts).length > 0 ? [[name, sequenceFacts] as const] : []
  })
  const elsewhere = named.flatMap(({ name, operation }) =>
    operation.url === `${model.basePath}${operation.path}`
      ? []
      : [[name, operation.url.slice(0, -operation.path.length)] as const],
  )
  const html = named.flatMap(({ name, operation }) => (mayAnswerHtml(operation) ? [name] : []))
  return {
    repeatable,
    html,
    ...(elsewhere.length > 0 && {
      servers: { path: model.basePath, others: Object.fromEntries(elsewhere) },
    }),
    ...(sequences.length > 0 && { sequences: Object.fromEntries(sequences) }),
    ...(writing.length > 0 && { writing: Object.fromEntries(writing) }),
    ...((types.dates || types.int64) && { places: placesOf(model, types) }),
  }
}

/** Whether a success may be HTML. */
function mayAnswerHtml({ responses }: OperationModel): boolean {
  const types = [...responses].flatMap(([status, { content = {} }]) =>
    /^(2|default)/.test(status) ? Object.keys(content) : [],
  )
  return types.some(type => /^(text\/(html|\*)|\*\/\*)/i.test(type))
}

/** Returns the media types in which an operation answers a sequence, and what events are there. */
function sequencesOf(model: Model, { responses }: OperationModel): Record<string, ItemsOfEvents> {
  const content = [...responses].flatMap(([status, response]) =>
    status.startsWith('2') ? Object.entries(response.content ?? {}) : [],
  )
  const sequenceContent = content.filter(([type]) => sequenceOf(type))
  return Object.fromEntries(
    sequenceContent.map(([type, media]) => [type.toLowerCase(), itemsOfEvents(model, media)]),
  )
}

/** Returns the places of dates and whole numbers of 64 bits in JSON bodies and replies. */
function placesOf(model: Model, types: ValueTypes): Places {
  const components: Record<string, Place> = {}
  const isHeld = new Map<string, boolean>()

  function placeOf(node: Schema | Reference): Place | undefined {
    if (typeof node.$ref === 'string') return componentAt(node.$ref)
    const schema = node as Schema // it is no reference
    const kind = valueKind(schema, types)
    if (kind) return kind
    const of = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const place = placeOf(property)
      return place ? [[name, place] as const] : []
    })
    const items = schema.items && placeOf(schema.items)
    const { additionalProperties, patternProperties = {} } = schema
    const further = [...Object.values(patternProperties), additionalProperties ?? false]
    const others = further.flatMap(item => (typeof item === 'object' ? (placeOf(item) ?? []) : []))
    const { allOf = [], anyOf = [], oneOf = [], then, else: otherwise, prefixItems = [] } = schema
    const any = [...allOf, ...anyOf, ...oneOf, then, otherwise].flatMap(item => (item && placeOf(item)) ?? [])
    for (const itemSchema of prefixItems.flatMap(item => placeOf(item) ?? [])) any.push({ items: itemSchema })
    const place: Place = {
      ...(of.length > 0 && { of: Object.fromEntries(of) }),
      ...(items && { items }),
      ...(others.length > 0 && { others: others.length === 1 && others[0] ? others[0] : { any: others } }),
      ...(any.length > 0 && { any }),
    }
    return Object.keys(place).length > 0 ? place : undefined
  }

  function componentAt(reference: string): Place | undefined {
    const name = pathOf(reference.slice(1))?.[2] ?? ''
    const cached = isHeld.get(name)
    const held =
      cached ?? [...schemasWithin(model, { $ref: reference })].some(candidate => valueKind(candidate, types))
    isHeld.set(name, held)
    if (held && cached === undefined) {
      const place = placeOf(model.resolve<Schema>({ $ref: reference }))
      if (place) components[name] = place
    }
    return held ? `#${name}` : undefined
  }

  function placeIn(content: Readonly<Record<string, MediaType>> = {}): Place | undefined {
    const places = Object.entries(content).flatMap(([type, { schema }]) => {
      const isRead = type.includes('*') || isJson(parseMediaType(type)) || sequenceOf(type)
      return (isRead && schema && placeOf(schema)) || []
    })
    return places.length > 1 ? { any: places } : places[0]
  }

  const held = <T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> =>
    Object.fromEntries(
      entries.flatMap(([name, entry]) => (entry === undefined ? [] : [[name, entry] as const])),
    )
  const named = model.operations.map(operation => ({
    name: `${operation.method} ${operation.path}`,
    operation,
  }))
  const bodies = held(named.map(({ name, operation }) => [name, placeIn(operation.body?.content)]))
  const replies = held(
    named.map(({ name, operation }) => {
      const placesByStatus = held(
        [...operation.responses].map(([status, { content }]) => [status, placeIn(content)]),
      )
      return [name, Object.keys(placesByStatus).length > 0 ? placesByStatus : undefined]
    }),
  )
  return { int64: types.int64, components, bodies, replies }
}
