import fc from 'fast-check'
import type { Reader } from '../change.ts'
import { type Alternative, type Choice, withoutChoice } from './choices.ts'
import { type All, everyType, schemaIn, takeApart } from './parts.ts'
import { matching } from './patterns.ts'
import { distinct, edgesOf, numbersFor, takesText, textsFor } from './scalars.ts'
import { type JointShape, jointShapeOf, schemaFor } from './shape.ts'

/** How deep values are built beyond what they must hold. */
const fullDepth = 4
const deepest = 12
/** How many schemas beside one give it bounds to try. */
const hintsLimit = 10
/** How many values of a property are put into its object, and how many there are at all. */
const propertyLimit = 8
const valuesLimit = 200
/** The longest lists and the greatest objects. */
const sizeLimit = 300
/** Values are drawn for so many schemas within one, those that contain themselves counted each time. */
const drawsLimit = 60
/** Alternatives of the whole are drawn so many times, one within the other. */
const wholeLimit = 200

/** A property that no schema knows. */
const unknownName = 'another'

interface Drawing {
  reader: Reader
  depth: number
  /** shared by all that is drawn for one schema */
  budget: { left: number }
  /** whether it is the whole value that is drawn, and no part of one */
  isWhole: boolean
  /** the same for the whole, and whether something was left out of it */
  whole: { left: number; isCut: boolean }
}

/** Values that were drawn, and whether there are alternatives of which none was, as they lie too deep or are too many. */
export interface Drawn {
  values: unknown[]
  isCut: boolean
}

/** A schema for which values are drawn, and what others have to say of them. */
interface Subject {
  shape: JointShape
  hints: readonly JointShape[]
  /** names of properties that alternatives beside it speak of */
  spokenOf: readonly string[]
}

/**
 * Returns values that schemas take, or nearly take, the likeliest first: at the bounds of what they and others say. Of
 * an object or a list, one part at a time is unusual. Some values are mixed at random, the same on each run.
 * @param hints schemas whose bounds count too
 * @param kin schemas of whose properties the values may speak, besides their own
 */
export function valuesFor(
  schemas: All,
  hints: readonly All[],
  reader: Reader,
  kin: readonly All[] = [],
): Drawn {
  const whole = { left: wholeLimit, isCut: false }
  const values = draw(
    schemas,
    hints,
    { reader, depth: 0, budget: { left: drawsLimit }, isWhole: true, whole },
    kin,
  )
  return { values, isCut: whole.isCut }
}

/** @param kin alternatives beside the one that is drawn: what they speak of may be in its values too */
function draw(schemas: All, hints: readonly All[], drawing: Drawing, kin: readonly All[] = []): unknown[] {
  const { reader, depth, isWhole, whole } = drawing
  const budget = isWhole ? whole : drawing.budget
  if (depth > deepest || budget.left-- <= 0) {
    whole.isCut ||= isWhole
    return []
  }
  const inner = { ...drawing, depth: depth + 1 }
  const shape = jointShapeOf(schemas, reader)
  const siblings = [...kin, ...alternativesOf(shape)]
  const others = [...hints, ...siblings]
    .slice(0, hintsLimit)
    .flatMap(hint => expand(hint, reader))
    .slice(0, hintsLimit)
  const [choice] = shape.choices // the others stay in what is drawn
  const subject = { shape, hints: others, spokenOf: siblings.flatMap(sibling => namesIn(sibling, reader)) }
  const drawn = choice
    ? choice.alternatives.map(alternative =>
        draw(chosen(schemas, choice, alternative), hints, inner, siblings),
      )
    : [plainValues(subject, drawing)]
  const ruledOut = [shape, ...others].map(({ not }) => not).filter(isSaying)
  for (const not of ruledOut.slice(0, 4)) drawn.push(draw(not, [], { ...inner, isWhole: false }))
  return distinct(interleaved(drawn)).slice(0, valuesLimit)
}

/** Schemas with one alternative of a choice in its place. */
function chosen(schemas: All, choice: Choice, { all, sign }: Alternative): All {
  return [...takeApart(schemas).map(other => withoutChoice(other, choice)), ...all, ...sign]
}

const isSaying = (all: All) => all.length > 0

function alternativesOf({ choices, not }: JointShape): All[] {
  return [...choices.flatMap(({ alternatives }) => alternatives.map(({ all }) => all)), not].filter(isSaying)
}

/** Returns the shape of schemas, and the shape of each of their alternatives. */
function expand(all: All, reader: Reader, depth = 0): JointShape[] {
  const shape = jointShapeOf(all, reader)
  const alternatives = depth > 3 ? [] : alternativesOf(shape)
  return [shape, ...alternatives.flatMap(alternative => expand(alternative, reader, depth + 1))]
}

function namesIn(all: All, reader: Reader): string[] {
  return expand(all, reader).flatMap(({ properties, required }) => [...properties.keys(), ...required])
}

function plainValues(subject: Subject, drawing: Drawing): unknown[] {
  const { shape, hints } = subject
  if (shape.values)
    return [...[...shape.values].map(value => JSON.parse(value)), ...(shape.types.has('null') ? [null] : [])]
  const types = shape.types.size < everyType.length ? shape.types : likelyTypes([shape, ...hints])
  const drawn = [...types].map((type): unknown[] => {
    switch (type) {
      case 'object':
        return objects(subject, drawing)
      case 'array':
        return lists(subject, drawing)
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
function interleaved(groups: readonly unknown[][]): unknown[] {
  return groups
    .flatMap(list => list.map((value, index) => ({ value, index })))
    .sort((a, b) => a.index - b.index)
    .map(({ value }) => value)
}

/** Returns the likely types. If any type is allowed, those that the schemas mention come first. */
function likelyTypes(shapes: readonly JointShape[]): Set<string> {
  const spoken = shapes.flatMap(
    ({ types, properties, patterned, names, required, first, items, contains }) => [
      ...(properties.size + patterned.size + names.length + required.size > 0 ? ['object'] : []),
      ...(first.length + items.length + contains.length > 0 ? ['array'] : []),
      ...(types.size < everyType.length ? types : []),
    ],
  )
  return new Set([...spoken, ...everyType])
}

function objects({ shape, hints, spokenOf }: Subject, drawing: Drawing): object[] {
  const { reader, depth } = drawing
  const names = namesFor({ shape, hints, spokenOf }, reader, depth)
  const rule = shape.names.length > 0 ? jointShapeOf(shape.names, reader) : undefined
  const isFit = (name: string) => !rule || takesText(rule, name)
  const choices = new Map<string, unknown[]>()
  for (const name of [...names, unknownName]) {
    const property = schemaFor(shape, name) || undefined
    const others = hints.flatMap(hint => [schemaFor(hint, name) || [], hint.additional || []])
    const values = property
      ? draw(property, others.filter(isSaying), { ...drawing, depth: depth + 1, isWhole: false })
      : []
    if (values.length > 0) choices.set(name, values.slice(0, propertyLimit))
  }
  /** An object with as many of the names, and others, as it takes to have so many properties. */
  const sized = (count: number, more: readonly string[]) => {
    const value: Record<string, unknown> = {}
    const add = (name: string, [first]: readonly unknown[] = []) => {
      if (first !== undefined) value[name] = first
    }
    for (const name of shape.required) add(name, choices.get(name))
    const size = () => Object.keys(value).length
    for (const name of more) if (size() < count) add(name, choices.get(name))
    for (let n = 0; choices.has(unknownName) && size() < count; n++)
      add(`${unknownName}${n}`, choices.get(unknownName))
    return value
  }
  const least = sized(Math.min(leastOf(shape, 'minProperties'), 20), [])
  const full = sized(names.length, names.filter(isFit))
  const varied = [...choices].flatMap(([name, values]) => values.map(value => ({ ...least, [name]: value })))
  const without = names.map(name =>
    Object.fromEntries(Object.entries(full).filter(([other]) => other !== name)),
  )
  const counts = edgesOf([shape, ...hints], ['minProperties', 'maxProperties'], sizeLimit)
  const sizes = counts.flatMap(count => [sized(count, names), sized(count, [])])
  return [full, least, ...varied, ...without, ...sizes, ...(depth < 2 ? mixed(shape, choices) : [])]
}

/** The names of properties that may matter; the names in a map are its clients' choice. */
function namesFor({ shape, hints, spokenOf }: Subject, reader: Reader, depth: number): string[] {
  if (depth >= fullDepth) return [...shape.required]
  const isMap = shape.additional !== false && shape.additional.length > 0
  const mapped = isMap ? hints.flatMap(({ properties }) => [...properties.keys()]) : []
  const all = [shape, ...hints]
  const patterned = all.flatMap(item =>
    [...item.patterned.keys()].flatMap(pattern => matching(pattern).slice(0, 2)),
  )
  const rules = all.flatMap(item => (item.names.length > 0 ? [jointShapeOf(item.names, reader)] : []))
  const named = rules.flatMap(rule => textsFor(rule, rules).slice(0, 6))
  const declared = [...shape.properties.keys(), ...shape.required, ...spokenOf, ...mapped]
  return distinct([...declared, ...patterned, ...named])
}

/** Objects whose properties are chosen at random, the same on each run. */
function mixed({ required }: JointShape, choices: ReadonlyMap<string, unknown[]>): object[] {
  const named = [...choices].filter(([name]) => name !== unknownName)
  if (named.length < 2) return []
  const model = Object.fromEntries(named.map(([name, values]) => [name, fc.constantFrom(...values)]))
  const requiredKeys = [...required].filter(name => name in model)
  return fc.sample(fc.record(model, { requiredKeys }), { seed: 1, numRuns: 40 })
}

function lists({ shape, hints }: Subject, drawing: Drawing): unknown[][] {
  const inner = { ...drawing, depth: drawing.depth + 1, isWhole: false }
  const some = [shape, ...hints].flatMap(({ contains }) =>
    contains.map(part => [schemaIn(part, 'contains') ?? []].flat()),
  )
  const others = [...hints.map(({ items: hinted }) => hinted), ...some].filter(isSaying)
  const isFree = shape.items.length === 0
  const items =
    isFree && others.length === 0 ? ['a', 1, 2] : draw(shape.items, others, inner).slice(0, propertyLimit)
  const first = shape.first.map((item, index) => {
    const kin = hints.map(hint => hint.first[index] ?? hint.items).filter(isSaying)
    return draw(item, kin, inner).slice(0, propertyLimit)
  })
  const list = (length: number, item: (index: number) => unknown) =>
    Array.from({ length }, (_, index) => (first[index] ? first[index][0] : item(index))).filter(isThere)
  const filled = (length: number, start: number) =>
    list(length, index => items[(start + index) % items.length])
  const usual = Math.max(Math.min(leastOf(shape, 'minItems'), 100), 1)
  const counts = edgesOf([shape, ...hints], ['minItems', 'maxItems', 'minContains', 'maxContains'], sizeLimit)
  const full: unknown[] = filled(Math.max(usual, first.length), 0)
  return [
    full,
    [],
    ...first.flatMap((values, index) => values.map(value => full.toSpliced(index, 1, value))),
    ...items.map((_, start) => filled(usual, start)),
    ...distinct([...counts, first.length]).flatMap(length => [
      filled(length, 0),
      list(length, () => items[0]),
      ...(isFree ? [list(length, index => index)] : []),
    ]),
    ...items.slice(0, 3).map(item => list(Math.max(usual, 2), () => item)),
  ]
}

const isThere = (value: unknown) => value !== undefined

/** The greatest lower bound of a count. */
function leastOf({ parts }: JointShape, keyword: 'minItems' | 'minProperties'): number {
  return Math.max(0, ...parts.map(({ node }) => node[keyword] ?? 0))
}
