import { createHash } from 'node:crypto'
import type { Schema } from '../../../src/document/types.ts'
import { canonical, type Located, schemasWithin } from '../located.ts'
import { discriminatorOf } from './inheritance.ts'
import type { All } from './shape.ts'

/** Keywords that say nothing about values, nor how long they are promised. */
const texts = new Set(['description', 'title', 'example', 'externalDocs', 'xml'])
const lifecycle = new Set(['x-deprecated-at', 'x-deprecated-sunset'])
/** Keywords whose schemas are told apart by their own colours. */
const nested = new Set(['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'])
const unordered = new Set(['required', 'enum'])

/** After so many rounds, schemas that contain one another count as different; the walk through them ends as well. */
const roundsLimit = 50

const known = new WeakMap<Schema, string>()

/**
 * The same text for schemas that say the same, whatever their order, texts and names: also for those that contain
 * themselves. Schemas of different colours may still take the same values.
 */
export function colourOf(all: All): string {
  return all.length === 1 && all[0] ? colour(all[0]) : hash(all.map(colour).sort().join())
}

interface Visit {
  place: Located<Schema>
  index: number
  low: number
  edges: Edge[]
}

interface Edge {
  label: string
  to: Located<Schema>
}

function colour(start: Located<Schema>): string {
  return known.get(start.node) ?? paint(start)
}

/** Paints schemas before those that contain them; those that contain one another together (Tarjan's algorithm). */
function paint(start: Located<Schema>): string {
  const visits = new Map<Schema, Visit>()
  const stack: Visit[] = []
  const visit = (place: Located<Schema>): Visit => {
    const here: Visit = { place, index: visits.size, low: visits.size, edges: edgesOf(place) }
    visits.set(place.node, here)
    stack.push(here)
    for (const { to } of here.edges) {
      if (known.has(to.node)) continue
      const met = visits.get(to.node)
      here.low = Math.min(here.low, met ? met.index : visit(to).low)
    }
    if (here.low === here.index) paintTogether(stack.splice(stack.indexOf(here)))
    return here
  }
  visit(start)
  return known.get(start.node) ?? ''
}

function paintTogether(group: readonly Visit[]): void {
  const [only] = group
  let colours = new Map(group.map(({ place }) => [place.node, '']))
  const next = () =>
    new Map(
      group.map(({ place, edges }) => {
        const inner = edges
          .map(({ label, to }) => `${label} ${colours.get(to.node) ?? known.get(to.node)}`)
          .sort()
        return [place.node, hash([localText(place.node), ...inner].join('\n'))]
      }),
    )
  const isCircle = group.length > 1 || only?.edges.some(({ to }) => to.node === only.place.node)
  let classes = 0
  let rounds = 0
  do {
    classes = new Set(colours.values()).size
    colours = next()
  } while (isCircle && new Set(colours.values()).size > classes && ++rounds < roundsLimit)
  for (const [index, { place }] of group.entries())
    known.set(place.node, rounds < roundsLimit ? (colours.get(place.node) ?? '') : `${serial++} ${index}`)
}

let serial = 0

function edgesOf(place: Located<Schema>): Edge[] {
  const within = schemasWithin(place).map(({ keyword, name = '', schema }) => ({
    label: `${keyword} ${JSON.stringify(name)}`,
    to: schema,
  }))
  const told = (discriminatorOf(place)?.targets ?? []).map(({ values, target }) => ({
    label: `value ${values.toSorted().join()}`,
    to: target,
  }))
  return [...within, ...told]
}

function localText(node: Schema): string {
  const said = Object.entries(node)
    .filter(([key]) => !texts.has(key) && (!key.startsWith('x-') || lifecycle.has(key)))
    .map(([key, value]) => {
      if (key === 'discriminator') return `${key} ${node.discriminator?.propertyName}`
      if (unordered.has(key) && Array.isArray(value))
        return `${key} ${value.map(one => canonical(one)).sort()}`
      return nested.has(key) && typeof value === 'object' ? key : `${key} ${canonical(value)}`
    })
  return said.sort().join('\n')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
