import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve as resolveFile } from 'node:path'
import { isObject, lookUp, type Path, pathOf } from '../pointer.ts'
import type { Components } from '../types.ts'
import { DocumentRefused, type Located, type Report } from './fault.ts'
import { componentKinds, type Kind, type Version } from './grammar.ts'
import { decoded, filesOf, meantBy, suggestName } from './names.ts'
import { referenceTo } from './nodes.ts'
import {
  entered,
  hasScheme,
  type Resource,
  Resources,
  type Scope,
  splitReference,
  uriOf,
} from './resources.ts'
import { isWithin, readSource, type Source } from './source.ts'
import { vendoredFile } from './vendored.ts'

/** Whether an object is a Reference Object, and not a schema or a map with a property named `$ref`. */
export function isReference(value: unknown): value is { $ref: string } {
  return isObject(value) && typeof value.$ref === 'string'
}

/** A place below another. */
export const below = ({ source, path }: Located, ...names: string[]): Located => ({
  source,
  path: [...path, ...names],
})

/** The same text for the same place. */
export const keyOf = ({ source, path }: Located): string => `${source.file} ${path.join('\0')}`

/** A component of the document in one piece. */
interface Component {
  group: keyof Components
  name: string
}

/** Most references that may lead to one another. */
const hopLimit = 100
/** Most components that may be made of schemas that mean something else where they are referred to. */
const boundLimit = 1_000

const groups = Object.entries(componentKinds) as [keyof Components, Kind][] // the record's own keys

/** Finds a resource that is known by an absolute URI without being on this machine's disk; undefined: there is none. */
export type Library = (uri: string) => unknown

/** Follows the references of a document and the files that it refers to. */
export class References {
  /** the files that were read, the root first; undefined: one can't be read */
  readonly files: Map<string, Source | undefined>
  /** those that are there and can't be read, as is told */
  readonly #unreadable = new Set<string>()
  /** components that were asked for and are not copied yet */
  readonly waiting: (Component & { at: Located; scope: Scope })[] = []
  /** the scope in the document itself */
  readonly scope: Scope
  /** the components of the root by where they stand, then those made of what is referred to elsewhere */
  readonly #components = new Map<string, Component>()
  readonly #taken = new Set<string>()
  readonly #resources = new Resources()
  #bound = 0
  /** the folder that holds all files of the document */
  readonly #folder: string
  /** the first file, as a command takes it */
  readonly #document: string
  readonly #version: Version
  readonly #report: Report
  readonly #library: Library

  constructor(root: Source, version: Version, report: Report, library: Library) {
    this.files = new Map<string, Source | undefined>([[root.file, root]])
    this.#document = relative('.', root.file)
    this.#folder = root.folder ?? dirname(resolveFile(root.file))
    this.#version = version
    this.#report = report
    this.#library = library
    this.scope = entered(new Map(), this.#resources.add(root))
    for (const [group] of groups) {
      const map = lookUp(root.value, ['components', group])
      for (const name of isObject(map) ? Object.keys(map) : []) {
        this.#components.set(keyOf({ source: root, path: ['components', group, name] }), { group, name })
        this.#taken.add(`${group} ${name}`)
      }
    }
  }

  /** Returns the `$schema` of a place, or of the nearest one around it. */
  dialectAt(place: Located): string | undefined {
    return this.#resources.dialectAt(place)
  }

  /** The value that a URI names, if it is at hand. */
  valueOf(uri: string): unknown {
    const { at } = this.#resources.named(uri) ?? this.#fromLibrary(uri) ?? {}
    return at && lookUp(at.source.value, at.path)
  }

  /** Returns the scope at a place that another scope leads to. */
  scopeAt(place: Located, scope: Scope): Scope {
    return entered(scope, this.#resources.around(place))
  }

  /**
   * Returns the end of a chain of references. If it leads nowhere, it reports a fault and returns undefined.
   * @param place the place of the reference itself
   * @param kind the kind that it is to lead to
   */
  follow(
    reference: string,
    from: Located,
    place: Located,
    kind?: string,
    seen = new Set<string>(),
  ): Located | undefined {
    const shown = reference.length > 200 ? `${reference.slice(0, 200)}…` : reference
    const [, name = '', fragment = ''] = splitReference(reference)
    const resource = name === '' ? this.#resources.around(from) : this.#resource(name, from, place)
    if (!resource) return undefined
    const { source } = resource.at
    const path = pathOf(fragment)
    const anchor = resource.anchors.get(fragment) ?? this.#resources.anywhere(source, fragment)
    if (!path && !anchor)
      return this.#report.fault(place, 'reference', `${shown} is no reference: write FILE#/way/to/the/part.`)
    let target = (!path && anchor) || { source, path: rootOf(resource, path ?? [], from) }
    for (const step of path ?? []) {
      const node = lookUp(target.source.value, target.path)
      if (node === undefined) break
      // A way may lead through a reference.
      if (isReference(node) && !Object.hasOwn(node, step)) {
        if (seen.has(keyOf(target))) break // told below
        seen.add(keyOf(target))
        const through = this.follow(node.$ref, target, below(target, '$ref'), undefined, seen)
        if (!through) return undefined // told there
        target = through
      }
      target = below(target, step)
    }
    const node = lookUp(target.source.value, target.path)
    if (node === undefined)
      return this.#report.fault(
        place,
        'reference',
        `${shown} leads nowhere: there is no such part; ${meantBy(target)}.`,
      )
    if (!isReference(node) || (kind === 'schema' && this.#saysMore(node, target))) return target
    if (seen.size >= hopLimit) {
      // All that lead to the same chain have the same fault: the first tells it.
      if (this.#report.faults.some(({ rule }) => rule === 'chain')) return undefined
      const message = `${shown} leads on over more than ${hopLimit} references: name the part itself.`
      return this.#report.fault(place, 'chain', message)
    }
    if (seen.has(keyOf(target)))
      return this.#report.fault(place, 'cycle', `${shown} leads only to itself: write the part itself there.`)
    const end = this.follow(node.$ref, target, below(target, '$ref'), kind, seen.add(keyOf(target)))
    // A component that is a reference keeps its own name.
    return end && (this.#components.has(keyOf(target)) ? target : end)
  }
  /**
   * Returns where a dynamic reference leads. Its own target names an anchor. The outermost dynamic anchor of that name
   * in scope counts (JSON Schema 2020-12 Core, section 8.2.3.2).
   */
  followDynamic(reference: string, from: Located, place: Located, scope: Scope): Located | undefined {
    const target = this.follow(reference, from, place, 'schema')
    const [, , fragment = ''] = splitReference(reference)
    const isDynamic = target && this.#resources.around(target).dynamic.get(fragment)
    return (isDynamic && scope.get(fragment)) ?? target
  }

  /** Whether a schema that is a reference says more than that one, by its keywords or by its anchors. */
  #saysMore(node: object, place: Located): boolean {
    const isMore = Object.keys(node).length > 1 || this.#resources.around(place).dynamic.size > 0
    return isMore && this.#version !== '3.0'
  }

  #resource(name: string, from: Located, place: Located): Resource | undefined {
    const base = this.#resources.around(from).uri
    const uri = uriOf(name, base)
    const resource = this.#resources.named(uri) ?? this.#fromLibrary(uri)
    if (resource) return resource
    const copy = vendoredFile(this.#folder, uri)
    const isCopied = copy !== undefined && existsSync(copy)
    const host = URL.parse(uri)?.host || 'HOST'
    const message = `${name} is not on this machine: save it beside the document and refer to the file, or run \`npx spec-served vendor --spec ${this.#document} --host ${host}\`.`
    if (hasScheme(name) && !isCopied) return this.#report.fault(place, 'reference', message)
    // A name that a schema's own `$id` makes is usually no file.
    const places = isCopied
      ? [copy]
      : [...filesOf(uri), resolveFile(dirname(from.source.file), decoded(name))]
    const within = places.filter(file => isWithin(this.#folder, file))
    for (const file of within) {
      if (!this.files.has(file)) this.files.set(file, this.#read(file))
      const source = this.files.get(file)
      if (source) return this.#resources.around({ source, path: [] })
    }
    const outside = `${name} is outside the folder of the document: put both in one, bundle the document first, or name a folder that holds both by --root (mock, client, mcp, check:contract --url).`
    if (within.some(file => this.#unreadable.has(file))) return undefined // told there
    const unread = `${name} can't be read: see that the file is there.`
    return this.#report.fault(place, 'reference', within.length > 0 ? unread : outside)
  }

  #fromLibrary(uri: string): Resource | undefined {
    const value = hasScheme(uri) ? this.#library(uri) : undefined
    if (value === undefined) return undefined
    return this.#resources.add({ file: uri, text: '', value, place: () => ({ line: 1, column: 1 }) })
  }

  #read(file: string): Source | undefined {
    try {
      return readSource(file)
    } catch (error) {
      if (!(error instanceof DocumentRefused)) throw error
      // The reference is wrong where there is no such file.
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
        this.#unreadable.add(file)
        this.#report.faults.push(...error.faults)
      }
      return undefined
    }
  }

  /**
   * A reference to the component that a place becomes; undefined, and a fault, when it is one of another kind.
   * @param scope the scope of the reference
   */
  to(kind: Kind, target: Located, place: Located, scope: Scope): string | undefined {
    if (target.path.length === 0 && lookUp(target.source.value, ['openapi']) !== undefined)
      return this.#report.fault(
        place,
        'reference',
        `A ${kind} is needed here, and the reference leads to a whole document: write the way to the ${kind} in it.`,
      )
    const inside = this.#relevant(target, this.scopeAt(target, scope))
    const collected = this.#components.get(keyIn(target, inside))
    if (!collected && inside.size > 0 && ++this.#bound > boundLimit) {
      // One such fault is enough: where they grow without end there are as many more.
      if (this.#report.faults.some(({ rule }) => rule === 'depth')) return undefined
      const message = `Dynamic references give schemas more than ${boundLimit} meanings: name what is meant by $ref.`
      return this.#report.fault(place, 'depth', message)
    }
    const component = collected ?? this.#newComponent(kind, target, inside)
    if (!component) return undefined
    const { group, name } = component
    if (componentKinds[group] === kind) return referenceTo(['components', group, name])
    return this.#report.fault(
      place,
      'reference',
      `A ${kind} is needed here, and the reference leads to a ${componentKinds[group]}: refer to a ${kind}.`,
    )
  }

  /** A scope that is another than the place's own, where that can make a difference; else none. */
  #relevant(target: Located, scope: Scope): Scope {
    const isOwn = textOf(scope) === textOf(this.scopeAt(target, this.scope))
    return isOwn || !this.#isDynamic(target) ? new Map() : scope
  }

  /** Whether a dynamic reference can be come to from a place. */
  #isDynamic(start: Located): boolean {
    const places = new Map([[keyOf(start), start]])
    for (const place of places.values()) {
      const node = lookUp(place.source.value, place.path)
      if (typeof node !== 'object' || node === null) continue
      if ('$dynamicRef' in node) return true
      for (const name of Object.keys(node)) places.set(keyOf(below(place, name)), below(place, name))
      if (!isReference(node)) continue
      const reported = this.#report.faults.length
      const target = this.follow(node.$ref, place, place, 'schema')
      this.#report.faults.splice(reported) // it may be data that looks like a reference; one is told where it is copied
      if (target) places.set(keyOf(target), target)
    }
    return false
  }

  #newComponent(kind: Kind, target: Located, scope: Scope): Component | undefined {
    const group = groups.find(([, of]) => of === kind)?.[0]
    if (!group) return undefined
    const [bound] = scope.values()
    const suggested = suggestName(target)
    const wanted = bound
      ? `${suggested}_of_${suggestName({ ...bound, path: bound.path.slice(-1) })}`
      : suggested
    let name = wanted
    for (let count = 2; this.#taken.has(`${group} ${name}`); count++) name = `${wanted}_${count}`
    this.#taken.add(`${group} ${name}`)
    this.#components.set(keyIn(target, scope), { group, name })
    const inside = scope.size > 0 ? scope : this.scopeAt(target, this.scope)
    this.waiting.push({ group, name, at: target, scope: inside })
    return { group, name }
  }
}

const textOf = (scope: Scope) =>
  [...scope]
    .map(([name, place]) => `${name} ${keyOf(place)}`)
    .sort()
    .join('\n')

/** The same text for the same place in the same scope. */
const keyIn = (target: Located, scope: Scope) =>
  [keyOf(target), ...(scope.size > 0 ? [textOf(scope)] : [])].join('\n')

/**
 * Returns where the path of a reference begins: at the root of the resource. Many authors who write an `$id` mean that
 * of the file. Missing `$defs` are looked for in the schemas around the reference. Tools copy a schema with its own
 * `$defs` into a document, and leave its references as they were.
 */
function rootOf({ at: { source, path: root } }: Resource, path: Path, from: Located): Path {
  const around =
    source === from.source && path[0] === '$defs'
      ? from.path.map((_, index) => from.path.slice(0, from.path.length - index))
      : []
  const roots = [root, [], ...around]
  const leadsTo = (way: Path) => roots.find(place => lookUp(source.value, [...place, ...way]) !== undefined)
  return leadsTo(path) ?? leadsTo(path.slice(0, 1)) ?? []
}
