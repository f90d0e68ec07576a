import fc from 'fast-check'
import type { Schema } from '../../../src/document/types.ts'
import type { Reader } from '../change.ts'
import {
  type All,
  type Choice,
  everyType,
  type Shape,
  shapeOf,
  takeApart,
  withoutChoice,
} from '../schemas/shape.ts'
import { numbersFor, textsFor } from './scalars.ts'

/** How deep values are built beyond what they must hold. */
const fullDepth = 4
const deepest = 12
/** How many schemas beside one give it bounds to try. */
const hintsLimit = 40
/** How many values of a property are put into its object, and how many there are at all. */
const propertyLimit = 24
const valuesLimit = 600

/** A property that no schema knows. */
const unknownName = 'another'

/**
 * Values that schemas take, or nearly take, the likeliest first: at the bounds of what they and others say. Of an object
 * or a list, one part at a time is other than usual, and some are mixed at random, the same on each run.
 * @param hints schemas whose bounds count too
 * @param kin schemas of whose properties the values may speak, besides their own
 */
export function valuesFor(
  own: All,
  hints: readonly All[],
  reader: Reader,
  kin: readonly All[] = [],
): unknown[] {
  return draw(own, hints, { reader, left: drawsLimit }, 0, kin)
}

/** Values are drawn for so many schemas within one, those that contain themselves counted each time. */
const drawsLimit = 300

interface Drawing {
  reader: Reader
  left: number
}

/** @param kin alternatives beside the one that is drawn: what they speak of may be in its values too */
function draw(
  own: All,
  hints: readonly All[],
  drawing: Drawing,
  depth: number,
  kin: readonly All[] = [],
): unknown[] {
  const { reader } = drawing
  if (depth > deepest || drawing.left-- <= 0) return []
  const shape = shapeOf(own, reader)
  const siblings = [...kin, ...alternativesOf(shape)]
  const others = [...hints, ...siblings]
    .slice(0, hintsLimit)
    .flatMap(hint => expand(hint, reader))
    .slice(0, hintsLimit)
  const [choice] = shape.choices // the others stay in what is drawn
  const names = new Set(siblings.flatMap(one => namesIn(one, reader)))
  const drawn = choice
    ? choice.alternatives.map((_, index) =>
        draw(chosen(own, choice, index), hints, drawing, depth + 1, siblings),
      )
    : [plainValues(shape, others, names, drawing, depth)]
  const ruledOut = [shape, ...others].flatMap(({ not }) => (not.length > 0 ? [not] : []))
  for (const not of ruledOut.slice(0, 4)) drawn.push(draw(not, [], drawing, depth + 1))
  const values = interleaved(drawn)
  return distinct([...values, ...said([shape, ...others])], valuesLimit)
}

/** Schemas with one alternative of a choice in its place. */
function chosen(own: All, choice: Choice, index: number): All {
  const { discriminator, alternatives, names } = choice
  const alternative = alternatives[index] ?? []
  const target = discriminator?.targets.find(({ name }) => names[index]?.endsWith(`/${name}`))
  const part = alternative[0]
  const sign: Schema = {
    type: 'object',
    required: [discriminator?.property ?? ''],
    properties: { [discriminator?.property ?? '']: { type: 'string', enum: [...(target?.values ?? [])] } },
  }
  return [
    ...takeApart(own).map(other => withoutChoice(other, choice)),
    ...alternative,
    ...(target && part ? [{ ...part, node: sign }] : []),
  ]
}

function alternativesOf({ choices, not }: Shape): All[] {
  return [...choices.flatMap(({ alternatives }) => alternatives), ...(not.length > 0 ? [not] : [])]
}

/** What schemas say, and what each of their alternatives does. */
function expand(all: All, reader: Reader, depth = 0): Shape[] {
  const shape = shapeOf(all, reader)
  return depth > 3
    ? [shape]
    : [shape, ...alternativesOf(shape).flatMap(one => expand(one, reader, depth + 1))]
}

/** The values that schemas list or give as examples. */
function said(shapes: readonly Shape[]): unknown[] {
  return shapes.flatMap(({ values, parts }) => [
    ...[...(values ?? [])].map(value => JSON.parse(value)),
    ...parts.flatMap(({ node }) => [node.example, node.default].filter(value => value !== undefined)),
  ])
}

/** @param spokenOf names of properties that alternatives beside it speak of */
function plainValues(
  shape: Shape,
  hints: readonly Shape[],
  spokenOf: ReadonlySet<string>,
  drawing: Drawing,
  depth: number,
): unknown[] {
  if (shape.values) return [...said([shape]), ...(shape.types.has('null') ? [null] : [])]
  const all = [shape, ...hints]
  const types = shape.types.size < everyType.length ? shape.types : likelyTypes(all)
  const drawn = [...types].map((type): unknown[] => {
    switch (type) {
      case 'object':
        return objects(shape, hints, spokenOf, drawing, depth)
      case 'array':
        return lists(shape, hints, drawing, depth)
      case 'integer':
        return numbersFor(shape, hints, 1)
      case 'number':
        return numbersFor(shape, hints, 0.5)
      case 'string':
        return textsFor(shape, hints)
      case 'boolean':
        return [true, false]
      default:
        return [null]
    }
  })
  return interleaved(drawn)
}

/** The first of each list, then the second of each, and so on. */
function interleaved(lists: readonly unknown[][]): unknown[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap(list => list.slice(index, index + 1)),
  ).flat()
}

/** Where anything goes, the types that the schemas speak of come first. */
function likelyTypes(shapes: readonly Shape[]): Set<string> {
  const spoken = shapes.flatMap(({ types, properties, required, items }) => [
    ...(properties.size + required.size > 0 ? ['object'] : []),
    ...(items.length > 0 ? ['array'] : []),
    ...(types.size < everyType.length ? types : []),
  ])
  return new Set([...spoken, ...everyType])
}

function objects(
  shape: Shape,
  hints: readonly Shape[],
  spokenOf: ReadonlySet<string>,
  drawing: Drawing,
  depth: number,
): object[] {
  const ruledOut = hints.flatMap(({ not }) => (not.length > 0 ? namesIn(not, drawing.reader) : []))
  const free = shape.additional === false ? undefined : shape.additional
  // The names in a map are its clients' choice.
  const mapped = free && free.length > 0 ? hints.flatMap(({ properties }) => [...properties.keys()]) : []
  const known = [
    ...new Set([...shape.properties.keys(), ...shape.required, ...spokenOf, ...ruledOut, ...mapped]),
  ]
  const names = depth < fullDepth ? known : [...shape.required]
  const choices = new Map<string, unknown[]>()
  for (const name of names) {
    const own = shape.properties.get(name) ?? free
    if (!own) continue
    const others = hints.flatMap(hint => hint.properties.get(name) ?? [])
    const bounds = [others, ...hints.map(({ additional }) => additional || [])]
    const usual = draw(
      own,
      bounds.filter(one => one.length > 0),
      drawing,
      depth + 1,
    )
    choices.set(name, usual.slice(0, propertyLimit))
  }
  const other = free && free.length > 0 ? draw(free, [], drawing, depth + 1)[0] : undefined
  const first = (name: string) => choices.get(name)?.[0]
  const pick = (chosen: readonly string[]) =>
    Object.fromEntries(chosen.flatMap(name => (first(name) === undefined ? [] : [[name, first(name)]])))
  const least: Record<string, unknown> = pick([...shape.required])
  for (
    let index = 0;
    free && Object.keys(least).length < Math.min(boundOf([shape], 'minProperties', 0), 20);
    index++
  )
    least[`${unknownName}${index}`] = free.length > 0 ? other : index
  const full = pick(names)
  const values: object[] = [full, least]
  for (const [name, candidates] of choices)
    for (const candidate of candidates) {
      values.push({ ...least, [name]: candidate })
      if (depth === 0) values.push({ ...full, [name]: candidate })
    }
  for (const name of names) {
    const { [name]: _, ...rest } = full as Record<string, unknown> // it has just been made so
    values.push(rest)
  }
  if (free)
    for (const value of free.length > 0
      ? draw(
          free,
          hints.map(({ additional }) => additional || []).filter(one => one.length > 0),
          drawing,
          depth + 1,
        ).slice(0, propertyLimit)
      : ['x', 1])
      values.push({ ...least, [unknownName]: value })
  for (const count of edgesOf(['minProperties', 'maxProperties'], [shape, ...hints])) {
    for (const more of [names, []]) {
      const value: Record<string, unknown> = { ...least }
      for (const name of more)
        if (Object.keys(value).length < count && first(name) !== undefined) value[name] = first(name)
      for (let index = 0; free && Object.keys(value).length < count; index++)
        value[`${unknownName}${index}`] = free.length > 0 ? other : index
      values.push(value)
    }
  }
  const mixed = Object.fromEntries(
    [...choices]
      .filter(([, some]) => some.length > 0)
      .map(([name, some]) => [name, fc.constantFrom(...some)]),
  )
  const requiredKeys = [...shape.required].filter(name => name in mixed)
  if (depth < 2 && choices.size > 1)
    values.push(...fc.sample(fc.record(mixed, { requiredKeys }), { seed: 1, numRuns: 40 }))
  return values
}

function namesIn(all: All, reader: Reader): string[] {
  return expand(all, reader).flatMap(({ properties, required }) => [...properties.keys(), ...required])
}

function lists(shape: Shape, hints: readonly Shape[], drawing: Drawing, depth: number): unknown[][] {
  const others = hints.map(({ items }) => items).filter(items => items.length > 0)
  const items =
    shape.items.length + others.length === 0
      ? ['a', 1, 2]
      : draw(shape.items, others, drawing, depth + 1).slice(0, propertyLimit)
  const usual = Math.min(boundOf([shape], 'minItems', 0), 100)
  const filled = (length: number, first: number) => {
    return Array.from({ length }, (_, index) => items[(first + index) % items.length])
  }
  const values: unknown[][] = items.length > 0 ? [filled(Math.max(usual, 1), 0)] : []
  values.push([])
  if (items.length === 0) return values
  for (const index of items.keys()) values.push(filled(Math.max(usual, 1), index))
  for (const length of edgesOf(['minItems', 'maxItems'], [shape, ...hints])) {
    values.push(
      filled(length, 0),
      Array.from({ length }, () => items[0]),
    )
    if (shape.items.length === 0) values.push(Array.from({ length }, (_, index) => index))
  }
  for (const item of items.slice(0, 3)) values.push(Array.from({ length: Math.max(usual, 2) }, () => item))
  return values
}

type Count = 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'

function boundOf(shapes: readonly Shape[], keyword: Count, without: number): number {
  return Math.max(without, ...shapes.flatMap(({ parts }) => parts.flatMap(({ node }) => node[keyword] ?? [])))
}

/** The bounds that are set, and the counts beside them. */
function edgesOf(keywords: readonly Count[], shapes: readonly Shape[]): number[] {
  const set = shapes.flatMap(({ parts }) =>
    parts.flatMap(({ node }) => keywords.flatMap(keyword => node[keyword] ?? [])),
  )
  return [...new Set(set.flatMap(count => [count - 1, count, count + 1]))].filter(
    count => count >= 0 && count <= 300,
  )
}

function distinct(values: readonly unknown[], limit: number): unknown[] {
  const known = new Map<string, unknown>()
  for (const value of values) {
    if (known.size >= limit) break
    const text = JSON.stringify(value)
    if (!known.has(text)) known.set(text, value)
  }
  return [...known.values()]
}
