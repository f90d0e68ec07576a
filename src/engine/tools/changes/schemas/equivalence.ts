import { createHash } from 'node:crypto'
import { schemaKeywords } from 'spec-served-document/model'
import type { Schema } from 'spec-served-document/types'
import { canonical, type Located, schemasWithin } from '../located.ts'
import { waived } from '../waived.ts'
import { discriminatorOf } from './inheritance.ts'
import type { All } from './parts.ts'

const lifecycle = new Set(['x-deprecated-at', 'x-deprecated-sunset'])
/** Keywords whose schemas are distinguished by their own classes. */
const nested = new Set(Object.values(schemaKeywords).flat())
const unordered = new Set(['required', 'enum', 'allOf', 'anyOf', 'oneOf'])

const classNames = new WeakMap<Schema, string>()

/**
 * Returns the equivalence class of schemas that must all hold, as a text. Order, descriptions and names do not count. Schemas
 * may contain themselves. Schemas of different classes may still take the same values.
 */
export function classOf(all: All): string {
  return all.length === 1 && all[0] ? classOfOne(all[0]) : hash(all.map(classOfOne).sort().join())
}

interface Visit {
  place: Located<Schema>
  index: number
  low: number
  edges: { label: string; to: Located<Schema> }[]
}

function classOfOne(start: Located<Schema>): string {
  if (!classNames.has(start.node)) classify(start)
  return classNames.get(start.node) ?? ''
}

/** Classifies schemas before those that contain them; those that contain one another together (Tarjan's algorithm). */
function classify(start: Located<Schema>): void {
  const visits = new Map<Schema, Visit>()
  const stack: Visit[] = []
  const visit = (place: Located<Schema>): Visit => {
    const here: Visit = { place, index: visits.size, low: visits.size, edges: edgesOf(place) }
    visits.set(place.node, here)
    stack.push(here)
    for (const { to } of here.edges) {
      if (classNames.has(to.node)) continue
      const met = visits.get(to.node)
      here.low = Math.min(here.low, met ? met.index : visit(to).low)
    }
    if (here.low === here.index) classifyTogether(stack.splice(stack.indexOf(here)))
    return here
  }
  visit(start)
}

/** Distinguishes the schemas of a group by their keywords, then by the schemas within, as long as that helps. */
function classifyTogether(group: readonly Visit[]): void {
  let classes = new Map(group.map(({ place }) => [place.node, '']))
  const classWith = ({ place, edges }: Visit) => {
    const inner = edges.map(({ label, to }) => `${label} ${classes.get(to.node) ?? classNames.get(to.node)}`)
    return hash([localText(place.node), ...inner.sort()].join('\n'))
  }
  let count = 0
  do {
    count = new Set(classes.values()).size
    classes = new Map(group.map(visit => [visit.place.node, classWith(visit)]))
  } while (new Set(classes.values()).size > count)
  for (const [node, name] of classes) classNames.set(node, name)
}

function edgesOf(place: Located<Schema>): Visit['edges'] {
  const within = schemasWithin(place).map(({ keyword, name = '', schema }) => ({
    label: `${keyword} ${unordered.has(keyword) ? '' : JSON.stringify(name)}`,
    to: schema,
  }))
  const named = (discriminatorOf(place)?.targets ?? []).map(({ values, target, isDefault }) => ({
    label: `value ${values.toSorted().join()}${isDefault ? ' or none' : ''}`,
    to: target,
  }))
  return [...within, ...named]
}

function localText(node: Schema): string {
  const said = Object.entries(node)
    .filter(([key]) => !(key in waived.schema) && (!key.startsWith('x-') || lifecycle.has(key)))
    .map(([key, value]) => {
      if (key === 'discriminator')
        return `${key} ${node.discriminator?.propertyName} ${node.discriminator?.defaultMapping}`
      if (nested.has(key) && typeof value === 'object') return key
      return unordered.has(key) && Array.isArray(value)
        ? `${key} ${value.map(item => canonical(item)).sort()}`
        : `${key} ${canonical(value)}`
    })
  return said.sort().join('\n')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
