import { isSecured, type OpenApi, type Operation, operationsOf, resolve, type Schema } from './model.ts'

/** A breach of a rule. */
export interface Breach {
  /** where, as the names on the way from the root */
  at: readonly string[]
  message: string
}

/** One of the rules that documents of this project keep, and others need not. */
export type ProjectRule = (document: OpenApi) => Iterable<Breach>

/** The extensions that the generator understands, each at its place. */
const extensions = {
  root: ['x-rate-limits'],
  tag: ['x-parent'],
  operation: [
    'x-stability',
    'x-deprecated-at',
    'x-deprecated-sunset',
    'x-successor',
    'x-successor-url',
    'x-hideTryItPanel',
    'x-required-scope',
    'x-quota-free',
  ],
}

/** Shortest time from deprecation to sunset, in days. An experimental operation may go at any time. */
const notice = { stable: 180, beta: 31, experimental: 0 }

const day = 86_400_000

export const projectRules: Record<string, ProjectRule> = {
  *'known-extensions'(document) {
    const places = new Map<object, string[]>([[document, extensions.root]])
    for (const tag of document.tags ?? []) places.set(tag, extensions.tag)
    for (const { operation } of operationsOf(document)) places.set(operation, extensions.operation)
    for (const { at, node } of nodesOf(document)) {
      const known = places.get(node) ?? []
      for (const key of Object.keys(node))
        if (
          key.startsWith('x-') &&
          at.at(-1) !== 'headers' &&
          at.at(-1) !== 'properties' &&
          !known.includes(key)
        )
          yield { at: [...at, key], message: `${key} is not known here.` }
    }
  },

  *stability(document) {
    for (const { operation, at } of operationsOf(document)) {
      const stability = operation['x-stability']
      if (stability !== undefined && stability !== 'experimental' && stability !== 'beta')
        yield {
          at: [...at, 'x-stability'],
          message: 'x-stability is experimental or beta; stable operations have none.',
        }
    }
  },

  *lifecycle(document) {
    for (const { operation, at } of operationsOf(document)) {
      const { 'x-deprecated-at': since, 'x-deprecated-sunset': sunset, deprecated = false } = operation
      const announced = since !== undefined || sunset !== undefined
      if (!deprecated && announced) yield { at, message: 'Deprecation dates without `deprecated: true`.' }
      if (deprecated && (since === undefined || sunset === undefined))
        yield { at, message: 'A deprecated operation needs x-deprecated-at and x-deprecated-sunset.' }
      if (deprecated !== '410' in operation.responses)
        yield {
          at,
          message: 'Exactly the deprecated operations declare 410, for the time after their sunset.',
        }
      const dates = { 'x-deprecated-at': since, 'x-deprecated-sunset': sunset }
      for (const [key, date] of Object.entries(dates))
        if (date !== undefined && !isDate(date))
          yield { at: [...at, key], message: `${date} is no date (YYYY-MM-DD).` }
      if (!since || !sunset || !isDate(since) || !isDate(sunset)) continue
      const least =
        notice[(operation['x-stability'] as keyof typeof notice | undefined) ?? 'stable'] ?? notice.stable
      const days = (Date.parse(sunset) - Date.parse(since)) / day
      if (days < least)
        yield {
          at: [...at, 'x-deprecated-sunset'],
          message: `${days} days of notice; at least ${least} are due.`,
        }
    }
  },

  *successor(document) {
    const operations = operationsOf(document)
    for (const { operation, at, path } of operations) {
      const { 'x-successor': id, 'x-successor-url': url } = operation
      if (id === undefined) {
        if (url !== undefined)
          yield { at: [...at, 'x-successor-url'], message: 'x-successor-url without x-successor.' }
        continue
      }
      const successor = operations.find(other => other.operation.operationId === id)
      const where = [...at, 'x-successor']
      if (!operation.deprecated) yield { at: where, message: 'Only a deprecated operation has a successor.' }
      if (!successor) yield { at: where, message: `There is no operation ${id}.` }
      else if (successor.operation === operation)
        yield { at: where, message: 'An operation does not succeed itself.' }
      else if (successor.operation.deprecated) yield { at: where, message: `${id} is deprecated itself.` }
      else if (url !== undefined)
        for (const message of successorUrlFaults(document, url, path, successor))
          yield { at: [...at, 'x-successor-url'], message }
    }
  },

  *tags(document) {
    const tags = document.tags ?? []
    const names = new Set(tags.map(tag => tag.name))
    const groups = new Set(tags.map(tag => tag['x-parent']))
    for (const [index, { 'x-parent': parent }] of tags.entries()) {
      const at = ['tags', String(index), 'x-parent']
      if (parent === undefined) continue
      if (!names.has(parent)) yield { at, message: `There is no tag ${parent}.` }
      if (tags.some(tag => tag.name === parent && tag['x-parent'] !== undefined))
        yield { at, message: `${parent} has a parent itself; groups do not nest.` }
    }
    for (const { operation, at } of operationsOf(document)) {
      const [tag, ...more] = operation.tags ?? []
      if (tag === undefined || more.length > 0) yield { at, message: 'An operation has exactly one tag.' }
      else if (!names.has(tag)) yield { at: [...at, 'tags'], message: `There is no tag ${tag}.` }
      else if (groups.has(tag))
        yield { at: [...at, 'tags'], message: `${tag} is a grouping of tags and has no operations.` }
    }
  },

  *scopes(document) {
    for (const { operation, at } of operationsOf(document)) {
      const scope = operation['x-required-scope']
      const secured = isSecured(document, operation)
      if (secured && scope === undefined) yield { at, message: 'A secured operation needs x-required-scope.' }
      if (!secured && scope !== undefined)
        yield { at: [...at, 'x-required-scope'], message: 'An open operation has no scope.' }
      if (scope !== undefined && !['read', 'write', 'admin'].includes(scope))
        yield { at: [...at, 'x-required-scope'], message: 'The scopes are read, write and admin.' }
    }
  },

  *'declared-statuses'(document) {
    for (const { operation, at } of operationsOf(document)) {
      const due = ['400', '500', '503']
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
        const due = [...always, 'X-Request-Id']
        if (status === '429' || status === '503') due.push('Retry-After')
        if (status === '401') due.push('WWW-Authenticate')
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

  *'rate-limits'(document) {
    const at = ['x-rate-limits']
    for (const message of rateLimitFaults(document)) yield { at, message }
  },
}

/** Every object in the document; `example` and the like hold data, not the document's own language. */
function* nodesOf(
  node: unknown,
  at: readonly string[] = [],
): Generator<{ at: readonly string[]; node: object }> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield { at, node }
  for (const [key, child] of Object.entries(node))
    if (
      !['example', 'examples', 'default', 'enum', 'x-rate-limits'].includes(key) ||
      at.at(-1) === 'properties'
    )
      yield* nodesOf(child, [...at, key])
}

/** Whether a text is a day of the calendar, YYYY-MM-DD. */
function isDate(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')

function* successorUrlFaults(
  document: OpenApi,
  url: string,
  path: string,
  successor: { path: string; operation: Operation },
): Generator<string> {
  const [target = '', query = ''] = url.split('?')
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  if (shape(target) !== shape(successor.path)) yield `The path is not the successor's, ${successor.path}.`
  const own = parametersIn(path)
  for (const name of parametersIn(url))
    if (!own.includes(name)) yield `The operation has no path parameter ${name}.`
  const known = (successor.operation.parameters ?? []).map(parameter => resolve(document, parameter))
  for (const name of new URLSearchParams(query).keys())
    if (!known.some(parameter => parameter.in === 'query' && parameter.name === name))
      yield `The successor has no query parameter ${name}.`
}

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
    string: values || format === 'date-time' ? [] : ['maxLength'],
    integer: values ? [] : ['minimum', 'maximum'],
    number: values ? [] : ['minimum', 'maximum'],
    array: ['maxItems'],
  }
  for (const keyword of due[String(type)] ?? [])
    if (!(keyword in schema)) yield { at, message: `A ${type} of a request needs ${keyword}.` }
  if (type === 'object' && schema.additionalProperties !== false)
    yield { at, message: 'An object of a request is closed: additionalProperties: false.' }
  for (const child of Object.values(properties)) yield* boundFaults(document, child, at, seen)
  const parts = [items, schema.allOf, schema.oneOf, schema.anyOf].flat().filter(part => part !== undefined)
  for (const part of parts) yield* boundFaults(document, part as Schema, at, seen) // each of them holds schema objects
}

interface RateLimits {
  windows?: { name?: unknown; seconds?: unknown }[]
  plans?: Record<string, Record<string, unknown>>
  anonymous?: string
  ban?: { refusals?: unknown; window?: unknown; seconds?: unknown }
}

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) > 0

function* rateLimitFaults(document: OpenApi): Generator<string> {
  const { windows, plans, anonymous, ban } = (document['x-rate-limits'] ?? {}) as RateLimits // each part is checked here
  if (!Array.isArray(windows) || windows.length === 0 || !plans || !ban) {
    yield 'x-rate-limits needs windows, plans, anonymous and ban.'
    return
  }
  for (const { name, seconds } of windows)
    if (typeof name !== 'string' || !isCount(seconds)) yield 'A window has a name and a length in seconds.'
  const names = windows.map(window => String(window.name))
  for (const [plan, quotas] of Object.entries(plans)) {
    const numbers = Object.keys(quotas)
    const complete = numbers.length === names.length && names.every(name => isCount(quotas[name]))
    if (!complete && !(quotas.custom === true && numbers.length === 1))
      yield `The plan ${plan} has a number for each window, or custom: true.`
  }
  const known = document.components?.schemas?.Plan?.enum
  if (!Array.isArray(known) || known.join() !== Object.keys(plans).join())
    yield 'The plans are those of the schema Plan, in the same order.'
  if (!anonymous || !plans[anonymous] || plans[anonymous].custom)
    yield 'anonymous names a plan that has numbers.'
  if (!isCount(ban.refusals) || !isCount(ban.seconds) || !names.includes(String(ban.window)))
    yield 'ban has refusals, a window and seconds.'
}
