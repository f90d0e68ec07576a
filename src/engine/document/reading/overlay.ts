import { resolve } from 'node:path'
import { JSONPathError, type JSONPathNode } from 'json-p3'
import { stringify } from 'yaml'
import { isObject, lookUp } from '../pointer.ts'
import { DocumentRefused, type Fault, faultAt, type Located } from './fault.ts'
import { BoundedPaths } from './json-path.ts'
import { readSource, type Source } from './source.ts'

/** A file of a document with all overlays applied. */
export interface Overlaid {
  source: Source
  /** the overlays' files */
  files: readonly string[]
  /** actions that change nothing */
  notes: Fault[]
}

const fieldsOf = {
  overlay: ['overlay', 'info', 'extends', 'actions'],
  info: ['title', 'version', 'description'],
  action: ['target', 'description', 'update', 'remove', 'copy'],
}

/**
 * Applies overlays (OpenAPI Overlay 1.0 and 1.1) to a file, one after the other.
 * @throws DocumentRefused with all faults of the first overlay that has any, at their lines
 */
export function overlay(base: Source, files: readonly string[]): Overlaid {
  const applying = new Applying(base)
  for (const file of files) applying.apply(readSource(file))
  const { root, notes } = applying
  const source: Source = {
    ...base,
    text: stringify(root.value, { aliasDuplicateObjects: false }),
    value: root.value,
    origin: path => applying.origin(path),
  }
  return { source, files: files.map(file => resolve(file)), notes }
}

class Applying {
  /** holds the whole document, so that an action may change that as well */
  readonly root: { value: unknown }
  readonly notes: Fault[] = []
  readonly #base: Source
  readonly #paths = new BoundedPaths()
  /** how much the overlays have added, in bytes, as near as need be */
  #added = 0
  /** the places of objects and lists, and those of the texts, numbers … in them that an overlay wrote */
  readonly #places = new WeakMap<object, Located>()
  readonly #scalars = new WeakMap<object, Map<string, Located>>()

  constructor(base: Source) {
    this.#base = base
    this.root = { value: this.#copy(base.value, { source: base, path: [] }) }
    this.#added = 0 // the base has bounds of its own
  }

  /** Returns the place where the node at a path was written. */
  origin(path: readonly string[]): Located {
    let overlayPlace: Located = { source: this.#base, path: [] }
    let node: unknown = this.root.value
    for (const name of path) {
      const scalar = isNode(node) ? this.#scalars.get(node)?.get(name) : undefined
      node = lookUp(node, [name])
      const place = isNode(node) ? this.#places.get(node) : scalar
      overlayPlace = place ?? { source: overlayPlace.source, path: [...overlayPlace.path, name] }
    }
    return overlayPlace
  }

  apply(source: Source): undefined {
    const faults: Fault[] = []
    const fault = (path: readonly string[], message: string) =>
      void faults.push(faultAt({ source, path }, 'overlay', message))
    checkForm(source.value, fault)
    if (faults.length === 0) {
      const { actions } = source.value as { actions: Record<string, unknown>[] } // it was checked
      for (const [i, action] of actions.entries())
        this.#act(source, action, ['actions', String(i)], (name, message) =>
          fault(['actions', String(i), ...name], message),
        )
    }
    if (faults.length > 0) throw new DocumentRefused(faults)
  }

  #act(
    source: Source,
    { target = '', update, remove, copy }: Record<string, unknown>,
    path: readonly string[],
    fault: (name: readonly string[], message: string) => undefined,
  ): undefined {
    const nodes = this.#select(String(target), message => fault(['target'], message))
    if (!nodes) return
    if (nodes.length === 0) {
      const message = `${target} selects nothing in the document, so this action changes nothing.`
      this.notes.push(faultAt({ source, path: [...path, 'target'] }, 'note', message))
    }
    if (remove === true) return this.#remove(nodes, message => fault(['target'], message))
    const actionPlace = { source, path: [...path, update === undefined ? 'copy' : 'update'] }
    let value = update
    if (value === undefined) {
      const copied = this.#select(String(copy), message => fault(['copy'], message))
      if (!copied) return
      const [first, ...others] = copied
      if (!first || others.length > 0)
        return fault(['copy'], `${copy} selects ${copied.length} nodes: copy takes exactly one.`)
      value = structuredClone(first.value)
    }
    for (const node of nodes)
      this.#update(node, value, actionPlace, message => fault([actionPlace.path.at(-1) ?? ''], message))
  }

  #select(path: string, fault: (message: string) => undefined): JSONPathNode[] | undefined {
    try {
      return this.#paths.nodes(path, this.root.value)
    } catch (error) {
      const reason = error instanceof Error ? error.message : error
      const target =
        error instanceof JSONPathError
          ? `is no JSONPath of RFC 9535 (${reason})`
          : `can’t be looked up (${reason})`
      fault(`${JSON.stringify(path)} ${target}: write one such as $.paths['/pets'].get.`)
      return undefined
    }
  }

  #remove(nodes: readonly JSONPathNode[], fault: (message: string) => undefined): undefined {
    const owned = Map.groupBy(nodes, ({ location }) => this.#owner(location))
    for (const [owner, properties] of owned) {
      const names = new Set(properties.map(({ location }) => String(location.at(-1))))
      if (properties.some(({ location }) => location.length === 0))
        return fault('The document itself can’t be removed: select a part of it.')
      if (Array.isArray(owner)) {
        const kept = owner.filter((_, i) => !names.has(String(i)))
        owner.splice(0, owner.length, ...kept)
      } else if (isObject(owner)) for (const name of names) Reflect.deleteProperty(owner, name)
    }
    return undefined
  }

  #update(
    node: JSONPathNode,
    value: unknown,
    origin: Located,
    fault: (message: string) => undefined,
  ): undefined {
    const { location } = node
    const target = lookUp(this.root.value, location.map(String))
    if (Array.isArray(target)) return void target.push(this.#copy(value, origin))
    if (isObject(target) && isObject(value)) return this.#merge(target, value, origin)
    if (isObject(target) || isNode(value))
      return fault(`An update of ${kindOf(target)} is ${kindOf(target)}, and this is ${kindOf(value)}.`)
    const owner = this.#owner(location)
    const name = String(location.at(-1))
    if (isNode(owner)) this.#set(owner, name, value, origin)
  }

  #merge(target: Record<string, unknown>, update: Record<string, unknown>, origin: Located): undefined {
    for (const [name, value] of Object.entries(update)) {
      const present = Object.hasOwn(target, name) ? target[name] : undefined
      const place = { source: origin.source, path: [...origin.path, name] }
      if (Array.isArray(present) && Array.isArray(value))
        for (const [i, item] of value.entries())
          present.push(this.#copy(item, { source: origin.source, path: [...place.path, String(i)] }))
      else if (isObject(present) && isObject(value)) this.#merge(present, value, place)
      else this.#set(target, name, value, place)
    }
  }

  #set(owner: object, name: string, value: unknown, origin: Located): undefined {
    const copy = this.#copy(value, origin)
    Object.defineProperty(owner, name, { value: copy, writable: true, enumerable: true, configurable: true })
    const scalars = this.#scalars.get(owner) ?? new Map<string, Located>()
    scalars.set(name, origin)
    this.#scalars.set(owner, scalars)
  }

  #owner(location: readonly (string | number)[]): unknown {
    return lookUp(this.root.value, location.slice(0, -1).map(String))
  }

  /** A copy in which no two places share an object, each with its place. */
  #copy(value: unknown, origin: Located): unknown {
    this.#added += weightOf(value)
    if (this.#added > mostAdded) {
      const message = `With this action the overlays add more than ${mostAdded / 2 ** 20} MiB to the document: copy less.`
      throw new DocumentRefused([faultAt(origin, 'overlay', message)])
    }
    if (!isNode(value)) return value
    const below = (name: string) => ({ source: origin.source, path: [...origin.path, name] })
    const copy = Array.isArray(value)
      ? value.map((item, i) => this.#copy(item, below(String(i))))
      : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#copy(item, below(name))]))
    this.#places.set(copy, origin)
    return copy
  }
}

/** The bytes of memory that a node takes without those below it, as near as need be. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  return isNode(value) ? 128 + Object.keys(value).join('').length : 16
}

/** The most that overlays add to a document, in these bytes. A few copies of a list in itself would fill the memory. */
const mostAdded = 16 * 2 ** 20

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isNode(value) ? 'an object' : 'a single value'
}

function checkForm(
  value: unknown,
  fault: (path: readonly string[], message: string) => undefined,
): undefined {
  if (!isObject(value) || !('overlay' in value))
    return fault([], 'This is no overlay: it is to be an object that begins with `overlay: 1.1.0`.')
  if (!/^1\.[01]\.\d+$/.test(String(value.overlay)))
    fault(
      ['overlay'],
      `Only overlays of 1.0 and 1.1 are applied, and this says ${JSON.stringify(value.overlay)}.`,
    )
  checkNames(value, fieldsOf.overlay, [], fault)
  if (isObject(value.info)) checkNames(value.info, fieldsOf.info, ['info'], fault)
  else fault([], 'info is missing here: write its title and its version.')
  if (!Array.isArray(value.actions) || value.actions.length === 0)
    return fault(['actions'], 'An overlay has a list of actions: write one with a target.')
  for (const [i, action] of value.actions.entries()) {
    const actionPath = ['actions', String(i)]
    if (!isObject(action)) {
      fault(actionPath, 'An action is an object with a target and an update, remove or copy.')
      continue
    }
    checkNames(action, fieldsOf.action, actionPath, fault)
    if (typeof action.target !== 'string')
      fault(actionPath, 'The action has no target: write a JSONPath such as $.info.')
    if (action.remove !== undefined && typeof action.remove !== 'boolean')
      fault([...actionPath, 'remove'], 'remove is true or false.')
    if (action.copy !== undefined && typeof action.copy !== 'string')
      fault([...actionPath, 'copy'], 'copy is the JSONPath of the node that is copied.')
    if (action.update === undefined && action.remove !== true && action.copy === undefined)
      fault(actionPath, 'The action does nothing: write update, copy, or remove: true.')
  }
}

function checkNames(
  node: Record<string, unknown>,
  names: readonly string[],
  path: readonly string[],
  fault: (path: readonly string[], message: string) => undefined,
): undefined {
  for (const name of Object.keys(node))
    if (!names.includes(name) && !name.startsWith('x-'))
      fault([...path, name], `${name} is no field of this part of an overlay: it has ${names.join(', ')}.`)
}
