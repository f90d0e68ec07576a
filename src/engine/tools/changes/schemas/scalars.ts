import { isMultipleOf } from 'spec-served-document/decimals'
import { modelOf } from 'spec-served-document/model'
import { toRegExp } from 'spec-served-document/pattern'
import { createSchemas } from 'spec-served-document/values/schemas'
import { sampler } from '../../samples/samples.ts'
import { matching, wordsBeyond, wordsOfLengths } from './patterns.ts'
import type { JointShape } from './shape.ts'

const nothing = { openapi: '3.0.3', info: { title: '', version: '' }, paths: {} }
const sample = sampler(createSchemas(modelOf(nothing)), { isFull: false })

/** A text of a format; of a format that nobody knows, any text. */
const textOf = (format: string) => sample({ type: 'string', format })
const anyText = 'text'

/** Formats that say nothing about JSON values. */
const loose = new Set(['password', 'binary', 'float', 'double', 'int64', 'int32'])

/** Whether a format is one whose values can be drawn and checked. */
export function isTriable(format: string): boolean {
  return loose.has(format) || textOf(format) !== anyText
}

export const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map(value => [JSON.stringify(value), value])).values(),
]

/** The numbers that schemas say by keywords, and those beside them, as far as values are made so great. */
export function edgesOf(shapes: readonly JointShape[], keywords: readonly string[], most: number): number[] {
  const nodes = shapes.flatMap(({ parts }) => parts.map(({ node }) => node))
  const set = nodes.flatMap(node => keywords.map(keyword => node[keyword]))
  const edges = set.flatMap(item => (typeof item === 'number' ? [item - 1, item, item + 1] : []))
  return distinct(edges).filter(edge => edge >= 0 && edge <= most)
}

/** Numbers at the bounds of schemas, those that the first one takes before the others. */
export function numbersFor(shape: JointShape, hints: readonly JointShape[], step: number): number[] {
  const all = [shape, ...hints]
  const nodes = all.flatMap(({ parts }) => parts.map(({ node }) => node))
  const units = nodes.flatMap(({ multipleOf = [] }) => multipleOf)
  const bounds = nodes
    .flatMap(node => ['minimum', 'maximum', ...exclusive, 'enum'].flatMap(keyword => node[keyword] ?? []))
    .filter(value => typeof value === 'number')
  const wide = all.some(({ formats }) => formats.has('int32')) ? [2 ** 31, -(2 ** 31) - 1] : []
  const steps = distinct([step, shape.multipleOf ?? step, ...units])
  const edges = distinct([0, ...bounds, ...wide]).flatMap(edge => [
    edge,
    ...steps.flatMap(item => [edge - item, edge + item, ...multiplesNear(edge, item)]),
    ...(step < 1 ? [edge - 0.001, edge + 0.001, ...units.map(unit => edge + unit / 2)] : []),
  ])
  const numbers = [...edges, 1e9, -1e9, 0.01].filter(value => step < 1 || Number.isInteger(value))
  return likeliest(numbers, value => takesNumber(shape, value))
}

/** The multiples around a number, by the digits in which both are written. */
function multiplesNear(edge: number, unit: number): number[] {
  const count = Math.floor(edge / unit)
  return [-2, -1, 0, 1, 2, 3].map(offset => Number(((count + offset) * unit).toPrecision(12)))
}

const exclusive = ['exclusiveMinimum', 'exclusiveMaximum']

function takesNumber({ parts, multipleOf }: JointShape, value: number): boolean {
  if (multipleOf !== undefined && !isMultipleOf(value, multipleOf)) return false
  return parts.every(({ node }) => {
    const [above = -Infinity, below = Infinity] = exclusive.map(keyword => node[keyword] as number) // by the grammar
    const { minimum = -Infinity, maximum = Infinity } = node
    return value > above && value >= minimum && value < below && value <= maximum
  })
}

/** Each value once, those that are taken first. */
function likeliest<T>(values: readonly T[], isTaken: (value: T) => boolean): T[] {
  const [taken, others] = [values.filter(isTaken), values.filter(value => !isTaken(value))]
  return distinct([...taken, ...others])
}

/** Longer texts are not drawn: whether they are taken, keywords decide. */
const longest = 70_000

/** Texts at the bounds of schemas, those that the first one takes before the others. */
export function textsFor(shape: JointShape, hints: readonly JointShape[]): string[] {
  const all = [shape, ...hints]
  const lengths = edgesOf(all, ['minLength', 'maxLength'], longest)
  const sized = lengths.filter(length => length <= 500).slice(0, 12)
  const patterned = shape.patterns.size === 0 ? [] : (wordsOfLengths(shape.patterns, sized) ?? [])
  const beyond = hints
    .filter(({ patterns }) => patterns.size > 0)
    .flatMap(({ patterns }) => wordsBeyond(shape.patterns, patterns) ?? [])
  const within = hints.flatMap(({ patterns }) => [...patterns].flatMap(matching)).slice(0, 40)
  const formatted = all.flatMap(({ formats }) => [...formats].map(format => String(textOf(format))))
  const texts = [
    ...[beyond, patterned, [...shape.patterns].flatMap(matching), formatted, anyText, ''].flat(),
    ...lengths.map(length => 'x'.repeat(length)),
    ...[within, 'A 1-_é', '1', 'true'].flat(),
  ]
  return likeliest(texts, text => takesText(shape, text))
}

/** Whether a text is as long as a schema says, and of its patterns and formats. */
export function takesText({ parts, patterns, formats }: JointShape, value: string): boolean {
  const length = [...value].length
  return (
    parts.every(
      ({ node: { minLength = 0, maxLength = Infinity } }) => length >= minLength && length <= maxLength,
    ) &&
    [...patterns].every(pattern => toRegExp(pattern)?.test(value)) &&
    [...formats].every(format => !isTriable(format) || loose.has(format) || textOf(format) === value)
  )
}
