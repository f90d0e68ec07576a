import { isSecured, type Model, type OperationModel } from '../../src/document/model.ts'
import { isObject } from '../../src/document/references.ts'
import type { OpenApi } from '../../src/document/types.ts'
import { walk } from '../../src/document/walk.ts'
import type { RateLimits } from '../../src/engine/extensions.ts'
import { extensions } from './extensions.ts'
import { daysBetween, isDate, noticeOf, stabilities, stabilityOf } from './lifecycle.ts'

/** A breach of a rule. */
export interface Breach {
  /** where, as the names on the way from the root */
  at: readonly string[]
  message: string
  /** the line of YAML to write there, where one mends it */
  mend?: string
}

/** One of the rules that documents of this project keep, and others need not. */
export type ProjectRule = (model: Model) => Iterable<Breach>

/** What the generated facts rely on: a document that breaks one of these is not generated from. */
export const factRules: Record<string, ProjectRule> = {
  *'known-extensions'({ document }) {
    for (const { kind, node, path } of walk(document)) {
      const known = Object.keys(extensions[kind] ?? {})
      for (const key of Object.keys(node))
        if (key.startsWith('x-') && !known.includes(key))
          yield {
            at: [...path, key],
            message: `${key} is not known here. Of a ${kind} are known: ${known.join(', ') || 'none'}.`,
          }
    }
  },

  *stability({ operations }) {
    for (const { operation, at } of operations) {
      const stability = operation['x-stability']
      if (stability !== undefined && !stabilities.some(known => known === stability))
        yield {
          at: [...at, 'x-stability'],
          message: 'x-stability is experimental or beta; stable operations have none.',
        }
    }
  },

  *lifecycle({ operations }) {
    for (const { operation, at } of operations) {
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
      if (!isDate(since) || !isDate(sunset)) continue
      const least = noticeOf(stabilityOf(operation))
      const days = daysBetween(since, sunset)
      if (days < least)
        yield {
          at: [...at, 'x-deprecated-sunset'],
          message: `${days} days of notice; at least ${least} are due.`,
        }
    }
  },

  *successor(model) {
    for (const { operation, at, path } of model.operations) {
      const { 'x-successor': id, 'x-successor-url': url } = operation
      if (id === undefined) {
        if (url !== undefined)
          yield { at: [...at, 'x-successor-url'], message: 'x-successor-url without x-successor.' }
        continue
      }
      const successor = model.operation(String(id))
      const where = [...at, 'x-successor']
      if (!operation.deprecated) yield { at: where, message: 'Only a deprecated operation has a successor.' }
      if (!successor) yield { at: where, message: `There is no operation ${id}.` }
      else if (successor.operation === operation)
        yield { at: where, message: 'An operation does not succeed itself.' }
      else if (successor.operation.deprecated) yield { at: where, message: `${id} is deprecated itself.` }
      else if (url !== undefined)
        for (const message of successorUrlFaults(String(url), path, successor))
          yield { at: [...at, 'x-successor-url'], message }
    }
  },

  *tags({ document, operations }) {
    const tags = document.tags ?? []
    const names = new Set(tags.map(tag => tag.name))
    const groups = new Set<unknown>(tags.map(tag => tag['x-parent']))
    for (const [index, tag] of tags.entries()) {
      const parent = tag['x-parent']
      const at = ['tags', String(index), 'x-parent']
      if (parent === undefined) continue
      if (!names.has(String(parent))) yield { at, message: `There is no tag ${parent}.` }
      if (tags.some(other => other.name === parent && other['x-parent'] !== undefined))
        yield { at, message: `${parent} has a parent itself; groups do not nest.` }
    }
    for (const { operation, at } of operations) {
      const [tag, ...more] = operation.tags
      if (tag === undefined || more.length > 0) yield { at, message: 'An operation has exactly one tag.' }
      else if (!names.has(tag)) yield { at: [...at, 'tags'], message: `There is no tag ${tag}.` }
      else if (groups.has(tag))
        yield { at: [...at, 'tags'], message: `${tag} is a grouping of tags and has no operations.` }
    }
  },

  *scopes({ operations }) {
    for (const located of operations) {
      const { operation, at } = located
      const scope = operation['x-required-scope']
      const secured = isSecured(located)
      if (secured && scope === undefined) yield { at, message: 'A secured operation needs x-required-scope.' }
      if (!secured && scope !== undefined)
        yield { at: [...at, 'x-required-scope'], message: 'An open operation has no scope.' }
      if (scope !== undefined && !['read', 'write', 'admin'].some(known => known === scope))
        yield { at: [...at, 'x-required-scope'], message: 'The scopes are read, write and admin.' }
    }
  },

  *'rate-limits'({ document }) {
    const at = ['x-rate-limits']
    for (const message of rateLimitFaults(document)) yield { at, message }
  },

  *lifetimes({ document }) {
    const lengths: unknown = document['x-lifetimes'] ?? {}
    for (const [name, length] of isObject(lengths) ? Object.entries(lengths) : [['', lengths] as const])
      if (!isObject(length) || !isCount(length.seconds) || Object.keys(length).length > 1)
        yield { at: ['x-lifetimes', name], message: 'x-lifetimes has for each name a number of seconds.' }
      else if (!lifetimes.has(name))
        yield { at: ['x-lifetimes', name], message: `Nothing lasts as long as ${name} says.` }
      else if (name !== 'idempotentReplies' && Number(length.seconds) % 86_400 !== 0)
        yield { at: ['x-lifetimes', name], message: `${name} is a number of whole days.` }
  },
}

/** What the service has lengths for. */
const lifetimes = new Set(['idempotentReplies', 'deprecatedCalls', 'sunsetWarnings'])

const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')

function* successorUrlFaults(url: string, path: string, successor: OperationModel): Generator<string> {
  const [target = '', query = ''] = url.split('?')
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  if (shape(target) !== shape(successor.path)) yield `The path is not the successor's, ${successor.path}.`
  const own = parametersIn(path)
  for (const name of parametersIn(url))
    if (!own.includes(name)) yield `The operation has no path parameter ${name}.`
  for (const name of new URLSearchParams(query).keys())
    if (!successor.parameters.some(parameter => parameter.in === 'query' && parameter.name === name))
      yield `The successor has no query parameter ${name}.`
}

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) > 0

function* rateLimitFaults(document: OpenApi): Generator<string> {
  const { windows, plans, anonymous, ban } = (document['x-rate-limits'] ?? {}) as Partial<RateLimits> // each part is checked here
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
  const plan = document.components?.schemas?.Plan
  const known = plan && 'enum' in plan ? plan.enum : undefined
  if (plan && (!Array.isArray(known) || known.join() !== Object.keys(plans).join()))
    yield 'The plans are those of the schema Plan, in the same order.'
  if (!anonymous || !plans[anonymous] || plans[anonymous].custom)
    yield 'anonymous names a plan that has numbers.'
  if (!isCount(ban.refusals) || !isCount(ban.seconds) || !names.includes(String(ban.window)))
    yield 'ban has refusals, a window and seconds.'
}
