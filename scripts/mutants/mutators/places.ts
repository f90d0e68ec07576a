import { modelOf } from '../../../src/document/model.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { follow } from '../../breaking/located.ts'
import { isNode, keysOf, type Node, type Path, pointer, valueAt } from './edit.ts'

/** What an object of a document is to OpenAPI. */
export type Role = 'operation' | 'parameter' | 'requestBody' | 'response' | 'header' | 'mediaType' | 'schema'

/** An object of a document where it stands: one of `components` once, however often it is used. */
export interface Place {
  role: Role
  at: Path
  node: Node
  /** what it is part of, wherever it is used */
  owners: Set<Role>
}

/** Where an object of each role holds others; `*` is any key or index. */
const parts: Record<Role, readonly (readonly [way: string, role: Role])[]> = {
  operation: [
    ['parameters/*', 'parameter'],
    ['requestBody', 'requestBody'],
    ['responses/*', 'response'],
  ],
  parameter: [
    ['schema', 'schema'],
    ['content/*', 'mediaType'],
  ],
  requestBody: [['content/*', 'mediaType']],
  response: [
    ['headers/*', 'header'],
    ['content/*', 'mediaType'],
  ],
  header: [
    ['schema', 'schema'],
    ['content/*', 'mediaType'],
  ],
  mediaType: [['schema', 'schema']],
  schema: [
    ['properties/*', 'schema'],
    ['additionalProperties', 'schema'],
    ['items', 'schema'],
    ['allOf/*', 'schema'],
    ['oneOf/*', 'schema'],
    ['anyOf/*', 'schema'],
    ['not', 'schema'],
  ],
}

/** Every object that an operation reaches, and the operations; what no operation uses is left out. */
export function placesOf(document: OpenApi): Place[] {
  const found = new Map<string, Place>()
  const visit = (role: Role, from: Path, owner?: Role) => {
    const { at, node } = resolvedAt(document, from)
    const known = found.get(pointer(at))
    if (owner) known?.owners.add(owner)
    if (!isNode(node) || known) return
    found.set(pointer(at), { role, at, node, owners: new Set(owner ? [owner] : []) })
    for (const [way, part] of parts[role])
      for (const child of waysFrom(node, way)) visit(part, [...at, ...child], role)
  }
  for (const { at } of modelOf(document).operations) visit('operation', at)
  return [...found.values()]
}

/** The places of one role. */
export function placesIn(document: OpenApi, role: Role): Place[] {
  return placesOf(document).filter(place => place.role === role)
}

/** The object at `at`, or what its reference points to, with its own place. */
export function resolvedAt(document: OpenApi, at: Path): { at: Path; node: unknown } {
  return follow({ document, at, node: valueAt(document, at) })
}

function waysFrom(node: Node, way: string): Path[] {
  const [key = '', each] = way.split('/')
  if (each === undefined) return [[key]]
  return keysOf(node[key])
    .filter(name => !name.startsWith('x-') || key !== 'responses')
    .map(name => [key, name])
}
