import { dirname, resolve as resolveFile } from 'node:path'
import type { Fault } from './fault.ts'
import { componentKinds, type Kind } from './grammar.ts'
import { lookUp, type Path, pathOf, referenceTo } from './pointer.ts'
import type { Source } from './source.ts'
import { likest } from './spelling.ts'
import type { Components } from './types.ts'

/** Where a node is written. */
export interface Located {
  source: Source
  path: Path
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
export interface Component {
  group: keyof Components
  name: string
}

/** Follows the references of a document and the files that it refers to. */
export interface References {
  /**
   * Where a reference leads, over all that are references themselves; undefined, and a fault, when nowhere.
   * @param at where the reference itself is written
   */
  follow(reference: string, from: Located, at: Located): Located | undefined
  /** The component that a place becomes; undefined, and a fault, when it is one of another kind. */
  componentFor(kind: Kind, target: Located, at: Located): Component | undefined
  /** components that were asked for and are not copied yet */
  waiting: (Component & { at: Located })[]
}

/** Most references that may lead to one another. */
const hopLimit = 100

/**
 * @param files those that were read, or why they can't be
 * @param missing is filled with the files that are needed and were not read yet
 */
export function openReferences(
  root: Source,
  files: ReadonlyMap<string, Source | readonly Fault[]>,
  missing: Set<string>,
  { fault, faults }: { fault(at: Located, rule: string, message: string): void; faults: Fault[] },
): References {
  /** The components of the root by where they stand, then those made of what is referred to elsewhere. */
  const names = new Map<string, Component>()
  const taken = new Set<string>()
  const waiting: References['waiting'] = []
  const groups = Object.entries(componentKinds) as [keyof Components, Kind][] // the record's own keys
  for (const [group] of groups) {
    const map = lookUp(root.value, ['components', group])
    for (const name of isObject(map) ? Object.keys(map) : []) {
      names.set(keyOf({ source: root, path: ['components', group, name] }), { group, name })
      taken.add(`${group} ${name}`)
    }
  }
  return { follow, componentFor, waiting }

  function follow(
    reference: string,
    from: Located,
    at: Located,
    seen = new Set<string>(),
  ): Located | undefined {
    const shown = reference.length > 200 ? `${reference.slice(0, 200)}…` : reference
    const [name = '', fragment = ''] = split(reference)
    const source = sourceOf(name, from.source, at)
    if (!source) return undefined
    const path = pathOf(fragment)
    if (!path) {
      fault(at, 'reference', `${shown} is no reference: write FILE#/way/to/the/part.`)
      return undefined
    }
    let target: Located = { source, path: [] }
    for (const step of path) {
      const node = lookUp(target.source.value, target.path)
      if (node === undefined) break
      // A way may lead through a reference.
      if (isReference(node) && !Object.hasOwn(node, step)) {
        if (seen.has(keyOf(target))) break // told below
        const through = follow(node.$ref, target, below(target, '$ref'), seen.add(keyOf(target)))
        if (!through) return undefined // told there
        target = through
      }
      target = below(target, step)
    }
    const node = lookUp(target.source.value, target.path)
    if (node === undefined) {
      fault(at, 'reference', `${shown} leads nowhere: there is no such part; ${meantBy(target)}.`)
      return undefined
    }
    if (!isReference(node)) return target
    if (seen.size >= hopLimit) {
      // All that lead to the same chain have the same fault: the first tells it.
      if (!faults.some(({ rule }) => rule === 'chain'))
        fault(at, 'chain', `${shown} leads on over more than ${hopLimit} references: name the part itself.`)
      return undefined
    }
    if (seen.has(keyOf(target))) {
      fault(at, 'cycle', `${shown} leads only to itself: write the part itself there.`)
      return undefined
    }
    const end = follow(node.$ref, target, below(target, '$ref'), seen.add(keyOf(target)))
    // A component that is a reference keeps its own name.
    return end && (names.has(keyOf(target)) ? target : end)
  }

  function sourceOf(name: string, from: Source, at: Located): Source | undefined {
    if (name === '') return from
    if (/^[a-z][a-z\d+.-]*:/i.test(name)) {
      fault(
        at,
        'reference',
        `${name} is not on this machine: save it beside the document and refer to the file.`,
      )
      return undefined
    }
    const file = resolveFile(dirname(from.file), decoded(name))
    const known = files.get(file)
    if (known && 'value' in known) return known
    if (!known) missing.add(file)
    else {
      fault(at, 'reference', `${name} can't be read: see that the file is there.`)
      faults.push(...known.filter(({ line, rule }) => rule !== 'readable' || line > 1))
    }
    return undefined
  }

  function componentFor(kind: Kind, target: Located, at: Located): Component | undefined {
    const known = names.get(keyOf(target))
    if (known) {
      if (componentKinds[known.group] === kind) return known
      fault(
        at,
        'reference',
        `A ${kind} is needed here, and the reference leads to a ${componentKinds[known.group]}: refer to a ${kind}.`,
      )
      return undefined
    }
    const group = groups.find(([, of]) => of === kind)?.[0]
    if (!group) return undefined
    const wanted = suggestName(target)
    let name = wanted
    for (let count = 2; taken.has(`${group} ${name}`); count++) name = `${wanted}_${count}`
    taken.add(`${group} ${name}`)
    const component = { group, name }
    names.set(keyOf(target), component)
    waiting.push({ ...component, at: target })
    return component
  }
}

/** What a way that leads nowhere was probably to lead to. */
function meantBy({ source, path }: Located): string {
  const siblings = lookUp(source.value, path.slice(0, -1))
  const meant = likest(path.at(-1) ?? '', isObject(siblings) ? Object.keys(siblings) : [])
  return meant === undefined ? 'describe it there' : `write ${referenceTo([...path.slice(0, -1), meant])}`
}

function split(reference: string): [string, string] {
  const mark = reference.indexOf('#')
  return mark < 0 ? [reference, ''] : [reference.slice(0, mark), reference.slice(mark + 1)]
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
