import { operate } from 'spec-served/internal/command/project'
import { boundsOf } from 'spec-served-document/contract/extensions'
import { isDate } from 'spec-served-document/dates'
import type { Model, OperationModel } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { isSecured, textOf } from 'spec-served-document/reading/nodes'
import {
  dayAfter,
  daysBetween,
  noticeOf,
  stabilities,
  stabilityOf,
} from 'spec-served-document/reading/notice'
import { walk } from 'spec-served-document/reading/walk'
import { likest } from 'spec-served-document/spelling'
import { extensions } from './extensions.ts'
import { isCount, rateLimitFaults } from './rate-limit-rules.ts'
import { usualResponse, usualScope } from './usual.ts'
import { leaveOut, oneOf, type ProjectRule, type Remedy, superfluous, write } from './violation.ts'

/** The rules on which the generated facts rely. Nothing is generated from a document that breaks one of them. */
export const factRules: Record<string, ProjectRule> = {
  *'known-extensions'({ document }) {
    for (const { kind, node, path } of walk(document)) {
      const extensionNames = Object.keys(extensions[kind] ?? {})
      for (const key of Object.keys(node))
        if (key.startsWith('x-') && !extensionNames.includes(key))
          yield {
            place: [...path, key],
            message: `${key} is not known here. Of a ${kind} are known: ${extensionNames.join(', ') || 'none'}.`,
            ...renamed(path, key, likest(key, extensionNames), node),
          }
    }
  },

  *stability({ operations }) {
    for (const { operation, place } of operations) {
      const stability = operation['x-stability']
      if (stability !== undefined && !stabilities.some(candidate => candidate === stability))
        yield {
          place: [...place, 'x-stability'],
          message: 'x-stability is experimental or beta; stable operations have none.',
          ...oneOf([...place, 'x-stability'], stability, stabilities, 'leave it out, and it is stable.'),
        }
    }
  },

  *lifecycle(model) {
    for (const located of model.operations) {
      const { operation, place, id } = located
      const { 'x-deprecated-at': since, 'x-deprecated-sunset': sunset, deprecated = false } = operation
      const announced = since !== undefined || sunset !== undefined
      const least = noticeOf(stabilityOf(operation))
      if (!deprecated && announced)
        yield {
          place,
          message: 'Deprecation dates without `deprecated: true`.',
          ...write(place, { deprecated: true }),
        }
      if (deprecated && (since === undefined || sunset === undefined))
        yield {
          place,
          message: 'A deprecated operation needs x-deprecated-at and x-deprecated-sunset.',
          ...(isDate(since)
            ? write(place, { 'x-deprecated-sunset': dayAfter(since, least) })
            : isDate(sunset)
              ? write(place, { 'x-deprecated-at': dayAfter(sunset, -least) })
              : {
                  decide: `when it ends; \`${operate} deprecate ${id} --sunset YYYY-MM-DD\` writes all of it.`,
                }),
        }
      if (deprecated !== '410' in operation.responses) {
        const gone = usualResponse(model, '410') ?? { $ref: '#/components/responses/Gone' }
        yield {
          place,
          message: 'Exactly the deprecated operations declare 410, for the time after their sunset.',
          ...(deprecated
            ? write([...place, 'responses'], { 410: gone })
            : leaveOut([...place, 'responses', '410'])),
        }
      }
      const dates = { 'x-deprecated-at': since, 'x-deprecated-sunset': sunset }
      for (const [key, date] of Object.entries(dates))
        if (date !== undefined && !isDate(date))
          yield {
            place: [...place, key],
            message: `${date} is no date (YYYY-MM-DD).`,
            decide: `which day of the calendar is meant, as ${key}: 2031-01-01.`,
          }
      if (!isDate(since) || !isDate(sunset)) continue
      const days = daysBetween(since, sunset)
      if (days < least)
        yield {
          place: [...place, 'x-deprecated-sunset'],
          message: `${days} days of notice; at least ${least} are required.`,
          ...write(place, { 'x-deprecated-sunset': dayAfter(since, least) }),
        }
    }
  },

  *successor(model) {
    for (const { operation, place, path } of model.operations) {
      const { 'x-successor': id, 'x-successor-url': url } = operation
      const urlAt = [...place, 'x-successor-url']
      if (id === undefined) {
        if (url !== undefined) yield superfluous(urlAt, 'x-successor-url without x-successor.')
        continue
      }
      const successor = model.operation(String(id))
      const where = [...place, 'x-successor']
      const without = leaveOut(place, 'x-successor', ...(url === undefined ? [] : ['x-successor-url']))
      if (!operation.deprecated)
        yield { place: where, message: 'Only a deprecated operation has a successor.', ...without }
      if (!successor)
        yield {
          place: where,
          message: `There is no operation ${id}.`,
          ...oneOf(where, id, idsThatStay(model), 'leave it out.'),
        }
      else if (successor.operation === operation)
        yield { place: where, message: 'An operation does not succeed itself.', ...without }
      else if (successor.operation.deprecated)
        yield { place: where, message: `${id} is deprecated itself.`, ...without }
      else if (url !== undefined)
        for (const message of successorUrlFaults(String(url), path, successor))
          yield { place: urlAt, message, ...successorUrl(urlAt, path, successor) }
    }
  },

  *tags({ document, operations }) {
    const tags = document.tags ?? []
    const names = new Set(tags.map(tag => tag.name))
    const groups = new Set<unknown>(tags.map(tag => tag['x-parent']))
    const tagNames = [...names].filter(name => !groups.has(name))
    for (const [index, tag] of tags.entries()) {
      const parent = tag['x-parent']
      const place = ['tags', String(index), 'x-parent']
      if (parent === undefined) continue
      if (!names.has(String(parent)))
        yield {
          place,
          message: `There is no tag ${parent}.`,
          ...oneOf(
            place,
            parent,
            [...groups].map(String).filter(name => names.has(name)),
            'leave it out.',
          ),
        }
      if (tags.some(other => other.name === parent && other['x-parent'] !== undefined))
        yield superfluous(place, `${parent} has a parent itself; groups do not nest.`)
    }
    for (const { operation, place } of operations) {
      const [tag, ...more] = operation.tags
      const others = (name: unknown, choices: readonly string[]) =>
        oneOf([...place, 'tags', '0'], name, choices, 'describe it at the root, under `tags`.')
      if (tag === undefined || more.length > 0)
        yield {
          place,
          message: 'An operation has exactly one tag.',
          ...(tag === undefined
            ? { decide: `which of ${tagNames.join(', ')} it belongs to.` }
            : write(place, { tags: [tag] })),
        }
      else if (!names.has(tag))
        yield { place: [...place, 'tags'], message: `There is no tag ${tag}.`, ...others(tag, tagNames) }
      else if (groups.has(tag))
        yield {
          place: [...place, 'tags'],
          message: `${tag} is a grouping of tags and has no operations.`,
          ...others(
            tag,
            tags.filter(candidate => candidate['x-parent'] === tag).map(item => item.name),
          ),
        }
    }
  },

  *scopes(model) {
    for (const located of model.operations) {
      const { operation, place } = located
      const scope = textOf(operation, 'x-required-scope')
      const secured = isSecured(located)
      const usual = write(place, { 'x-required-scope': usualScope(model, located) })
      if (secured && scope === undefined)
        yield { place, message: 'A secured operation needs x-required-scope.', ...usual }
      const where = [...place, 'x-required-scope']
      if (!secured && scope !== undefined) yield superfluous(where, 'An open operation has no scope.')
      if (secured && scope !== undefined && !['read', 'write', 'admin'].includes(scope))
        yield { place: where, message: 'The scopes are read, write and admin.', ...usual }
    }
  },

  *'rate-limits'({ document }) {
    yield* rateLimitFaults(document)
  },

  *lifetimes({ document }) {
    const lengths: unknown = document['x-lifetimes'] ?? {}
    for (const [name, length] of isObject(lengths) ? Object.entries(lengths) : [['', lengths] as const]) {
      const place = name === '' ? ['x-lifetimes'] : ['x-lifetimes', name]
      const isLength = isObject(length) && isCount(length.seconds) && Object.keys(length).length === 1
      if (!lifetimes.has(name)) yield superfluous(place, `Nothing lasts as long as ${name || 'this'} says.`)
      else if (!isLength)
        yield {
          place,
          message: 'x-lifetimes has for each name a number of seconds.',
          ...(isCount(length)
            ? write(['x-lifetimes'], { [name]: { seconds: length } })
            : { decide: `how long, as ${name}: { seconds: 86400 }.` }),
        }
      else if (name !== 'idempotentReplies' && Number(length.seconds) % day !== 0)
        yield {
          place,
          message: `${name} is a number of whole days.`,
          ...write(place, { seconds: Math.ceil(Number(length.seconds) / day) * day }),
        }
    }
  },

  *bounds({ document }) {
    const said: unknown = document['x-request-bounds'] ?? {}
    for (const [name, value] of isObject(said) ? Object.entries(said) : [['', said] as const]) {
      const place = name === '' ? ['x-request-bounds'] : ['x-request-bounds', name]
      if (!bounds.has(name)) yield superfluous(place, `Nothing bounds ${name || 'requests so'}.`)
      else if (!isCount(value))
        yield { place, message: `${name} is a number.`, decide: `how many, as ${name}: 100.` }
    }
  },
}

/** The bounds that the service knows. */
const bounds = new Set(Object.keys(boundsOf({})))

/** In seconds. */
const day = 86_400

/** The lifetimes that the service knows. */
const lifetimes = new Set(['idempotentReplies', 'deprecatedCalls', 'sunsetWarnings'])

const parametersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '')

function* successorUrlFaults(url: string, path: string, successor: OperationModel): Generator<string> {
  const [target = '', query = ''] = url.split('?')
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  if (shape(target) !== shape(successor.path)) yield `The path is not the successor's, ${successor.path}.`
  const pathParameters = parametersIn(path)
  for (const name of parametersIn(url))
    if (!pathParameters.includes(name)) yield `The operation has no path parameter ${name}.`
  for (const name of new URLSearchParams(query).keys())
    if (!successor.parameters.some(parameter => parameter.in === 'query' && parameter.name === name))
      yield `The successor has no query parameter ${name}.`
}

/** Returns the remedy for a successor's address: its path, if the operation has all parameters of that, else none. */
function successorUrl(place: readonly string[], path: string, successor: OperationModel): Remedy {
  const pathParameters = parametersIn(path)
  return parametersIn(successor.path).every(name => pathParameters.includes(name))
    ? { mend: [{ place, value: successor.path }] }
    : leaveOut(place)
}

const idsThatStay = ({ operations }: Model) =>
  operations.filter(({ operation }) => !operation.deprecated).map(({ id }) => id)

/** An extension by the name that was probably meant, or left out. */
function renamed(path: readonly string[], key: string, meant: string | undefined, node: object): Remedy {
  const value: unknown = Object.entries(node).find(([name]) => name === key)?.[1]
  return {
    mend: [{ place: [...path, key] }, ...(meant === undefined ? [] : [{ place: [...path, meant], value }])],
  }
}
