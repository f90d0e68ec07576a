import { isSecured, type Model, schemasWithin } from '../../src/document/model.ts'
import type { MediaType, Reference, Schema } from '../../src/document/types.ts'
import { schemasIn } from '../../src/document/walk.ts'
import type { Breach, ProjectRule } from './fact-rules.ts'

/** What makes the document tell its readers everything: every status, header, bound and an example. */
export const completenessRules: Record<string, ProjectRule> = {
  *'declared-statuses'({ operations }) {
    for (const located of operations) {
      const { operation, at, responses } = located
      const due = ['400', '414', '500', '503']
      if (isSecured(located)) due.push('401', '403')
      if (!operation['x-quota-free']) due.push('429')
      if (operation.requestBody) due.push('413', '415')
      const missing = due.filter(status => !responses.has(status)).sort()
      if (missing.length > 0)
        yield { at: [...at, 'responses'], message: `The operation can also answer ${missing.join(', ')}.` }
    }
  },

  *'response-headers'(model) {
    const always = [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit-Policy',
      'RateLimit',
    ]
    for (const { operation, at, responses } of model.operations)
      for (const [status, { headers = {}, content }] of responses) {
        const due = [...always, 'X-Request-Id', 'Cache-Control', 'X-Content-Type-Options']
        if (status === '429' || status === '503') due.push('Retry-After')
        if (status === '401') due.push('WWW-Authenticate')
        if (status.startsWith('2') && operation['x-stability']) due.push('X-Stability')
        if (/^(2|410)/.test(status) && operation.deprecated) due.push('Deprecation', 'Sunset', 'Link')
        if (status === '201' && hasId(schemaOf(model, content))) due.push('Location')
        const missing = due.filter(name => !(name in headers))
        if (missing.length > 0)
          yield {
            at: [...at, 'responses', status],
            message: `The response lacks the headers ${missing.join(', ')}.`,
          }
      }
  },

  *'error-bodies'(model) {
    for (const { at, responses } of model.operations) {
      const success = [...responses].find(([status]) => status.startsWith('2'))
      const successSchema = success && schemaOf(model, success[1].content)
      for (const [status, { content }] of responses) {
        const schema = schemaOf(model, content)
        // A state report (getHealth) may have the form of the success.
        if (
          Number(status) >= 400 &&
          schema !== model.document.components?.schemas?.Error &&
          schema !== successSchema
        )
          yield { at: [...at, 'responses', status], message: 'An error has the schema Error.' }
      }
    }
  },

  *examples(model) {
    for (const { at, body, responses } of model.operations) {
      for (const [status, { content }] of responses)
        if (!hasExample(model, content))
          yield { at: [...at, 'responses', status], message: 'The response needs an example.' }
      if (body && !hasExample(model, body.content))
        yield { at: [...at, 'requestBody'], message: 'The request body needs an example.' }
    }
  },

  *descriptions({ operations }) {
    for (const { operation, at } of operations)
      for (const key of ['summary', 'description'] as const)
        if (!operation[key]) yield { at, message: `The operation needs a ${key}.` }
  },

  *'bounded-requests'(model) {
    for (const { at, body, parameters } of model.operations) {
      for (const [index, { schema }] of parameters.entries())
        if (schema) yield* boundFaults(model, schema, [...at, 'parameters', String(index)])
      for (const { schema } of Object.values(body?.content ?? {}))
        if (schema) yield* boundFaults(model, schema, [...at, 'requestBody'])
    }
  },

  *'closed-objects'({ document }) {
    for (const { schema, path: at } of schemasIn(document))
      if (schema.properties !== undefined && schema.additionalProperties !== false)
        yield { at, message: 'An object with properties is closed: additionalProperties: false.' }
  },

  *'integer-width'({ document }) {
    for (const { schema, path: at } of schemasIn(document)) {
      const { type, format, minimum = 0, maximum } = schema
      // Without a maximum the format alone says how far it goes.
      if (type !== 'integer' || maximum === undefined) continue
      const isWide = Number(maximum) > maxInt32 || Number(minimum) < -maxInt32 - 1
      if (isWide && format !== 'int64')
        yield { at, message: `An integer from ${minimum} to ${maximum} needs format: int64.` }
      if (!isWide && format === 'int64')
        yield {
          at,
          message: `An integer from ${minimum} to ${maximum} fits 32 bits: it needs no format: int64.`,
        }
    }
  },
}

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

/** A request without bounds is a request without end: each schema says how much it takes. */
function* boundFaults(model: Model, declared: Schema | Reference, at: readonly string[]): Generator<Breach> {
  for (const schema of schemasWithin(model, declared)) {
    const { type, enum: values, format, properties, additionalProperties } = schema
    const due: Record<string, string[]> = {
      string: values || format === 'date-time' || format === 'date' ? [] : ['maxLength'],
      integer: values ? [] : ['minimum', 'maximum'],
      number: values ? [] : ['minimum', 'maximum'],
      array: ['maxItems'],
    }
    for (const keyword of due[String(type)] ?? [])
      if (!(keyword in schema)) yield { at, message: `A ${type} of a request needs ${keyword}.` }
    if (type === 'object' && properties === undefined && additionalProperties !== false)
      yield {
        at,
        message: 'An object of a request names its properties, or has none: additionalProperties: false.',
      }
  }
}
