import type { Server } from '../../document/types.ts'
import type { Placed } from '../reading/nodes.ts'
import { type Change, compareParts, found } from './change.ts'
import { elements, type Located } from './located.ts'

/** Judges what changes in where the service is: a server that clients use must stay. */
export function compareServers(
  base: Located<readonly Server[]> | undefined,
  next: Located<readonly Server[]> | undefined,
): Generator<Change> {
  const [before, after] = [serversOf(base), serversOf(next)]
  const byAddress = (all: Placed<Server>[]) => new Map(all.map(one => [addressOf(one.node.url), one]))
  const isWithin = ({ node }: Placed<Server>, all: Placed<Server>[]) => {
    const known = new Set(all.flatMap(other => addressesOf(other.node)))
    return addressesOf(node).every(address => known.has(address))
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
  { node: next, at }: Placed<Server>,
): Generator<Change> {
  for (const [name, old] of Object.entries(base.variables ?? {})) {
    const now = next.variables?.[name]
    if (!now) {
      yield found('server-variable-removed', { at }, `the variable ${name} of ${next.url} is gone`)
      continue
    }
    const where = { at: [...at, 'variables', name] }
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
      urls = urls.flatMap(one => values.map(value => one.replaceAll(`{${name}}`, value)))
  return urls.map(addressOf)
}

/** Without any, the service is where its document is (OpenAPI 3.0.3, section 4.7.1). */
function serversOf(list: Located<readonly Server[]> | undefined): Placed<Server>[] {
  const listed = elements(list)
  return listed.length > 0 ? listed : [{ node: { url: '/' }, at: [] }]
}
