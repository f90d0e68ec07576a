import { pathToFileURL } from 'node:url'
import { isObject, type Path } from '../pointer.ts'
import type { Located } from './fault.ts'
import { dataFields, mapFields } from './grammar.ts'
import type { Source } from './source.ts'

/** The target of a base URI: a file, or a schema with its own `$id` (JSON Schema 2020-12 Core, section 4.3.5). */
export interface Resource {
  uri: string
  at: Located
  /** places by the names that fragments give them */
  anchors: Map<string, Located>
  /** those among them that dynamic references look for */
  dynamic: Map<string, Located>
}

/** The dynamic anchors that lie on the way to a schema, the outermost of each name. */
export type Scope = ReadonlyMap<string, Located>

/** A scope once a resource has been entered. */
export function entered(scope: Scope, { dynamic }: Resource): Scope {
  const added = [...dynamic].filter(([name]) => !scope.has(name))
  return added.length === 0 ? scope : new Map([...scope, ...added])
}

/** The resources and dialects in a file, by their paths. */
interface Found {
  resources: Map<string, Resource>
  dialects: Map<string, string>
}

/** The resources of all files that were read. */
export class Resources {
  readonly #byUri = new Map<string, Resource>()
  readonly #bySource = new Map<Source, Found>()

  /** Finds the resources of a file. @returns that of the whole file */
  add(source: Source): Resource {
    const found: Found = { resources: new Map(), dialects: new Map() }
    this.#bySource.set(source, found)
    const uri = hasScheme(source.file) ? source.file : pathToFileURL(source.file).href
    const root = this.#begin(uri, { source, path: [] }, found)
    this.#lookThrough(source.value, source, [], root, found)
    return root
  }

  /** The resource of a URI without a fragment. */
  named(uri: string): Resource | undefined {
    return this.#byUri.get(uri)
  }

  /** The innermost resource that a place is in. */
  around({ source, path }: Located): Resource {
    return innermost(this.#bySource.get(source)?.resources, path) ?? this.add(source)
  }

  /** Returns the `$schema` of a place, or of the nearest one around it. */
  dialectAt({ source, path }: Located): string | undefined {
    return innermost(this.#bySource.get(source)?.dialects, path)
  }

  /** Returns the place of an anchor in any resource of a file. */
  anywhere(source: Source, anchor: string): Located | undefined {
    const resources = [...(this.#bySource.get(source)?.resources.values() ?? [])]
    return resources.map(({ anchors }) => anchors.get(anchor)).find(place => place !== undefined)
  }

  #begin(uri: string, place: Located, { resources }: Found): Resource {
    const key = keyOfPath(place.path)
    const existing = resources.get(key)
    if (existing) existing.uri = uri // a file that begins with an `$id`
    const resource = existing ?? { uri, at: place, anchors: new Map(), dynamic: new Map() }
    resources.set(key, resource)
    if (!this.#byUri.has(uri)) this.#byUri.set(uri, resource)
    return resource
  }

  /**
   * The part of a resource that is a whole schema of a document. Dynamic references see no anchors beside it (OpenAPI
   * 3.1.1, 4.8.24; JSON Schema 2020-12 Core, sections 7.1 and 8.2.3.2). URIs are resolved as around it.
   */
  #schemaAt(path: Path, outer: Resource, { resources }: Found): Resource {
    const resource = resources.get(keyOfPath(path))
    const schema = resource ?? { ...outer, anchors: new Map(), dynamic: new Map() }
    resources.set(keyOfPath(path), schema)
    return schema
  }

  /**
   * @param path to the node; it is changed on the way, and put back
   * @param schema to the outermost schema around the node that is in the same resource
   */
  #lookThrough(
    node: unknown,
    source: Source,
    path: string[],
    outer: Resource,
    found: Found,
    isMap = false,
    schema?: Path,
  ) {
    if (typeof node !== 'object' || node === null) return
    const resource = isMap ? outer : this.#resourceAt(node, source, path, outer, found, schema)
    const isEntered = resource.at !== outer.at
    for (const [name, child] of Object.entries(node)) {
      if (typeof child !== 'object' || (!isMap && (dataFields.has(name) || name.startsWith('x-')))) continue
      const isComponent = path.length === 2 && path[0] === 'components' && path[1] === 'schemas'
      const isSchema = isComponent || (!isMap && (name === 'schema' || name === 'itemSchema'))
      path.push(name)
      const isMapBelow = !isMap && isObject(child) && mapFields.has(name)
      const around = schema ?? (isSchema ? [...path] : undefined)
      this.#lookThrough(child, source, path, resource, found, isMapBelow, isEntered ? undefined : around)
      path.pop()
    }
  }

  /** The resource that an object begins, or else is in; what the object says of itself is kept there. */
  #resourceAt(
    node: object,
    source: Source,
    path: Path,
    outer: Resource,
    found: Found,
    schema: Path | undefined,
  ): Resource {
    const { $id, $self, $schema, $anchor, $dynamicAnchor } = node as Record<string, unknown> // absent of a list
    if (typeof $schema === 'string') found.dialects.set(keyOfPath(path), $schema)
    const resourceId = path.length === 0 && typeof $self === 'string' ? $self : $id
    if ([resourceId, $anchor, $dynamicAnchor].every(keyword => keyword === undefined)) return outer
    const place = { source, path: [...path] }
    const [, id = ''] = typeof resourceId === 'string' ? splitReference(resourceId) : []
    const uri = id === '' ? outer.uri : uriOf(id, outer.uri)
    const whole = () => (schema ? this.#schemaAt(schema, outer, found) : outer)
    const resource = id !== '' ? this.#begin(uri, place, found) : whole()
    const { anchors, dynamic } = resource
    for (const name of [$anchor, $dynamicAnchor])
      if (typeof name === 'string' && name !== '' && !anchors.has(name)) anchors.set(name, place)
    if (typeof $dynamicAnchor === 'string' && anchors.get($dynamicAnchor) === place)
      dynamic.set($dynamicAnchor, place)
    return resource
  }
}

const keyOfPath = (path: Path) => path.join('\0')

/** Returns the value at a path, or at the longest part of it that has one. */
function innermost<T>(byPath: ReadonlyMap<string, T> | undefined, path: Path): T | undefined {
  if (!byPath || byPath.size === 0) return undefined
  let length = byPath.size === 1 && byPath.has('') ? 0 : path.length
  while (length > 0 && !byPath.has(keyOfPath(path.slice(0, length)))) length -= 1
  return byPath.get(keyOfPath(path.slice(0, length)))
}

/** A reference as a whole, what it names, and the fragment in that. */
export const splitReference = (reference: string): readonly string[] =>
  /^([^#]*)#?(.*)$/s.exec(reference) ?? []

/** Whether a name has a scheme. A single letter is that of a disk. */
export const hasScheme = (name: string): boolean => /^[a-z][a-z\d+.-]+:/i.test(name)

/** Resolves a name against a URI. Returns the name itself if it can't be resolved. */
export const uriOf = (name: string, base: string): string => URL.parse(name, base)?.href ?? name
