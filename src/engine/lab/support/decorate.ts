import { walk } from 'spec-served-document/reading/walk'
import type { OpenApi } from 'spec-served-document/types'

const texts = new Set([
  'info',
  'tag',
  'operation',
  'parameter',
  'header',
  'response',
  'schema',
  'server',
  'securityScheme',
])
const unordered = new Set([
  'parameters',
  'required',
  'enum',
  'oneOf',
  'anyOf',
  'allOf',
  'tags',
  'security',
  'x-codes',
])

/**
 * A document that says the same, with other texts, extensions that nobody knows, and all in another order.
 * @param random from 0 to below 1
 */
export function decorated(document: OpenApi, random: () => number): OpenApi {
  const copy = structuredClone(document)
  for (const { kind, node, isReference } of [...walk(copy)]) {
    if (isReference || kind === 'securityRequirement' || kind === 'callback') continue
    if (texts.has(kind) && random() < 0.5) Object.assign(node, { description: `Text ${random()}` })
    if (random() < 0.5) Object.assign(node, { 'x-unknown': { note: random() } })
  }
  return shuffled(copy, '', random) as OpenApi // the same, in another order
}

function shuffled(value: unknown, name: string, random: () => number): unknown {
  if (typeof value !== 'object' || value === null) return value
  const mixed = <T>(list: readonly T[]) =>
    list
      .map(item => ({ item, rank: random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item)
  if (Array.isArray(value)) {
    const items = value.map(item => shuffled(item, '', random))
    return unordered.has(name) ? mixed(items) : items
  }
  return Object.fromEntries(
    mixed(Object.entries(value)).map(([key, child]) => [key, shuffled(child, key, random)]),
  )
}
