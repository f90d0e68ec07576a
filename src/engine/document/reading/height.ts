import { type Model, partsOf, takesNull, typesIn, valuesIn } from '../model.ts'
import type { Reference, Schema, SchemaType } from '../types.ts'
import { schemasWithin } from './nodes.ts'

type Node = Schema | Reference

/** The nesting of objects and lists in the flattest value of a schema; Infinity if each value is endless. */
export type HeightOf = (schema: Node) => number

const byModel = new WeakMap<Model, HeightOf>()

/** Finds the heights of schemas, each once: what a schema demands may lead back to it. */
export function heightsIn(model: Model): HeightOf {
  const found = byModel.get(model) ?? finder(model)
  byModel.set(model, found)
  return found
}

function finder(model: Model): HeightOf {
  const heights = new WeakMap<Schema, number>()
  const heightAt = (node: Node): number => heights.get(model.resolve(node)) ?? Infinity
  return node => {
    if (heights.has(model.resolve(node))) return heightAt(node)
    const found = new Set<object>()
    const seen = {
      has: (schema: Schema) => heights.has(schema) || found.has(schema),
      add: (schema: object) => found.add(schema),
    }
    const within = [...schemasWithin(model, node, seen)]
    // Each round lowers the heights that it can, until none gets lower.
    for (let isLower = true; isLower; ) {
      isLower = false
      for (const schema of within) {
        const before = heights.get(schema)
        const now = before === 0 ? 0 : demandedBy(partsOf(model, schema), heightAt)
        isLower ||= now < (before ?? Infinity)
        heights.set(schema, now)
      }
    }
    return heightAt(node)
  }
}

/** The height that all parts of a schema demand. */
function demandedBy(parts: readonly Schema[], heightAt: HeightOf): number {
  if (parts.some(part => takesNull(part) || valuesIn(part))) return 0
  const alternatives = parts.flatMap(({ oneOf = [], anyOf = [] }) => [oneOf, anyOf])
  const chosen = alternatives.flatMap(some => (some.length > 0 ? [Math.min(...some.map(heightAt))] : []))
  return Math.max(0, ...chosen, ...childrenOf(parts).map(child => heightAt(child) + 1))
}

/** Returns the parts that each value of a schema must hold, if it can only be an object or list. */
function childrenOf(parts: readonly Schema[]): Node[] {
  const types = new Set(parts.flatMap(typesIn))
  const isOnly = (type: SchemaType) => types.size === 1 && types.has(type)
  if (isOnly('object') || (types.size === 0 && parts.some(({ properties }) => properties))) {
    const required = new Set(parts.flatMap(part => part.required ?? []))
    // A property that only requests or only responses have is not required of both.
    const isDemanded = (name: string, node: Node) =>
      required.has(name) && !('readOnly' in node) && !('writeOnly' in node)
    return parts.flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, node]) => (isDemanded(name, node) ? [node] : [])),
    )
  }
  const isList = isOnly('array') && parts.some(({ minItems = 0 }) => Number(minItems) > 0)
  return isList ? parts.flatMap(({ items }): Node[] => (items ? [items] : [])) : []
}
