import type { Placed } from 'spec-served-document/reading/nodes'
import type { ReadDocument } from 'spec-served-document/reading/read'
import type { Server } from 'spec-served-document/types'
import { type Change, compareParts, found } from './change.ts'
import { child, elements, type Located, rootOf } from './located.ts'
import { routeKey, routesOf } from './operations/routes.ts'

/** Judges what changes in where the service is: a server that clients use must stay. */
export function compareServers(
  base: Located<readonly Server[]> | undefined,
  next: Located<readonly Server[]> | undefined,
): Generator<Change> {
  const [before, after] = [serversOf(base), serversOf(next)]
  const byAddress = (all: Placed<Server>[]) => new Map(all.map(item => [addressOf(item.node.url), item]))
  const isWithin = ({ node }: Placed<Server>, all: Placed<Server>[]) => {
    const addresses = new Set(all.flatMap(other => addressesOf(other.node)))
    return addressesOf(node).every(address => addresses.has(address))
  }
  return compareParts(byAddress(before), byAddress(after), {
    both: compareVariables,
    gone: server =>
      isWithin(server, after)
        ? []
        : [found('server-removed', after[0] ?? server, `the server ${server.node.url} is gone`)],
    fresh: server =>
      isWithin(server, before) ? [] : [found('server-added', server, `the server ${server.node.url} is new`)],
  })
}

function* compareVariables(
  { node: base }: Placed<Server>,
  { node: next, place }: Placed<Server>,
): Generator<Change> {
  for (const [name, old] of Object.entries(base.variables ?? {})) {
    const now = next.variables?.[name]
    if (!now) {
      yield found('server-variable-removed', { place }, `the variable ${name} of ${next.url} is gone`)
      continue
    }
    const where = { place: [...place, 'variables', name] }
    if (old.default !== now.default)
      yield found(
        'server-variable-default-changed',
        where,
        `${name} was ${old.default} and is ${now.default}`,
      )
    const gone = now.enum && (old.enum ?? ['any value']).find(value => !now.enum?.includes(value))
    if (gone !== undefined)
      yield found('server-variable-value-removed', where, `${name} can no longer be ${gone}`)
    if (old.enum && (!now.enum || now.enum.some(value => !old.enum?.includes(value))))
      yield found('server-variable-value-added', where, `${name} can be more`)
  }
}

/** Returns the common form of equal addresses. Scheme and host have no case; a final slash says nothing. */
export function addressOf(url = ''): string {
  const plain = URL.parse(url)?.href ?? url.replace(/^[a-z+.-]+:\/\/[^/{]*/i, origin => origin.toLowerCase())
  return plain.replace(/\/+$/, '')
}

/** Longest list of addresses that a server's variables are written out to. */
const addressesLimit = 1_000

/** All addresses of a server, with the variables that have listed values written out. */
function addressesOf({ url, variables = {} }: Server): string[] {
  let urls = [url]
  for (const [name, { enum: values }] of Object.entries(variables))
    if (values && urls.length * values.length <= addressesLimit)
      urls = urls.flatMap(item => values.map(value => item.replaceAll(`{${name}}`, value)))
  return urls.map(addressOf)
}

/** Without any, the service is where its document is (OpenAPI 3.0.3, section 4.7.1). */
function serversOf(list: Located<readonly Server[]> | undefined): Placed<Server>[] {
  const listed = elements(list)
  return listed.length > 0 ? listed : [{ node: { url: '/' }, place: [] }]
}

/** A document's servers and the part of their paths that counts as a part of its operations' paths. */
export interface Base {
  prefix: string
  servers: Located<readonly Server[]> | undefined
}

/**
 * Returns the servers of two documents. If a path moved between the servers and the operations, and the operations of
 * one are at the addresses of the other's, it counts as a part of the operations' paths on both sides.
 */
export function basesOf(base: ReadDocument, next: ReadDocument): readonly [Base, Base] {
  const documents = [base, next] as const
  const servers = documents.map(from => child(rootOf(from), 'servers'))
  const [before, after] = servers.map(prefixOf)
  const hasOwn = documents.some(from =>
    [...routesOf(from).values()].some(route => route.operation.node.servers),
  )
  const isMoved = !hasOwn && before !== undefined && after !== undefined && before !== after
  const keysOf = (from: ReadDocument, prefix: string) =>
    [...routesOf(from).values()].map(route => routeKey({ ...route, path: `${prefix}${route.path}` }))
  const earlierKeys = isMoved ? new Set(keysOf(base, before)) : new Set()
  const isSame = isMoved && keysOf(next, after).some(key => earlierKeys.has(key))
  const sideOf = (list: Located<readonly Server[]> | undefined, prefix = ''): Base =>
    isSame ? { prefix, servers: withoutPath(list, prefix) } : { prefix: '', servers: list }
  return [sideOf(servers[0], before), sideOf(servers[1], after)]
}

/** Returns the path that all servers have; undefined if they differ in it, or if it has variables. */
function prefixOf(list: Located<readonly Server[]> | undefined): string | undefined {
  const prefixes = new Set(serversOf(list).map(({ node }) => pathIn(node.url)))
  const [only, ...others] = prefixes
  return others.length > 0 || only?.includes('{') ? undefined : only
}

const pathIn = (url: string) => url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').replace(/\/+$/, '')

function withoutPath(
  list: Located<readonly Server[]> | undefined,
  prefix: string,
): Located<readonly Server[]> | undefined {
  if (!list) return undefined
  const node = list.node.map(server => {
    const url = server.url.replace(/\/+$/, '')
    return { ...server, url: url.slice(0, url.length - prefix.length) || '/' }
  })
  return { ...list, node }
}
