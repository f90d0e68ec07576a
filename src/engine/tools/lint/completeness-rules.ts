import { type EngineResponse, engineResponses, replyFields } from 'spec-served/internal/errors/refusals'
import { codesOf, type Model, type OperationModel } from 'spec-served-document/model'
import type { Path } from 'spec-served-document/pointer'
import { showsSecret } from 'spec-served-document/reading/facts'
import { followAt, type Placed } from 'spec-served-document/reading/nodes'
import { schemasIn, walkFrom } from 'spec-served-document/reading/walk'
import type { Header, MediaType, Reference, Schema } from 'spec-served-document/types'
import { type Component, headerComponent, responseComponent } from './engine-components.ts'
import { limitExampleFaults } from './limit-examples.ts'
import { replyExampleFaults } from './reply-examples.ts'
import {
  bodyPlace,
  dueRefusals,
  exampleFor,
  parameterPlace,
  responsePlace,
  sentenceOf,
  usualHeader,
  usualResponse,
} from './usual.ts'
import { leaveOut, type ProjectRule, type Remedy, superfluous, type Violation, write } from './violation.ts'

/** The header fields of requests without which a status or a code has no cause (RFC 9110, sections 13.1.1 and 13.1.2). */
const causes: Readonly<Record<string, string>> = {
  304: 'If-None-Match',
  412: 'If-Match',
  idempotency_key_in_use: 'Idempotency-Key',
  idempotency_key_reused: 'Idempotency-Key',
  idempotent_reply_sealed: 'Idempotency-Key',
}
/** The parts that an operation lacks where it never meets a refusal of a kind. */
const partsFor = { secured: 'security', limited: 'quota', body: 'body', always: '' }

/** Returns the part of an operation without which it never answers with a status, or a code of the engine; undefined: it may. */
function missingFor(located: OperationModel, answer: string): string | undefined {
  const field = causes[answer]
  if (field !== undefined)
    return located.parameters.some(({ name }) => name.toLowerCase() === field.toLowerCase())
      ? undefined
      : `parameter ${field}`
  const refusals: readonly EngineResponse[] = Object.values(engineResponses)
  const { due = [] } = refusals.find(({ codes }) => codes.includes(answer)) ?? {}
  const [kind] = due
  const isDue = dueRefusals(located).some(({ codes }) => codes.includes(answer))
  return kind === undefined || isDue ? undefined : partsFor[kind]
}

/** The rules that make a document give its readers everything: every status, header, bound and an example. */
export const completenessRules: Record<string, ProjectRule> = {
  *'declared-statuses'(model) {
    for (const located of model.operations) {
      const place = [...located.place, 'responses']
      const missing = dueRefusals(located).filter(({ status }) => !located.responses.has(String(status)))
      const found = missing.map(({ name, ...refusal }) => {
        const usual = usualResponse(model, String(refusal.status))
        const { reference, mend } = usual
          ? { reference: usual, mend: [] }
          : responseComponent(model, name, refusal)
        return { name: String(refusal.status), reference, mend }
      })
      for (const { names, ...remedy } of byKind(place, found))
        yield { place, message: `The operation can also answer ${names}.`, ...remedy }
    }
  },

  *'idle-refusals'(model) {
    for (const located of model.operations)
      for (const [status, response] of located.responses) {
        const place = [...located.place, 'responses', status]
        const lacking = codesOf(response).flatMap(code => {
          const lacked = missingFor(located, code)
          return lacked === undefined ? [] : [{ code, lacked }]
        })
        const isWhole = lacking.length > 0 && lacking.length === codesOf(response).length
        const lacked = missingFor(located, status) ?? (isWhole ? lacking[0]?.lacked : undefined)
        if (lacked !== undefined) {
          yield superfluous(place, `${located.id} has no ${lacked}, so that it never answers ${status}.`)
          continue
        }
        for (const { code, lacked: part } of lacking)
          yield {
            place,
            message: `${located.id} has no ${part}, so that it never answers ${code}.`,
            decide: `the ${part}, or a response that does not name the code.`,
          }
      }
  },

  *'response-headers'(model) {
    const usual = new Map<string, Component | undefined>()
    const componentOf = (name: string) => {
      if (!usual.has(name)) {
        const reference = usualHeader(model, name)
        usual.set(name, reference ? { reference, mend: [] } : headerComponent(model, name))
      }
      return usual.get(name)
    }
    for (const located of model.operations)
      for (const [status, { headers = {}, content }] of located.responses) {
        const { operation } = located
        const due: string[] = [...replyFields, ...(fieldsOf.get(status) ?? [])]
        if (status.startsWith('2') && operation['x-stability']) due.push('X-Stability')
        if (/^(2|410)/.test(status) && operation.deprecated) due.push('Deprecation', 'Sunset', 'Link')
        if (status === '201' && hasId(schemaOf(model, content))) due.push('Location')
        const missing = due.filter(name => !(name in headers))
        if (missing.length === 0) continue
        const place = responsePlace(model, located, status)
        const message = (names: string) => `The response lacks the headers ${names}.`
        const found = missing.flatMap(name => {
          const component = componentOf(name)
          return component ? [{ name, ...component }] : []
        })
        for (const { names, ...remedy } of byKind([...place, 'headers'], found))
          yield { place, message: message(names), ...remedy }
        const others = missing.filter(name => !componentOf(name))
        if (others.length > 0)
          yield {
            place,
            message: message(others.join(', ')),
            decide: 'how clients learn of them, under components/headers.',
          }
      }
  },

  *'secret-replies'(model) {
    const valuesOf = (header: Header | Reference | undefined) =>
      header && model.resolve(model.resolve<Header>(header).schema ?? {}).enum
    const isKept = (value: unknown) => !/\bno-store\b/i.test(String(value))
    const [unkept] = Object.entries(model.document.components?.headers ?? {}).find(
      ([, header]) => valuesOf(header)?.some(isKept) === false,
    ) ?? ['']
    for (const located of model.operations)
      for (const [status, { headers = {} }] of showsSecret(model, located) ? located.responses : []) {
        const name = Object.keys(headers).find(field => field.toLowerCase() === 'cache-control')
        if (!status.startsWith('2') || !name || !valuesOf(headers[name])?.some(isKept)) continue
        const place = [...responsePlace(model, located, status), 'headers', name]
        const message = 'The reply shows a secret, and a cache may keep it.'
        if (unkept === '') yield { place, message, decide: 'how it is kept from caches: no-store.' }
        else yield { place, message, mend: [{ place, value: { $ref: `#/components/headers/${unkept}` } }] }
      }
  },

  *'error-bodies'(model) {
    for (const located of model.operations) {
      const success = [...located.responses].find(([status]) => status.startsWith('2'))
      const successSchema = success && schemaOf(model, success[1].content)
      for (const [status, { content }] of located.responses) {
        const schema = schemaOf(model, content)
        // A state report (getHealth) may have the form of the success.
        if (
          Number(status) >= 400 &&
          schema !== model.document.components?.schemas?.Error &&
          schema !== successSchema
        ) {
          const place = responsePlace(model, located, status)
          const error = { $ref: '#/components/schemas/Error' }
          const example = { code: 'not_found', message: 'What went wrong.', status: Number(status) }
          yield {
            place,
            message: 'An error has the schema Error.',
            ...write(place, { content: { 'application/json': { schema: error, example } } }),
          }
        }
      }
    }
  },

  *examples(model) {
    for (const located of model.operations) {
      const { body, responses } = located
      for (const [status, { content }] of responses)
        if (!hasExample(model, content)) {
          const place = responsePlace(model, located, status)
          yield { place, message: 'The response needs an example.', ...exampleOf(model, content, place) }
        }
      if (body && !hasExample(model, body.content)) {
        const place = bodyPlace(model, located)
        yield {
          place,
          message: 'The request body needs an example.',
          ...exampleOf(model, body.content, place),
        }
      }
    }
  },

  *'limit-examples'(model) {
    yield* limitExampleFaults(model)
  },

  *'reply-examples'(model) {
    yield* replyExampleFaults(model)
  },

  *descriptions({ operations }) {
    for (const { operation, place, id } of operations)
      for (const key of ['summary', 'description'] as const)
        if (!operation[key])
          yield {
            place,
            message: `The operation needs a ${key}.`,
            ...write(place, { [key]: key === 'summary' ? sentenceOf(id) : `${sentenceOf(id)}.` }),
          }
  },

  *'tool-descriptions'({ operations }) {
    for (const { operation, place } of operations) {
      const words = `${operation.summary ?? ''} ${operation.description ?? ''}`.trim()
      if (operation['x-mcp'] !== false && words.length < shortestDescription)
        yield {
          place,
          message: 'Agents choose a tool by its summary and description. They are too short here.',
          decide: 'what it does, and when to use it. Or write `x-mcp: false`, and it is no tool.',
        }
    }
  },

  *'bounded-requests'(model) {
    for (const located of model.operations) {
      for (const [index, { schema }] of located.parameters.entries())
        if (schema) yield* boundFaults(model, schema, [...parameterPlace(model, located, index), 'schema'])
      for (const [type, { schema }] of Object.entries(located.body?.content ?? {}))
        if (schema)
          yield* boundFaults(model, schema, [...bodyPlace(model, located), 'content', type, 'schema'])
    }
  },

  *'closed-objects'({ document }) {
    for (const { schema, path: place } of schemasIn(document))
      if (schema.properties !== undefined && schema.additionalProperties !== false)
        yield {
          place,
          message: 'An object with properties is closed.',
          ...write(place, { additionalProperties: false }),
        }
  },

  *'integer-width'({ document }) {
    for (const { schema, path: place } of schemasIn(document)) {
      const { type, format, minimum = 0, maximum } = schema
      // Without a maximum the format alone says how far it goes.
      if (type !== 'integer' || maximum === undefined) continue
      const isWide = Number(maximum) > maxInt32 || Number(minimum) < -maxInt32 - 1
      if (isWide && format !== 'int64')
        yield {
          place,
          message: `An integer from ${minimum} to ${maximum} needs more than 32 bits.`,
          ...write(place, { format: 'int64' }),
        }
      if (!isWide && format === 'int64')
        yield {
          place,
          message: `An integer from ${minimum} to ${maximum} fits 32 bits.`,
          ...leaveOut([...place, 'format']),
        }
    }
  },
}

/** The remedies of writing what the document has, and of writing what it has to get components for. */
function* byKind(
  place: Path,
  found: readonly (Component & { name: string })[],
): Generator<{ names: string } & Remedy> {
  for (const some of [
    found.filter(candidate => candidate.mend.length === 0),
    found.filter(candidate => candidate.mend.length > 0),
  ])
    if (some.length > 0)
      yield {
        names: some.map(({ name }) => name).join(', '),
        mend: some.flatMap(({ name, reference, mend }) => [
          ...mend,
          { place: [...place, name], value: reference },
        ]),
      }
}

/** The fields of a refusal's own, by its status. Those of an ended operation are due where it is deprecated. */
const fieldsOf = new Map(
  Object.values<EngineResponse>(engineResponses)
    .filter(({ due }) => due !== undefined)
    .map(({ status, fields = [] }) => [String(status), fields]),
)

/** The fewest characters that describe an operation. */
const shortestDescription = 12

/** The largest integer of 32 bits. */
const maxInt32 = 2_147_483_647

type Content = Record<string, MediaType> | undefined

/** The schema of the first media type, its reference followed. */
function schemaOf(model: Model, content: Content): Schema | undefined {
  const schema = Object.values(content ?? {})[0]?.schema
  return schema && model.resolve(schema)
}

function hasId(schema: Schema | undefined): boolean {
  return schema?.properties !== undefined && 'id' in schema.properties
}

function hasExample(model: Model, content: Content): boolean {
  return Object.values(content ?? {}).every(
    media =>
      media.example !== undefined ||
      media.examples !== undefined ||
      (media.schema && model.resolve(media.schema).example !== undefined),
  )
}

/** The example that each media type lacks. */
function exampleOf(model: Model, content: Content, place: Path): Remedy {
  const lacking = Object.entries(content ?? {}).filter(([, media]) => !hasExample(model, { media }))
  return {
    mend: lacking.map(([type, { schema }]) => ({
      place: [...place, 'content', type, 'example'],
      value: schema ? exampleFor(model, schema) : {},
    })),
  }
}

/** The default bounds of a request. The document states them, with numbers of its author's choice. */
const bounds = { maxLength: 200, maxItems: 100, minimum: 0, maximum: maxInt32 }

/** A request without bounds is a request without end: each schema says how much it takes. */
function* boundFaults(model: Model, declared: Schema | Reference, start: Path): Generator<Violation> {
  for (const { node: schema, place } of placedWithin(model, declared, start)) {
    const { type, enum: values, format, properties, additionalProperties } = schema
    const due: Record<string, (keyof typeof bounds)[]> = {
      string: values || format === 'date-time' || format === 'date' ? [] : ['maxLength'],
      integer: values ? [] : ['minimum', 'maximum'],
      number: values ? [] : ['minimum', 'maximum'],
      array: ['maxItems'],
    }
    for (const keyword of due[String(type)] ?? [])
      if (!(keyword in schema))
        yield {
          place,
          message: `A ${type} of a request needs ${keyword}.`,
          ...write(place, { [keyword]: bounds[keyword] }),
        }
    if (type === 'object' && properties === undefined && additionalProperties !== false)
      yield {
        place,
        message: 'An object of a request names its properties, or has none.',
        ...write(place, { additionalProperties: false }),
      }
  }
}

/** A schema and all that it is made of, references followed, with their places; each once. */
function* placedWithin(
  model: Model,
  declared: Schema | Reference,
  place: Path,
  seen = new Set<object>(),
): Generator<Placed<Schema>> {
  const found = followAt<Schema>(model.document, declared, place)
  if (!found || seen.has(found.node)) return
  seen.add(found.node)
  yield found
  for (const { kind, node, path } of walkFrom('schema', found.node, []))
    if (kind === 'schema' && path.length > 0)
      yield* placedWithin(model, node as Schema, [...found.place, ...path], seen) // of this kind
}
