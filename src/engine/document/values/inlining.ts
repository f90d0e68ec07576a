import { isObject } from '../pointer.ts'
import { withSubschemas } from './json-schema.ts'

/** The most schemas that references are replaced by, in one schema: a shared schema is repeated, and those in it as well. */
const mostInlined = 1_000
/** The longest chain of references that is replaced. */
const deepest = 50

/** Keywords that say something of a value, and demand nothing. */
const annotations = new Set(
  'title description default deprecated readOnly writeOnly examples $comment'.split(' '),
)

type Node = Record<string, unknown>
type Defs = Readonly<Record<string, unknown>>

/**
 * Puts the schemas of `$defs` in the places of the references to them, as some readers of JSON Schema read no `$defs`. A schema that
 * leads back to itself stays in `$defs`, and so do those by which the whole would have more than 1,000 further schemas.
 * @param defs by name; references to them are `#/$defs/NAME`
 */
export function withInlined(root: Node, defs: Defs): Node {
  const extents = extentsOf(defs)
  if (extents.size === 0) return Object.keys(defs).length > 0 ? { ...root, $defs: defs } : root
  const kept = new Set<string>()
  let left = mostInlined

  /** @param isCounted whether the schemas that it needs are subtracted already */
  function inlined(schema: unknown, isCounted: boolean): unknown {
    if (!isObject(schema)) return schema
    const { $ref, ...beside } = withSubschemas(schema, one => inlined(one, isCounted))
    const name = targetOf(schema)
    if (name === undefined) return $ref === undefined ? withoutWrapping(beside) : { ...beside, $ref }
    const extent = extents.get(name)
    if (!extent || (!isCounted && extent.size > left)) {
      kept.add(name)
      return { ...beside, $ref }
    }
    if (!isCounted) left -= extent.size
    const target = inlined(defs[name], true)
    return Object.keys(beside).length === 0 ? target : withoutWrapping({ allOf: [target], ...beside })
  }

  const result = inlined(root, false) as Node // an object stays one
  const rest: Node = {}
  for (const name of kept) rest[name] = inlined(defs[name], false) // which may keep others
  return kept.size > 0 ? { ...result, $defs: rest } : result
}

/** A schema that only adds words to another: these stand in the other itself. */
function withoutWrapping(schema: Node): Node {
  const { allOf, ...words } = schema
  const [only, ...more] = Array.isArray(allOf) ? allOf : []
  const isWrapping = isObject(only) && more.length === 0 && only.$ref === undefined
  return isWrapping && Object.keys(words).every(keyword => annotations.has(keyword))
    ? { ...only, ...words }
    : schema
}

function targetOf({ $ref }: Node): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith('#/$defs/') ? $ref.slice('#/$defs/'.length) : undefined
}

/** The schemas that take the place of a reference, and the longest chain of references among them. */
interface Extent {
  size: number
  depth: number
}

/** Returns the extents of the schemas that can be inlined. */
function extentsOf(defs: Defs): Map<string, Extent> {
  const extents = new Map<string, Extent>()
  const next = new Map(Object.keys(defs).map(name => [name, [...namesWithin(defs[name])]]))
  for (const [name = '', ...others] of stronglyConnected(next)) {
    const targets = next.get(name) ?? []
    if (others.length > 0 || targets.includes(name)) continue
    // A reference to a schema that stays costs nothing.
    const within = targets.flatMap(target => extents.get(target) ?? [])
    const size = within.reduce((sum, one) => sum + one.size, countOf(defs[name]))
    const depth = 1 + Math.max(0, ...within.map(item => item.depth))
    if (size <= mostInlined && depth <= deepest) extents.set(name, { size, depth })
  }
  return extents
}

const countOf = (schema: unknown): number =>
  isObject(schema) ? subschemasOf(schema).reduce<number>((sum, one) => sum + countOf(one), 1) : 0

function* namesWithin(schema: unknown): Generator<string> {
  if (!isObject(schema)) return
  const name = targetOf(schema)
  if (name !== undefined) yield name
  for (const subschema of subschemasOf(schema)) yield* namesWithin(subschema)
}

/** Returns the schemas directly within a schema. */
function subschemasOf(schema: Node): unknown[] {
  const found: unknown[] = []
  withSubschemas(schema, subschema => found.push(subschema))
  return found
}

/**
 * Returns the strongly connected components of a graph, each after those that it leads to (Tarjan, 1972). The reader of documents
 * bounds how deep references lead.
 */
function stronglyConnected(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const components: string[][] = []
  const numbers = new Map<string, number>()
  const open: string[] = []
  /** Returns the lowest number of an open name that a name leads to. */
  function visit(name: string): number {
    const own = numbers.size
    numbers.set(name, own)
    open.push(name)
    let lowest = own
    for (const target of next.get(name) ?? [])
      if (!numbers.has(target)) lowest = Math.min(lowest, visit(target))
      else if (open.includes(target)) lowest = Math.min(lowest, numbers.get(target) ?? own)
    if (lowest === own) components.push(open.splice(open.indexOf(name)))
    return lowest
  }
  for (const name of next.keys()) if (!numbers.has(name)) visit(name)
  return components
}
