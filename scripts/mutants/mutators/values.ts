import type { Node } from './edit.ts'

/** The values that a schema lists; undefined where it lists none. */
export function enumOf(schema: Node): readonly unknown[] | undefined {
  return Array.isArray(schema.enum) ? schema.enum : undefined
}

/** The pairs of keywords that bound the same thing from both sides; `floor` is the least value that makes sense. */
export const boundPairs = [
  { lower: 'minimum', upper: 'maximum', floor: Number.MIN_SAFE_INTEGER },
  { lower: 'minLength', upper: 'maxLength', floor: 0 },
  { lower: 'minItems', upper: 'maxItems', floor: 0 },
  { lower: 'minProperties', upper: 'maxProperties', floor: 0 },
] as const

/** The range of a pair of bounds in a schema, as wide as it can be where the schema says nothing. */
export function rangeOf(
  schema: Node,
  { lower, upper, floor }: (typeof boundPairs)[number],
): [number, number] {
  const { [lower]: least, [upper]: most } = schema
  return [
    typeof least === 'number' ? least : floor,
    typeof most === 'number' ? most : Number.MAX_SAFE_INTEGER,
  ]
}

/** A value of the schema's type that is none of `taken` and fits its bounds; undefined where there is none. */
export function valueBeside(schema: Node, taken: readonly unknown[]): unknown {
  const [least, most] = rangeOf(schema, boundPairs[0])
  if (schema.type === 'integer' || schema.type === 'number') {
    const numbers = taken.filter(value => typeof value === 'number')
    const candidates = [...numbers.map(value => value + 1), ...numbers.map(value => value - 1)]
    return candidates.find(value => !taken.includes(value) && value >= least && value <= most)
  }
  if (schema.type !== 'string') return undefined
  const samples: Record<string, string> = { date: '2001-02-03', 'date-time': '2001-02-03T04:05:06Z' }
  const text = samples[String(schema.format)] ?? 'another'
  return taken.includes(text) ? undefined : text
}
