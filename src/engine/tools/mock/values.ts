import type { Reference, Schema } from 'spec-served-document/types'
import type { Schemas } from 'spec-served-document/values/schemas'
import { drawer, type Sample } from '../samples/samples.ts'

type Node = Schema | Reference

/** Values of replies: examples that fit their schemas, and values that are drawn from these. */
export interface MockValues {
  /** Draws a value from the keywords of a schema. */
  drawn(schema: Node): unknown
  /** Returns the first example that fits; without one a drawn value that fits; or else the first of both. */
  fitting(schema: Node, examples: readonly unknown[]): Sample
}

export function mockValues(schemas: Schemas): MockValues {
  const draw = once(drawer(schemas, { isFull: true, direction: 'response' }))
  const drawLikeExamples = once(
    drawer(schemas, { isFull: true, direction: 'response', isLikeExamples: true }),
  )
  const fits = (schema: Node, value: unknown) =>
    schemas.check(schema, structuredClone(value), 'response').length === 0 // which fills in defaults
  return {
    drawn: schema => draw(schema).value,
    fitting(schema, examples) {
      const defined = examples.filter(example => example !== undefined)
      for (const value of defined) if (fits(schema, value)) return { value, fits: true }
      const like = drawLikeExamples(schema)
      if (like.fits) return like
      const other = draw(schema)
      return other.fits || defined.length === 0 ? other : { value: defined[0], fits: false }
    },
  }
}

/** Draws the value of each schema once: it is the same each time, and may take long. */
function once(draw: (schema: Node) => Sample): (schema: Node) => Sample {
  const drawn = new WeakMap<Node, Sample>()
  return schema => {
    const candidates = drawn.get(schema) ?? draw(schema)
    drawn.set(schema, candidates)
    return candidates
  }
}
