import { dirname, posix, resolve as resolveFile } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject, lookUp, type Path, pathOf } from '../../../src/document/pointer.ts'
import type { Components } from '../../../src/document/types.ts'
import { likest } from '../../spelling.ts'
import { referenceTo } from '../nodes.ts'
import { DocumentRefused, type Located, type Report } from './fault.ts'
import { componentKinds, type Kind } from './grammar.ts'
import { readSource, type Source } from './source.ts'

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

const groups = Object.entries(componentKinds) as [keyof Components, Kind][] // the record's own keys

/** Follows the references of a document and the files that it refers to. */
export class References {
  /** what was read, the root first; undefined: it can't be */
  readonly files: Map<string, Source | undefined>
  /** components that were asked for and are not copied yet */
  readonly waiting: (Component & { at: Located })[] = []
  /** the components of the root by where they stand, then those made of what is referred to elsewhere */
  readonly #components = new Map<string, Component>()
  readonly #taken = new Set<string>()
  readonly #report: Report

  constructor(root: Source, report: Report) {
    this.files = new Map<string, Source | undefined>([[root.file, root]])
    this.#report = report
    for (const [group] of groups) {
      const map = lookUp(root.value, ['components', group])
      for (const name of isObject(map) ? Object.keys(map) : []) {
        this.#components.set(keyOf({ source: root, path: ['components', group, name] }), { group, name })
        this.#taken.add(`${group} ${name}`)
      }
    }
  }

  /**
   * Where a reference leads, over all that are references themselves; undefined, and a fault, when nowhere.
   * @param at where the reference itself is written
   */
  follow(reference: string, from: Located, at: Located, seen = new Set<string>()): Located | undefined {
    const shown = reference.length > 200 ? `${reference.slice(0, 200)}…` : reference
    const [, name = '', fragment = ''] = /^([^#]*)#?(.*)$/s.exec(reference) ?? []
    const source = name === '' ? from.source : this.#source(name, from.source, at)
    if (!source) return undefined
    const path = pathOf(fragment) ?? anchorIn(source.value, fragment)
    if (!path)
      return this.#report.fault(at, 'reference', `${shown} is no reference: write FILE#/way/to/the/part.`)
    let target: Located = { source, path: this.#rootFor(source, path, from) }
    for (const step of path) {
      const node = lookUp(target.source.value, target.path)
      if (node === undefined) break
      // A way may lead through a reference.
      if (isReference(node) && !Object.hasOwn(node, step)) {
        if (seen.has(keyOf(target))) break // told below
        const through = this.follow(node.$ref, target, below(target, '$ref'), seen.add(keyOf(target)))
        if (!through) return undefined // told there
        target = through
      }
      target = below(target, step)
    }
    const node = lookUp(target.source.value, target.path)
    if (node === undefined)
      return this.#report.fault(
        at,
        'reference',
        `${shown} leads nowhere: there is no such part; ${meantBy(target)}.`,
      )
    if (!isReference(node)) return target
    if (seen.size >= hopLimit) {
      // All that lead to the same chain have the same fault: the first tells it.
      if (this.#report.faults.some(({ rule }) => rule === 'chain')) return undefined
      const message = `${shown} leads on over more than ${hopLimit} references: name the part itself.`
      return this.#report.fault(at, 'chain', message)
    }
    if (seen.has(keyOf(target)))
      return this.#report.fault(at, 'cycle', `${shown} leads only to itself: write the part itself there.`)
    const end = this.follow(node.$ref, target, below(target, '$ref'), seen.add(keyOf(target)))
    // A component that is a reference keeps its own name.
    return end && (this.#components.has(keyOf(target)) ? target : end)
  }

  /**
   * Where the way of a reference begins: at the root of its file. `$defs` that are not there are meant to be those of a
   * schema around the reference: tools put a schema with its own into a document, and leave its references as they were.
   */
  #rootFor(source: Source, path: Path, from: Located): Path {
    if (source !== from.source || path[0] !== '$defs' || lookUp(source.value, path) !== undefined) return []
    const around = from.path.map((_, index) => from.path.slice(0, from.path.length - index))
    return around.find(place => lookUp(source.value, [...place, ...path]) !== undefined) ?? []
  }

  #source(name: string, from: Source, at: Located): Source | undefined {
    const file = this.#fileOf(name, from)
    if (file === undefined) {
      const message = `${name} is not on this machine: save it beside the document and refer to the file.`
      return this.#report.fault(at, 'reference', message)
    }
    if (!this.files.has(file)) this.files.set(file, this.#read(file))
    const message = `${name} can't be read: see that the file is there.`
    return this.files.get(file) ?? this.#report.fault(at, 'reference', message)
  }

  /**
   * The file that an address leads to, seen from a document: one that was read, by the address that it gives itself
   * (`$self`, OpenAPI 3.2.0, 4.1.1), or one that lies to it as their addresses do; undefined for one of another place.
   */
  #fileOf(name: string, from: Source): string | undefined {
    const base = addressOf(from)
    const target = URL.parse(name, base.href)
    const isThere = (one: Source | undefined) => one && addressOf(one).href === target?.href
    const known = [...this.files].find(([, one]) => isThere(one))?.[0]
    if (known !== undefined) return known
    const isRelative = !/^[a-z][a-z\d+.-]*:/i.test(name)
    if (isRelative) return resolveFile(dirname(from.file), decoded(name))
    if (base.protocol === 'file:' || target?.origin !== base.origin) return undefined
    return resolveFile(dirname(from.file), decoded(posix.relative(dirname(base.pathname), target.pathname)))
  }

  #read(file: string): Source | undefined {
    try {
      return readSource(file)
    } catch (error) {
      if (!(error instanceof DocumentRefused)) throw error
      this.#report.faults.push(...error.faults.filter(({ line, rule }) => rule !== 'readable' || line > 1))
      return undefined
    }
  }

  /** A reference to the component that a place becomes; undefined, and a fault, when it is one of another kind. */
  to(kind: Kind, target: Located, at: Located): string | undefined {
    const component = this.#components.get(keyOf(target)) ?? this.#newComponent(kind, target)
    if (!component) return undefined
    const { group, name } = component
    if (componentKinds[group] === kind) return referenceTo(['components', group, name])
    return this.#report.fault(
      at,
      'reference',
      `A ${kind} is needed here, and the reference leads to a ${componentKinds[group]}: refer to a ${kind}.`,
    )
  }

  #newComponent(kind: Kind, target: Located): Component | undefined {
    const group = groups.find(([, of]) => of === kind)?.[0]
    if (!group) return undefined
    const wanted = suggestName(target)
    let name = wanted
    for (let count = 2; this.#taken.has(`${group} ${name}`); count++) name = `${wanted}_${count}`
    this.#taken.add(`${group} ${name}`)
    this.#components.set(keyOf(target), { group, name })
    this.waiting.push({ group, name, at: target })
    return { group, name }
  }
}

const addresses = new WeakMap<Source, URL>()

/** The address of a document: the one that it gives itself, or that of its file. */
function addressOf(source: Source): URL {
  const own = pathToFileURL(source.file)
  const { $self = '' } = isObject(source.value) ? source.value : {}
  const address = addresses.get(source) ?? URL.parse(String($self), own.href) ?? own
  addresses.set(source, address)
  return address
}

/** Where the schema is that an anchor names (JSON Schema 2020-12 Core, section 8.2.2); undefined where there is none. */
function anchorIn(value: unknown, anchor: string, path: Path = []): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { $anchor, $dynamicAnchor } = value as Record<string, unknown> // absent of a list
  if ($anchor === anchor || $dynamicAnchor === anchor) return path
  for (const [name, child] of Object.entries(value)) {
    const found = anchorIn(child, anchor, [...path, name])
    if (found) return found
  }
  return undefined
}

/** What a way that leads nowhere was probably to lead to. */
function meantBy({ source, path }: Located): string {
  const siblings = lookUp(source.value, path.slice(0, -1))
  const meant = likest(path.at(-1) ?? '', isObject(siblings) ? Object.keys(siblings) : [])
  return meant === undefined ? 'describe it there' : `write ${referenceTo([...path.slice(0, -1), meant])}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A component's name after where it was found. */
function suggestName({ source, path }: Located): string {
  const [kind, group, ...rest] = path
  const words = kind === 'components' && group !== undefined ? rest : path.slice(-2)
  const file = source.file.slice(Math.max(source.file.lastIndexOf('/'), source.file.lastIndexOf('\\')) + 1)
  const text = words.length > 0 ? words.join('_') : file.replace(/\.\w+$/, '')
  return text.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^_+|_+$/g, '') || 'part'
}
