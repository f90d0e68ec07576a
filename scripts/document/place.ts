import type { Location, UserContext } from '@redocly/openapi-core'

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/** Whether a value is an object with keys, as opposed to an array, a scalar or null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A node of an OpenAPI document that knows where it is written.
 * A `$ref` is followed wherever it leads, so a place is never a reference. What the document lacks (or a `$ref` that
 * leads nowhere) is a place with the value `undefined`, so that paths into the document need no checks on the way.
 */
export class Place {
  readonly value: unknown
  readonly location: Location
  readonly #resolve: UserContext['resolve']

  constructor(node: unknown, location: Location, resolve: UserContext['resolve']) {
    // the resolver's own type excludes undefined, which it returns as it is
    const target = resolve(node as object, location.source.absoluteRef)
    const followed = isRecord(node) && typeof node.$ref === 'string'
    this.value = followed ? target.node : node
    this.location = followed && target.location ? target.location : location
    this.#resolve = resolve
  }

  /** The node below, key by key; own keys only, so that `constructor` is no surprise. */
  at(...keys: string[]): Place {
    return keys.reduce<Place>((place, key) => place.#child(key), this)
  }

  has(key: string): boolean {
    return this.at(key).value !== undefined
  }

  /** The text at a key, undefined where there is none. */
  text(key: string): string | undefined {
    const { value } = this.at(key)
    return typeof value === 'string' ? value : undefined
  }

  /** Keys and their nodes in the order of the document, none where this is no object. */
  get entries(): [string, Place][] {
    return isRecord(this.value) ? Object.keys(this.value).map(key => [key, this.#child(key)]) : []
  }

  /** Nodes of an array, none where this is no array. */
  get items(): Place[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.#child(String(index))) : []
  }

  /** Whether both are the same node of the same file. */
  is(other: Place): boolean {
    return this.location.absolutePointer === other.location.absolutePointer
  }

  #child(key: string): Place {
    const { value } = this
    const child =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined
    return new Place(child, this.location.child(key), this.#resolve)
  }
}

/** An operation of the document: its place, and where it answers. */
export interface Operation {
  readonly id: string | undefined
  /** in lower case, as the document has it */
  readonly method: string
  /** the path template, as the document has it */
  readonly path: string
  readonly place: Place
}

/** Every operation under `paths`, in the order of the document. */
export function operationsOf(document: Place): Operation[] {
  return document.at('paths').entries.flatMap(([path, item]) =>
    item.entries
      .filter(([method]) => path.startsWith('/') && methods.has(method))
      .map(([method, place]) => ({ id: place.text('operationId'), method, path, place })),
  )
}

/** Names between braces: the parameters of a path template or of a URL template. */
export function templateNames(template: string): string[] {
  return Array.from(template.matchAll(/\{([^{}]*)\}/g), match => match[1] ?? '')
}

/** Whether a caller of the operation must show a credential (OpenAPI 3.0.3, Security Requirement Object). */
export function isSecured(document: Place, operation: Place): boolean {
  const requirements = operation.has('security') ? operation.at('security') : document.at('security')
  return requirements.items.length > 0 && requirements.items.every(({ entries }) => entries.length > 0)
}
