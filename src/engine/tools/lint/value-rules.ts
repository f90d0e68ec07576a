import { isDeepStrictEqual } from 'node:util'
import { isMultipleOf } from 'spec-served-document/decimals'
import { type Model, partsOf, typesIn, valuesIn } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { followAt, type Placed, partsAt, schemasWithin } from 'spec-served-document/reading/nodes'
import { schemasIn } from 'spec-served-document/reading/walk'
import { likest } from 'spec-served-document/spelling'
import type { MediaType, Parameter, Reference, Schema } from 'spec-served-document/types'
import { parseMediaType } from 'spec-served-document/values/media-types'
import { misnamedIn } from './discriminators.ts'
import { ofKind } from './promise-rules.ts'
import { bodyPlace, responsePlace } from './usual.ts'
import { leaveOut, type ProjectRule, superfluous, type Violation, write } from './violation.ts'

/** The formats that values are checked against; others would only be words. */
export const checkedFormats: ReadonlySet<string> = new Set([
  'date',
  'date-time',
  'email',
  'uuid',
  'uri',
  'ipv4',
  'ipv6',
  'hostname',
  'uri-reference',
  'time',
  'duration',
  'binary',
  'int32',
  'int64',
  'float',
  'double',
  'byte',
  'password',
])

/** Rules against promises about values that nobody would check. */
export const valueRules: Record<string, ProjectRule> = {
  *parameters(model) {
    for (const { node, path } of ofKind<Parameter>(model.document, 'parameter'))
      yield* parameterFaults(model, node, path)
    for (const { node, path } of ofKind<{ headers?: Record<string, unknown> }>(model.document, 'response'))
      for (const name of Object.keys(node.headers ?? {}))
        if (name.toLowerCase() === 'content-type')
          yield superfluous(
            [...path, 'headers', name],
            'Content-Type is no header here: content names the media type.',
          )
  },

  *'unshown-properties'(model) {
    yield* unshownFaults(model)
  },

  *'wider-requests'(model) {
    for (const located of model.operations) {
      const status = [...located.responses.keys()].find(candidate => candidate.startsWith('2'))
      if (status === undefined) continue
      const reply = located.responses.get(status)?.content
      const shown = new Map(propertiesIn(model, reply, responsePlace(model, located, status)))
      for (const [name, property] of propertiesIn(model, located.body?.content, bodyPlace(model, located)))
        yield* widerFaults(model, name, property, shown.get(name)?.node ?? property.node)
    }
  },

  *'read-and-write'({ document }) {
    for (const { schema, path: place } of schemasIn(document)) {
      const { readOnly, writeOnly } = schema
      if (readOnly && writeOnly)
        yield {
          place,
          message: 'A property can be readOnly or writeOnly, but not both at once.',
          decide: 'whether clients see it (leave out writeOnly) or send it (leave out readOnly).',
        }
      if ((readOnly || writeOnly) && place.at(-2) !== 'properties')
        yield {
          place,
          message: 'readOnly and writeOnly mean something on a property only: write it there.',
          ...leaveOut(place, ...(readOnly ? ['readOnly'] : []), ...(writeOnly ? ['writeOnly'] : [])),
        }
    }
  },

  *discriminators(model) {
    for (const { schema, path } of schemasIn(model.document))
      if (schema.discriminator) yield* discriminatorFaults(model, schema, path)
    yield* misnamedIn(model)
  },

  *'idle-keywords'({ document }) {
    for (const { schema, path } of schemasIn(document)) {
      const { type, format, nullable, xml } = schema
      const idle = (keyword: string, message: string) => superfluous([...path, keyword], message)
      if (format !== undefined && !checkedFormats.has(format)) {
        const meant = likest(format, checkedFormats)
        yield {
          ...idle(
            'format',
            `No value is checked against the format ${format}, but against ${[...checkedFormats].join(', ')}, or a pattern.`,
          ),
          ...(meant !== undefined && write(path, { format: meant })),
        }
      }
      if (nullable && type === undefined)
        yield idle('nullable', 'nullable means nothing without a type beside it (OpenAPI 3.0.3, 4.7.24.1).')
      if (xml !== undefined) yield idle('xml', 'No XML is read or sent.')
      for (const [exclusive, bound] of [
        ['exclusiveMinimum', 'minimum'],
        ['exclusiveMaximum', 'maximum'],
      ] as const)
        if (schema[exclusive] && schema[bound] === undefined)
          yield idle(exclusive, `${exclusive} means nothing without ${bound}.`)
    }
  },
}

function* parameterFaults(model: Model, node: Parameter, place: Path): Generator<Violation> {
  const { schema, style = '', explode } = node
  if (node.allowEmptyValue)
    yield superfluous(
      [...place, 'allowEmptyValue'],
      'OpenAPI will drop allowEmptyValue, and the check does not try it: give the parameter a value that means the same.',
    )
  if (node.required && schema && 'default' in model.resolve(schema)) {
    const schemaPlace = followAt(model.document, schema, [...place, 'schema'])?.place ?? place
    yield {
      place,
      message: 'A required parameter is never absent: its default means nothing.',
      ...(node.in === 'path' ? leaveOut([...schemaPlace, 'default']) : leaveOut([...place, 'required'])),
    }
  }
  for (const [name, media] of Object.entries(node.content ?? {}))
    if (!/\bjson$/.test(parseMediaType(name)?.essence ?? ''))
      yield {
        place: [...place, 'content', name],
        message: `The content of a parameter must be JSON: ${name} can't be read in one.`,
        mend: [
          { place: [...place, 'content', name] },
          { place: [...place, 'content', 'application/json'], value: media },
        ],
      }
  const kinds = schema ? typesOf(model, schema) : []
  if (style === 'deepObject' && (!kinds.includes('object') || explode === false))
    yield {
      place,
      message: 'deepObject is for objects, each property by itself.',
      ...(kinds.includes('object') ? write(place, { explode: true }) : leaveOut(place, 'style')),
    }
  if (['spaceDelimited', 'pipeDelimited'].includes(style) && (explode || !kinds.includes('array')))
    yield {
      place,
      message: `${style} is for lists in one value.`,
      ...(kinds.includes('array') ? write(place, { explode: false }) : leaveOut(place, 'style')),
    }
}

function* discriminatorFaults(model: Model, schema: Schema, path: Path): Generator<Violation> {
  const place = [...path, 'discriminator']
  const { propertyName = '', mapping = {} } = schema.discriminator ?? {}
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (alternatives.length === 0)
    yield superfluous(
      place,
      'A discriminator decides between the alternatives of oneOf or anyOf: put it beside those.',
    )
  const names = new Set<string>()
  for (const alternative of alternatives) {
    const { $ref } = alternative
    if (typeof $ref !== 'string') {
      yield {
        place,
        message: 'An alternative without a name can never be chosen (OpenAPI 3.0.3, 4.7.25).',
        decide: 'its name, under components/schemas, and refer to it there.',
      }
      continue
    }
    names.add($ref)
    if (partsOf(model, alternative).some(({ required = [] }) => required.includes(propertyName))) continue
    const found = followAt<Schema>(model.document, alternative, [])
    yield {
      place,
      message: `${$ref} does not require ${propertyName}, without which nobody can choose.`,
      ...write(found?.place ?? path, { required: [...(found?.node.required ?? []), propertyName] }),
    }
  }
  for (const [value, target] of Object.entries(mapping))
    if (!names.has(target))
      yield {
        place,
        message: `${value} is mapped to ${target}, which is none of the alternatives.`,
        ...leaveOut([...place, 'mapping', value]),
      }
}

const typesOf = (model: Model, schema: Schema | Reference) =>
  [...schemasWithin(model, schema)]
    .slice(0, 1)
    .flatMap(first => partsOf(model, first).flatMap(({ type }) => type ?? []))

/** The least share of the properties of a body that replies show, if it describes a record. */
const shareOfRecord = 0.5

/**
 * Yields the properties of records that clients send and no reply shows. A body is a record's if the replies at its path,
 * and at those of its collection and its records, show half of its properties.
 */
export function* unshownFaults(model: Model): Generator<Violation> {
  const collectionOf = (path: string) => path.replace(/\/\{\w+\}$/, '')
  const seen = new Set<Schema>()
  for (const [, family] of Map.groupBy(model.operations, ({ path }) => collectionOf(path))) {
    const replies = family.flatMap(operation =>
      [...operation.responses].flatMap(([status, { content }]) =>
        status.startsWith('2')
          ? [...propertiesIn(model, content, responsePlace(model, operation, status))]
          : [],
      ),
    )
    const shown = new Set(replies.map(([name]) => name))
    for (const located of family) {
      const sent = [...propertiesIn(model, located.body?.content, bodyPlace(model, located))].filter(
        ([, { node }]) => !node.writeOnly && !node.readOnly,
      )
      if (sent.filter(([name]) => shown.has(name)).length < sent.length * shareOfRecord) continue
      for (const [name, { node, place }] of sent) {
        if (shown.has(name) || seen.has(node)) continue
        seen.add(node)
        yield {
          place,
          message: `Clients send ${name} with a record, and no reply shows it.`,
          decide:
            'show it in the schema of the reply, leave it out here, or write writeOnly: true if it is a secret.',
        }
      }
    }
  }
}

/** The properties of an object, or of the objects in a list, by their names. */
function* propertiesIn(
  model: Model,
  content: Readonly<Record<string, MediaType>> = {},
  holder: Path,
): Generator<[name: string, property: Placed<Schema>]> {
  for (const [type, { schema }] of Object.entries(content).slice(0, 1))
    for (const { node, place } of schema
      ? partsAt(model.document, [{ node: schema, place: [...holder, 'content', type, 'schema'] }])
      : []) {
      const list = node.items && followAt<Schema>(model.document, node.items, [...place, 'items'])
      const whole = list ?? { node, place }
      for (const [name, declared] of Object.entries(whole.node.properties ?? {})) {
        const property = followAt<Schema>(model.document, declared, [...whole.place, 'properties', name])
        if (property) yield [name, property]
      }
    }
}

/** The formats of texts that say more than that it is one. */
const formatsOfTexts = /^(date|date-time|email|uuid|uri|ipv4|ipv6|hostname|uri-reference|time|duration)$/
/** The deepest part of a property that is compared. */
const deepest = 5
const bounds = [
  ...(['maxLength', 'minLength', 'maximum', 'minimum', 'maxItems', 'minItems'] as const),
  ...(['maxProperties', 'minProperties'] as const),
]

/** Yields what a request's property lets in and the reply's can't show, in its parts as well. */
function* widerFaults(
  model: Model,
  name: string,
  { node, place }: Placed<Schema>,
  reply: Schema,
  depth = 0,
): Generator<Violation> {
  const [taken, shown] = [node, reply].map(item => Object.assign({}, ...partsOf(model, item))) as [
    Schema,
    Schema,
  ] // of schemas
  const fault = (keyword: string, more: unknown, less: unknown): Violation => ({
    place,
    message: `The request takes ${name} with ${keyword} ${spelt(more)}, and its reply shows ${keyword} ${spelt(less)}.`,
    ...write(place, { [keyword]: less }),
  })
  const [sent, seen] = [taken, shown].map(item => valuesIn(item)?.filter(value => value !== null))
  if (seen && !sent?.every(value => seen.some(candidate => isDeepStrictEqual(candidate, value)))) {
    yield fault('enum', sent, seen)
    return
  }
  if (sent) return // they need no bounds
  for (const keyword of bounds) {
    const [takenBound, most] = [taken[keyword], shown[keyword]]
    if (typeof most !== 'number') continue
    const isUpper = keyword.startsWith('max')
    if (typeof takenBound === 'number' && (isUpper ? takenBound <= most : takenBound >= most)) continue
    yield fault(keyword, takenBound, most)
  }
  if (shown.pattern !== undefined && taken.pattern !== shown.pattern)
    yield fault('pattern', taken.pattern, shown.pattern)
  if (formatsOfTexts.test(shown.format ?? '') && taken.format !== shown.format)
    yield fault('format', taken.format, shown.format)
  const [types, others] = [typesIn(taken), typesIn(shown)]
  const isWhole = typeof taken.multipleOf === 'number' && Number.isInteger(taken.multipleOf)
  if (types.includes('number') && others.includes('integer') && !others.includes('number') && !isWhole)
    yield fault('type', 'number', 'integer')
  const { multipleOf: unit } = shown
  if (typeof unit === 'number' && !isMultipleOf(Number(taken.multipleOf ?? unit / 2), unit))
    yield fault('multipleOf', taken.multipleOf, unit)
  if (shown.uniqueItems && !taken.uniqueItems) yield fault('uniqueItems', taken.uniqueItems, true)
  if (depth === deepest) return
  const seenParts = new Map(partsWithin(shown).map(item => [item.name, item.schema]))
  for (const { name: part, path, schema } of partsWithin(node)) {
    const below = followAt<Schema>(model.document, schema, [...place, ...path])
    const other = seenParts.get(part)
    if (below && other)
      yield* widerFaults(model, `${name}${part}`, below, model.resolve<Schema>(other), depth + 1)
  }
}

const spelt = (value: unknown) =>
  value === undefined ? 'open' : typeof value === 'string' ? value : JSON.stringify(value)

/** Returns the schemas directly within one, as `.name` and `[]`. */
function partsWithin({
  items,
  properties = {},
}: Schema): { name: string; path: Path; schema: Schema | Reference }[] {
  const members = Object.entries(properties).map(([name, schema]) => ({
    ...{ name: `.${name}`, path: ['properties', name], schema },
  }))
  return items ? [...members, { name: '[]', path: ['items'], schema: items }] : members
}
