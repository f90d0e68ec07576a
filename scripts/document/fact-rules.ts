import { isSecured, type OpenApi, type Operation, operationsOf, resolve } from './model.ts'

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
  schema: ['x-further-rule'],
}

/** Shortest time from deprecation to sunset, in days. An experimental operation may go at any time. */
const notice = { stable: 180, beta: 31, experimental: 0 }

const day = 86_400_000

/** What the generated facts rely on: a document that breaks one of these is not generated from. */
export const factRules: Record<string, ProjectRule> = {
  *'known-extensions'(document) {
    const places = new Map<object, string[]>([[document, extensions.root]])
    for (const tag of document.tags ?? []) places.set(tag, extensions.tag)
    for (const { operation } of operationsOf(document)) places.set(operation, extensions.operation)
    for (const { at, node } of nodesOf(document)) {
      const isSchema = 'type' in node || 'allOf' in node
      const known = places.get(node) ?? (isSchema ? extensions.schema : [])
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
