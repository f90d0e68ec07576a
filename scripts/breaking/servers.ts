import type { Placed } from '../../src/document/model.ts'
import type { Server } from '../../src/document/types.ts'
import { type Change, found } from './change.ts'
import { elements, type Located } from './located.ts'

type Variable = NonNullable<Server['variables']>[string]

/** Judges what changes in where the service is: a server that clients use must stay. */
export function* compareServers(
  base: Located<readonly Server[]> | undefined,
  next: Located<readonly Server[]> | undefined,
): Generator<Change> {
  const [before, after] = [serversOf(base), serversOf(next)]
  const [had, has] = [before, after].map(all => new Set(all.flatMap(({ node }) => addressesOf(node))))
  for (const server of before) {
    const { url, variables = {} } = server.node
    const same = after.find(({ node }) => addressOf(node.url) === addressOf(url))
    if (!same) {
      if (addressesOf(server.node).every(address => has?.has(address))) continue
      const where = after[0] ?? server
      yield found('server-removed', where, `the server ${url} is gone`)
      continue
    }
    for (const [name, old] of Object.entries(variables)) yield* compareVariable(name, old, same)
  }
  for (const server of after)
    if (
      !before.some(({ node }) => addressOf(node.url) === addressOf(server.node.url)) &&
      !addressesOf(server.node).every(address => had?.has(address))
    )
      yield found('server-added', server, `the server ${server.node.url} is new`)
}

function* compareVariable(name: string, old: Variable, server: Placed<Server>): Generator<Change> {
  const now = server.node.variables?.[name]
  if (!now) {
    yield found('server-variable-removed', server, `the variable ${name} of ${server.node.url} is gone`)
    return
  }
  const where = { at: [...server.at, 'variables', name] }
  if (old.default !== now.default)
    yield found('server-variable-default-changed', where, `${name} was ${old.default} and is ${now.default}`)
  const gone = now.enum
    ? (old.enum ?? [undefined]).filter(value => value === undefined || !now.enum?.includes(value))
    : []
  if (gone.length > 0)
    yield found('server-variable-value-removed', where, `${name} can no longer be ${gone[0] ?? 'any value'}`)
  if (old.enum && (!now.enum || now.enum.some(value => !old.enum?.includes(value))))
    yield found('server-variable-value-added', where, `${name} can be more`)
}

/** An address in a form that all have that lead to the same: scheme and host have no case, a slash at the end says nothing. */
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
