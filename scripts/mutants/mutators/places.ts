import type { Kind } from '../../../src/document/grammar.ts'
import { followAt, modelOf } from '../../../src/document/model.ts'
import { lookUp, type Path, pointerTo } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { childrenOf } from '../../../src/document/walk.ts'
import { isNode, type Node } from './edit.ts'

/** The kinds of object that decide what is sent and answered. */
const roles = ['operation', 'parameter', 'requestBody', 'response', 'header', 'mediaType', 'schema'] as const
export type Role = (typeof roles)[number]

/** An object of a document where it stands: one of `components` once, however often it is used. */
export interface Place {
  role: Role
  at: Path
  node: Node
  /** what it is part of, wherever it is used */
  owners: Set<Role>
}

/** Every object that an operation reaches, and the operations; what no operation uses is left out. */
export function placesOf(document: OpenApi): Place[] {
  const found = new Map<string, Place>()
  const visit = (kind: Kind, from: Path, owner?: Role) => {
    const role = roles.find(known => known === kind)
    const { at, node } = resolvedAt(document, from)
    const known = found.get(pointerTo(at))
    if (owner) known?.owners.add(owner)
    if (!role || !isNode(node) || known) return
    found.set(pointerTo(at), { role, at, node, owners: new Set(owner ? [owner] : []) })
    for (const child of childrenOf(role, node, at)) visit(child.kind, child.path, role)
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
  const node = lookUp(document, at)
  return (isNode(node) && followAt<object>(document, node, at)) || { at, node }
}
