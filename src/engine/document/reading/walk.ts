import type { Path } from '../pointer.ts'
import type { OpenApi, Schema } from '../types.ts'
import { fieldOf, isExtension, type Kind } from './grammar.ts'

/** An object of a document, or a reference to one of the kind. */
export interface Visited {
  kind: Kind
  node: object
  /** from the root */
  path: Path
  isReference: boolean
}

/**
 * Every object of a normalised document with its kind, parents before children, in the order of the document. References
 * are told and not followed; examples, defaults and extensions are data, and passed over.
 */
export function walk(document: OpenApi): Generator<Visited> {
  return walkFrom('document', document, [])
}

/** The same for a part of a document. */
export function* walkFrom(kind: Kind, node: object, path: Path): Generator<Visited> {
  const isReference = '$ref' in node && typeof node.$ref === 'string'
  yield { kind, node, path, isReference }
  if (!isReference)
    for (const child of childrenOf(kind, node, path)) yield* walkFrom(child.kind, child.node, child.path)
}

/** The objects that an object itself holds. */
export function* childrenOf(
  kind: Kind,
  node: object,
  path: Path,
): Generator<Pick<Visited, 'kind' | 'node' | 'path'>> {
  for (const [name, child] of Object.entries(node)) {
    const field = fieldOf(kind, name)
    if (!field || !('of' in field) || typeof child !== 'object' || child === null) continue
    if (field.in === undefined) yield { kind: field.of, node: child, path: [...path, name] }
    else
      for (const [key, part] of Object.entries(child))
        if (typeof part === 'object' && part !== null && !isExtension(field.of, key))
          yield { kind: field.of, node: part, path: [...path, name, key] }
  }
}

/** Every schema that is written out, and where. */
export function* schemasIn(document: OpenApi): Generator<{ schema: Schema; path: Path }> {
  for (const { kind, node, path, isReference } of walk(document))
    if (kind === 'schema' && !isReference) yield { schema: node as Schema, path } // of this kind, and no reference
}
