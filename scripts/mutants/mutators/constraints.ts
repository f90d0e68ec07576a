import type { Path } from '../../../src/document/pointer.ts'
import type { OpenApi } from '../../../src/document/types.ts'
import { drop, type Edit, isNode, nodeAt, set } from './edit.ts'
import { type Place, resolvedAt } from './places.ts'
import { boundPairs, enumOf, rangeOf } from './values.ts'

/** An edit of one keyword that narrows values; a text says why it means nothing after all. */
export interface ConstraintEdit extends Edit {
  idle?: string
}

/** Bounds, patterns, formats and uniqueness: each moved, changed and dropped. */
export function* constraintEdits(document: OpenApi, place: Place): Generator<ConstraintEdit> {
  yield* bounds(document, place)
  yield* texts(document, place)
  if (place.node.type === 'array')
    yield set('uniqueItems flipped', document, [...place.at, 'uniqueItems'], !place.node.uniqueItems)
}

function* bounds(document: OpenApi, { at, node }: Place): Generator<ConstraintEdit> {
  for (const pair of boundPairs) {
    const [least, most] = rangeOf(node, pair)
    for (const [keyword, value, inward] of [
      [pair.lower, least, 1],
      [pair.upper, most, -1],
    ] as const) {
      if (node[keyword] === undefined) continue
      const place = [...at, keyword]
      const [tighter, wider] = [value + inward, value - inward]
      const idle = (other: number) => idleBound(document, at, keyword, other)
      if (least < most) yield because(set('bound tightened', document, place, tighter), idle(tighter))
      if (wider >= pair.floor && wider <= Number.MAX_SAFE_INTEGER)
        yield because(set('bound loosened', document, place, wider), idle(wider))
      const none = keyword === pair.lower ? pair.floor : Number.POSITIVE_INFINITY
      yield because(drop('bound dropped', document, place), idle(none))
    }
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'])
    if (node[keyword] !== undefined)
      yield set('bound exclusiveness flipped', document, [...at, keyword], !node[keyword])
}

function* texts(document: OpenApi, { at, node }: Place): Generator<ConstraintEdit> {
  const { pattern, format, type } = node
  const listed = enumOf(node)?.filter(value => value !== null)
  const onlyNull = listed?.length === 0 ? enumDecides : undefined // null has neither pattern nor format
  if (typeof pattern === 'string') {
    const place = [...at, 'pattern']
    const other = pattern === '^[xyz]' ? '^[uvw]' : '^[xyz]'
    const fits = listed?.every(value => new RegExp(pattern, 'u').test(String(value)))
    yield because(set('pattern changed', document, place, other), onlyNull)
    yield because(drop('pattern dropped', document, place), fits ? enumDecides : undefined)
  }
  if (typeof format === 'string' && type === 'string') {
    const place = [...at, 'format']
    yield because(set('format changed', document, place, otherFormats[format] ?? 'date'), onlyNull)
    yield because(drop('format dropped', document, place), listed && enumDecides)
  }
}

const enumDecides = 'The enum alone says which values there are.'

const otherFormats: Record<string, string> = {
  'date-time': 'date',
  date: 'date-time',
  'uri-reference': 'email',
  uri: 'email',
  email: 'uri',
}

/** Why another value of a bound decides as the one that stands there does; undefined where it does not. */
function idleBound(document: OpenApi, at: Path, keyword: string, other: number): string | undefined {
  const schema = nodeAt(document, at)
  const [least, most] = [Math.min(Number(schema[keyword]), other), Math.max(Number(schema[keyword]), other)]
  if (least === most) return 'There is nothing beyond the bound.'
  const { pattern, uniqueItems, exclusiveMinimum, exclusiveMaximum } = schema
  const listed = enumOf(schema)?.filter(value => value !== null)
  const size = (value: unknown) => (typeof value === 'string' ? [...value].length : Number(value))
  const passed = (value: unknown) => (keyword.startsWith('min') ? size(value) >= most : size(value) <= least)
  if (listed?.every(passed) && !exclusiveMinimum && !exclusiveMaximum) return enumDecides
  if (
    keyword === 'minLength' &&
    most === 1 &&
    typeof pattern === 'string' &&
    !new RegExp(pattern, 'u').test('')
  )
    return 'The pattern refuses the empty text already.'
  const items = resolvedAt(document, [...at, 'items']).node
  const choices = isNode(items) ? enumOf(items)?.length : undefined
  if (keyword === 'maxItems' && uniqueItems === true && choices !== undefined && least >= choices)
    return 'There are no more values to have once each.'
  return undefined
}

const because = (edit: Edit, idle: string | undefined): ConstraintEdit => (idle ? { ...edit, idle } : edit)
