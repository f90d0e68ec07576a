import type { Breach, ProjectRule } from './fact-rules.ts'
import { isSecured, type OpenApi, operationsOf, resolve, type Schema, schemasIn } from './model.ts'

/** What makes the document tell its readers everything: every status, header, bound and an example. */
export const completenessRules: Record<string, ProjectRule> = {
  *'declared-statuses'(document) {
    for (const { operation, at } of operationsOf(document)) {
      const due = ['400', '414', '500', '503']
      if (isSecured(document, operation)) due.push('401', '403')
      if (!operation['x-quota-free']) due.push('429')
      if (operation.requestBody) due.push('413', '415')
      const missing = due.filter(status => !(status in operation.responses)).sort()
      if (missing.length > 0)
        yield { at: [...at, 'responses'], message: `The operation can also answer ${missing.join(', ')}.` }
    }
  },

  *'response-headers'(document) {
    const always = [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit-Policy',
      'RateLimit',
    ]
    for (const { operation, at } of operationsOf(document))
      for (const [status, declared] of Object.entries(operation.responses)) {
        const { headers = {}, content } = resolve(document, declared)
        const due = [...always, 'X-Request-Id', 'Cache-Control', 'X-Content-Type-Options']
        if (status === '429' || status === '503') due.push('Retry-After')
        if (status === '401') due.push('WWW-Authenticate')
        if (status.startsWith('2') && operation['x-stability']) due.push('X-Stability')
        if (/^(2|410)/.test(status) && operation.deprecated) due.push('Deprecation', 'Sunset', 'Link')
        if (status === '201' && hasId(schemaOf(document, content))) due.push('Location')
        const missing = due.filter(name => !(name in headers))
        if (missing.length > 0)
          yield {
            at: [...at, 'responses', status],
            message: `The response lacks the headers ${missing.join(', ')}.`,
          }
      }
  },

  *'error-bodies'(document) {
    for (const { operation, at } of operationsOf(document)) {
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))
      const successSchema = success && schemaOf(document, resolve(document, success[1]).content)
      for (const [status, declared] of Object.entries(operation.responses)) {
        const schema = schemaOf(document, resolve(document, declared).content)
        // A state report (getHealth) may have the form of the success.
        if (
          Number(status) >= 400 &&
          schema !== document.components?.schemas?.Error &&
          schema !== successSchema
        )
          yield { at: [...at, 'responses', status], message: 'An error has the schema Error.' }
      }
    }
  },

  *examples(document) {
    for (const { operation, at } of operationsOf(document)) {
      for (const [status, declared] of Object.entries(operation.responses))
        if (!hasExample(document, resolve(document, declared).content))
          yield { at: [...at, 'responses', status], message: 'The response needs an example.' }
      if (operation.requestBody && !hasExample(document, resolve(document, operation.requestBody).content))
        yield { at: [...at, 'requestBody'], message: 'The request body needs an example.' }
    }
  },

  *descriptions(document) {
    for (const { operation, at } of operationsOf(document))
      for (const key of ['summary', 'description'] as const)
        if (!operation[key]) yield { at, message: `The operation needs a ${key}.` }
  },

  *'bounded-requests'(document) {
    for (const { operation, at } of operationsOf(document)) {
      for (const [index, declared] of (operation.parameters ?? []).entries()) {
        const { schema } = resolve(document, declared)
        if (schema) yield* boundFaults(document, schema, [...at, 'parameters', String(index)])
      }
      if (!operation.requestBody) continue
      for (const { schema } of Object.values(resolve(document, operation.requestBody).content ?? {}))
        if (schema) yield* boundFaults(document, schema, [...at, 'requestBody'])
    }
  },

  *'closed-objects'(document) {
    for (const { schema, at } of schemasIn(document))
      if (schema.properties !== undefined && schema.additionalProperties !== false)
        yield { at, message: 'An object with properties is closed: additionalProperties: false.' }
  },

  *'integer-width'(document) {
    for (const { schema, at } of schemasIn(document)) {
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

type Content = Record<string, { schema?: Schema; example?: unknown; examples?: unknown }> | undefined

/** The schema of the first media type, its reference followed. */
function schemaOf(document: OpenApi, content: Content): Schema | undefined {
  const schema = Object.values(content ?? {})[0]?.schema
  return schema && resolve(document, schema)
}

function hasId(schema: Schema | undefined): boolean {
  return typeof schema?.properties === 'object' && schema.properties !== null && 'id' in schema.properties
}

function hasExample(document: OpenApi, content: Content): boolean {
  return Object.values(content ?? {}).every(
    media =>
      media.example !== undefined ||
      media.examples !== undefined ||
      (media.schema && resolve(document, media.schema).example !== undefined),
  )
}

/** A request without bounds is a request without end: each schema says how much it takes. */
function* boundFaults(
  document: OpenApi,
  node: Schema,
  at: readonly string[],
  seen = new Set<object>(),
): Generator<Breach> {
  const schema = resolve(document, node)
  if (seen.has(schema)) return
  seen.add(schema)
  const {
    type,
    enum: values,
    format,
    properties = {},
    items,
  } = schema as Schema & { properties?: Record<string, Schema> }
  const due: Record<string, string[]> = {
    string: values || format === 'date-time' || format === 'date' ? [] : ['maxLength'],
    integer: values ? [] : ['minimum', 'maximum'],
    number: values ? [] : ['minimum', 'maximum'],
    array: ['maxItems'],
  }
  for (const keyword of due[String(type)] ?? [])
    if (!(keyword in schema)) yield { at, message: `A ${type} of a request needs ${keyword}.` }
  if (type === 'object' && schema.properties === undefined && schema.additionalProperties !== false)
    yield {
      at,
      message: 'An object of a request names its properties, or has none: additionalProperties: false.',
    }
  for (const child of Object.values(properties)) yield* boundFaults(document, child, at, seen)
  const parts = [items, schema.allOf, schema.oneOf, schema.anyOf].flat().filter(part => part !== undefined)
  for (const part of parts) yield* boundFaults(document, part as Schema, at, seen) // each of them holds schema objects
}
