import { METHODS } from 'node:http'
import { follow, operationsIn } from '../model.ts'
import { lookUp, type Path } from '../pointer.ts'
import { likest } from '../spelling.ts'
import { methods, type OpenApi, type Operation } from '../types.ts'
import type { Bundle } from './bundle.ts'
import { openParts } from './closing.ts'
import { containsItself, nestingLimit, tooDeepIn } from './depth.ts'
import type { Draft, Routed } from './draft.ts'
import type { Located } from './fault.ts'
import { separateParents } from './inheritance.ts'
import { completeMedia } from './media-types.ts'
import { pointerTo } from './nodes.ts'
import { findRepeated, parametersOf } from './parameters.ts'
import { completeSecurity, isToken } from './security.ts'
import { derivedId, findPathFaults, placeWithoutQuery } from './templates.ts'

/** The tag of operations that have none. */
const untagged = 'default'

/**
 * Gives one form to what may be written in several ways, and finds what can't be true or can't be routed. Parameters
 * of a path go into its operations. Operations get an operationId and a tag, parameters their style.
 * @param bundle is changed
 */
export function normalise(bundle: Bundle, root: Located): OpenApi {
  const { report, places } = bundle
  const document = bundle.tree as unknown as OpenApi // the grammar made it, and what it lacks is among the faults
  const placeOf = (node: object, path: Path): Located => {
    const place = places.get(node) ?? root
    return { source: place.source, path: [...place.path, ...path] }
  }
  const draft: Draft = {
    document,
    wholeQueries: new Set(),
    fault: (node, path, rule, message) => report.fault(placeOf(node, path), rule, message),
    note: (node, path, message, rule) => report.note(placeOf(node, path), message, rule),
    hasFault(node, path) {
      const pointer = pointerTo(placeOf(node, path).path)
      return report.faults.some(other => other.pointer.startsWith(pointer))
    },
  }
  document.paths ??= {}
  for (const path of Object.keys(document.paths)) if (path.startsWith('x-')) delete document.paths[path]
  placeWithoutQuery(draft)
  for (const { path, message } of findPathFaults(document.paths))
    draft.fault(document.paths, [path], 'path', message)
  const operations = routedIn(document)
  for (const operation of operations) completeOperation(draft, operation)
  for (const item of Object.values<Routed['item']>(document.paths)) {
    findRepeated(draft, item, item.parameters)
    delete item.parameters
  }
  nameOperations(draft, operations)
  for (const tag of document.tags ?? []) if (tag.parent !== undefined) tag['x-parent'] ??= tag.parent
  completeMedia(draft)
  completeSecurity(draft, operations)
  separateParents(document, (name, parent, child) => {
    places.set(child, placeOf(parent, []))
    draft.note(parent, [], `The alternatives of ${name} take it into themselves: they get what is its own.`)
  })
  findEndless(draft)
  // Schemas that lead too deep are refused before any reader follows all their parts.
  if (report.faults.length > 0) return document
  openParts(document, (schema, opened) => {
    for (const [part, instead] of opened) places.set(instead, placeOf(part, []))
    const message =
      'Parts of this schema take no other properties (additionalProperties: false), and other parts require some: each takes those of all.'
    draft.note(schema, [], message)
  })
  return document
}

function routedIn({ paths }: OpenApi): Routed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).map(entry => ({ path, item, ...entry })),
  )
}

/** Node's parser answers a method that it does not know with 400, and CONNECT is for proxies. */
const served = new Set(METHODS.filter(method => method !== 'CONNECT'))

/** A method is served as it is written. It moves to the field of its own where there is one. */
function checkMethod({ fault }: Draft, { item, method, place }: Routed): void {
  const field = methods.find(name => name === method.toLowerCase())
  if (place.length > 1 && field) {
    const message = `${method} has a field of its own: write it as ${field} beside additionalOperations.`
    fault(item, place, 'method', message)
  } else if (!served.has(method)) {
    const meant = likest(method, served)
    const remedy = meant === undefined ? 'POST, say' : `${meant}, or another that it knows`
    fault(item, place, 'method', `The server can't read requests of the method ${method}: write ${remedy}.`)
  }
}

function completeOperation(draft: Draft, routed: Routed): void {
  const { document } = draft
  const { item, operation } = routed
  checkMethod(draft, routed)
  operation.parameters = parametersOf(draft, routed)
  if (item.servers && !operation.servers) operation.servers = item.servers
  checkResponses(draft, operation)
  if (operation.tags?.[0]) return
  operation.tags = [untagged]
  if (!document.tags?.some(({ name }) => name === untagged))
    document.tags = [...(document.tags ?? []), { name: untagged }]
}

function nameOperations(draft: Draft, operations: readonly Routed[]): void {
  const ids = new Set(operations.map(({ operation }) => operation.operationId))
  const free = (base: string, first: string) => {
    let id = first
    for (let count = 2; ids.has(id); count++) id = `${base}${count}`
    ids.add(id)
    return id
  }
  const seen = new Set<string>()
  for (const { operation, method, path } of operations) {
    const { operationId: written } = operation
    if (written && /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(written)) {
      const message = `An operationId is one line without control characters: write ${derivedId(method, path)}.`
      draft.fault(operation, ['operationId'], 'name', message)
    }
    if (written && !seen.has(written)) seen.add(written)
    else if (written) {
      operation.operationId = free(`${written}_`, `${written}_2`)
      const message = `Another operation is named ${written}: this one is named ${operation.operationId}. Give it a name of its own.`
      draft.note(operation, ['operationId'], message, 'operationId-unique')
    } else {
      const base = derivedId(method, path)
      operation.operationId = free(base, base)
      const message = `${method} ${path} has no operationId: it is named ${operation.operationId}. Write a name of your own, as operationId: ${operation.operationId}.`
      draft.note(operation, [], message)
    }
  }
}

function checkResponses({ document, fault, note, hasFault }: Draft, operation: Operation): void {
  const isRequired = document.openapi.startsWith('3.0.')
  if (!isRequired) operation.responses ??= {}
  const { responses } = operation
  if (!responses) return
  const message =
    'A response is named by a status, by 1XX to 5XX, or default: write "200" or another of these.'
  for (const status of Object.keys(responses))
    if (status.startsWith('x-')) delete responses[status]
    else if (!/^([1-5]\d\d|[1-5]XX|default)$/.test(status)) fault(responses, [status], 'response', message)
  for (const declared of Object.values(responses)) {
    const response = follow(document, declared)
    if (response) response.description ??= response.summary ?? '' // from 3.2 on it may be left out
    for (const name in response?.headers) {
      if (isToken(name)) continue
      note(response, ['headers', name], `No header field can be called ${name}: it is left out.`)
      delete response.headers[name]
    }
  }
  if (!isRequired && Object.keys(responses).length === 0) {
    note(operation, [], 'The operation has no responses: any reply is taken.')
    responses.default = { description: 'Any reply.' }
  }
  // Faults found below them may be the reason why there are none.
  if (Object.keys(responses).length === 0 && !hasFault(operation, ['responses']))
    fault(
      operation,
      ['responses'],
      'response',
      'An operation has at least one response: `default` is enough.',
    )
}

/** Finds what stands in itself without end, or as good as that. */
function findEndless({ document, fault }: Draft): void {
  const tooDeep = tooDeepIn(document)
  if (tooDeep) {
    const node = lookUp(document, tooDeep) as object // the way to an object
    const message = `References lead more than ${nestingLimit} objects deep from here: let fewer parts stand in one another.`
    fault(node, [], 'depth', message)
    return
  }
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {}))
    if (containsItself(document, name)) {
      const message = `The schema ${name} contains itself without end: put a property or a list in between.`
      fault(schema, [], 'cycle', message)
    }
}
