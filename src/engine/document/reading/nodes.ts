import type { Model, OperationModel } from '../model.ts'
import { lookUp, type Path, pathOf } from '../pointer.ts'
import type { OpenApi, Operation, Parameter, PathItem, Reference, Schema, Server } from '../types.ts'
import { childrenOf } from './walk.ts'

/** A schema and all that it is made of, references followed; each schema once, itself first. @param seen those to leave out */
export function* schemasWithin(
  model: Pick<Model, 'resolve'>,
  schema: Schema | Reference,
  seen: Pick<Set<object>, 'has' | 'add'> = new Set(),
): Generator<Schema> {
  const target = model.resolve(schema)
  if (seen.has(target)) return
  seen.add(target)
  yield target
  for (const { kind, node } of childrenOf('schema', target, []))
    if (kind === 'schema') yield* schemasWithin(model, node as Schema, seen) // of this kind
}

/** Whether an operation can't be called without a credential. */
export function isSecured({ security }: OperationModel): boolean {
  return security.length > 0 && security.every(requirement => Object.keys(requirement).length > 0)
}

/** An extension's text; whoever else uses its name may mean something else by it. */
export function textOf(node: object, name: `x-${string}`): string | undefined {
  const value: unknown = name in node ? node[name as keyof typeof node] : undefined
  return typeof value === 'string' ? value : undefined
}

/** A node of a document, and the names on the way to it from the root. */
export interface Placed<T> {
  node: T
  place: Path
}

/** Follows references to components, with where the end of the way stands; `place` is where it begins. */
export function followAt<T extends object>(
  document: OpenApi,
  node: T | Reference,
  start: Path,
): Placed<T> | undefined {
  let target: unknown = node
  let path: Path | undefined = start
  // A chain of references is no longer than there are components. A circle of references is refused.
  for (let hops = 0; hops < 1_000; hops++) {
    if (typeof target !== 'object' || target === null || !path) return undefined
    if (!('$ref' in target) || typeof target.$ref !== 'string') return { node: target as T, place: path } // a reference leads to its kind
    path = pathOf(target.$ref.slice(1))
    target = lookUp(document, path ?? [])
  }
  return undefined
}

/** Schemas that must all hold, with all that they take from `allOf`, each part with its place. */
export function partsAt(document: OpenApi, schemas: readonly Placed<Schema | Reference>[]): Placed<Schema>[] {
  const parts = new Map<Schema, Placed<Schema>>()
  const visit = ({ node, place }: Placed<Schema | Reference>) => {
    const part = followAt<Schema>(document, node, place)
    if (!part || parts.has(part.node)) return
    parts.set(part.node, part)
    for (const [index, other] of (part.node.allOf ?? []).entries())
      visit({ node: other, place: [...part.place, 'allOf', String(index)] })
  }
  schemas.forEach(visit)
  return [...parts.values()]
}

/** Calls that come back, by their addresses, in which runtime expressions may stand. */
export type Callback = Record<string, CallbackItem>

/** Stays as it was written, as nobody serves it: parameters for all methods beside them, operations without names. */
export type CallbackItem = PathItem<Partial<Operation>> & { parameters?: (Parameter | Reference)[] }

export interface Link {
  operationId?: string
  operationRef?: string
  parameters?: Record<string, unknown>
  requestBody?: unknown
  server?: Server
}

/** A path as a JSON Pointer in a URI fragment (RFC 6901, sections 3 and 6), as readable as that allows. */
export function pointerTo(path: Path): string {
  return `#${path.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`
}

/** A way as it stands in a `$ref`: what a URI can't hold is percent-encoded. */
export function referenceTo(path: Path): string {
  return encodeURI(pointerTo(path)).replace(/\?/g, '%3F')
}
