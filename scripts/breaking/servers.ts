import type { Placed } from '../../src/document/model.ts'
import type { Server } from '../../src/document/types.ts'
import { type Change, change } from './change.ts'
import { elements, type Located } from './located.ts'

type Variable = NonNullable<Server['variables']>[string]

/** Judges what changes in where the service is: a server that clients use must stay. */
export function* compareServers(
  base: Located<readonly Server[]> | undefined,
  next: Located<readonly Server[]> | undefined,
): Generator<Change> {
  const [before, after] = [serversOf(base), serversOf(next)]
  for (const server of before) {
    const { url, variables: had = {} } = server.node
    const same = after.find(({ node }) => isSame(node.url, url))
    if (!same) {
      const where = after[0] ?? server
      yield change(
        'breaking',
        'server-removed',
        where,
        `the server ${url} is gone`,
        'clients that call it get no answer',
      )
      continue
    }
    for (const [name, old] of Object.entries(had)) yield* compareVariable(name, old, same)
  }
  for (const server of after)
    if (!before.some(({ node }) => isSame(node.url, server.node.url)))
      yield change(
        'info',
        'server-added',
        server,
        `the server ${server.node.url} is new`,
        'clients need not use it',
      )
}

function* compareVariable(name: string, old: Variable, server: Placed<Server>): Generator<Change> {
  const now = server.node.variables?.[name]
  if (!now) {
    yield change(
      'breaking',
      'server-variable-removed',
      server,
      `the variable ${name} of ${server.node.url} is gone`,
      'clients that set it call a wrong address',
    )
    return
  }
  const where = { at: [...server.at, 'variables', name] }
  if (old.default !== now.default)
    yield change(
      'warning',
      'server-variable-default-changed',
      where,
      `${name} was ${old.default} and is ${now.default}`,
      'clients that rely on it call another address',
    )
  const gone = now.enum
    ? (old.enum ?? [undefined]).filter(value => value === undefined || !now.enum?.includes(value))
    : []
  if (gone.length > 0)
    yield change(
      'breaking',
      'server-variable-value-removed',
      where,
      `${name} can no longer be ${gone[0] ?? 'any value'}`,
      'clients that use it get no answer',
    )
  if (old.enum && (!now.enum || now.enum.some(value => !old.enum?.includes(value))))
    yield change(
      'info',
      'server-variable-value-added',
      where,
      `${name} can be more`,
      'clients need not use it',
    )
}

/** Paths are put after a server's address, so that a slash at its end means nothing; host and scheme have no case. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map(url =>
    url.replace(/\/+$/, '').replace(/^[a-z+.-]+:\/\/[^/{]*/i, origin => origin.toLowerCase()),
  )
  return a === b
}

/** Without any, the service is where its document is (OpenAPI 3.0.3, section 4.7.1). */
function serversOf(list: Located<readonly Server[]> | undefined): Placed<Server>[] {
  const listed = elements(list)
  return listed.length > 0 ? listed : [{ node: { url: '/' }, at: [] }]
}
