import { toRegExp } from '../../../src/document/pattern.ts'
import { isMultipleOf, leastMultiple } from '../schemas/decimals.ts'
import { matching, wordsBeyond, wordsOfLengths } from '../schemas/patterns.ts'
import type { Shape } from '../schemas/shape.ts'

/** A text of each format that Ajv knows, and some that other formats take. */
const formats: Record<string, readonly string[]> = {
  'date-time': ['2024-02-29T12:30:00Z'],
  date: ['2024-02-29'],
  time: ['12:30:00Z'],
  duration: ['P1D'],
  uuid: ['7f8a1f9e-5b0c-4f4e-9f55-3a2b1c0d9e8f'],
  email: ['rex@example.com'],
  uri: ['https://example.com/a', 'urn:a:b'],
  'uri-reference': ['/a', 'https://example.com/a'],
  'uri-template': ['/a/{b}'],
  hostname: ['example.com'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  byte: ['dGV4dA=='],
  'json-pointer': ['/a'],
  regex: ['a+'],
}

/** Formats that say nothing about JSON values. */
const loose = new Set(['password', 'binary', 'float', 'double', 'int64', 'int32'])

/** Whether a format is one whose values can be drawn and checked. */
export function isTriable(format: string): boolean {
  return format in formats || loose.has(format)
}

/** Numbers at the bounds of schemas, those that the first one takes before the others. */
export function numbersFor(own: Shape, hints: readonly Shape[], step: number): number[] {
  const all = [own, ...hints]
  const nodes = all.flatMap(({ parts }) => parts.map(({ node }) => node))
  const units = [...new Set(nodes.flatMap(({ multipleOf }) => multipleOf ?? []))]
  const bounds = nodes.flatMap(({ minimum = [], maximum = [] }) => [minimum, maximum].flat())
  const wide = all.some(({ formats }) => formats.has('int32')) ? [2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1] : []
  const listed = all
    .flatMap(({ values }) => [...(values ?? [])].map(value => JSON.parse(value)))
    .filter(value => typeof value === 'number')
  const whole =
    own.multipleOf === undefined ? step : step === 1 ? leastMultiple(own.multipleOf, 1) : own.multipleOf
  const steps = [...new Set([step, whole, ...units])]
  const edges = [0, ...bounds, ...listed, ...wide].flatMap(edge => [
    edge,
    ...steps.flatMap(unit => [edge - unit, edge + unit]),
    ...steps.flatMap(unit => multiplesNear(edge, unit)),
    ...(step < 1 ? [edge - 0.001, edge + 0.001, ...units.map(unit => edge + unit / 2)] : []),
  ])
  const numbers = [1, ...edges, 1e9, -1e9, ...(step < 1 ? [0.1, 0.01, 0.25, 1.5] : [])].filter(
    value => step < 1 || Number.isInteger(value),
  )
  return [...new Set(numbers)].sort((a, b) => Number(takesNumber(own, b)) - Number(takesNumber(own, a)))
}

/** The multiples around a number, by the digits in which both are written. */
function multiplesNear(edge: number, unit: number): number[] {
  const count = Math.floor(edge / unit)
  return [-2, -1, 0, 1, 2, 3].map(offset => Number(((count + offset) * unit).toPrecision(12)))
}

function takesNumber({ parts, multipleOf }: Shape, value: number): boolean {
  return (
    (multipleOf === undefined || isMultipleOf(value, multipleOf)) &&
    parts.every(
      ({ node: { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } }) =>
        (exclusiveMinimum ? value > minimum : value >= minimum) &&
        (exclusiveMaximum ? value < maximum : value <= maximum),
    )
  )
}

/** Longer texts are not drawn: whether they are taken, keywords tell. */
const longest = 70_000

/** Texts at the bounds of schemas, those that the first one takes before the others. */
export function textsFor(own: Shape, hints: readonly Shape[]): string[] {
  const all = [own, ...hints]
  const nodes = all.flatMap(({ parts }) => parts.map(({ node }) => node))
  const limits = nodes.flatMap(({ minLength = [], maxLength = [] }) => [minLength, maxLength].flat())
  const lengths = [...new Set(limits.flatMap(length => [length - 1, length, length + 1]))].filter(
    length => length >= 0,
  )
  const patterned =
    own.patterns.size === 0
      ? []
      : [
          ...(wordsOfLengths(own.patterns, lengths.filter(length => length <= 500).slice(0, 12)) ?? []),
          ...[...own.patterns].flatMap(matching),
        ]
  const beyond = hints.flatMap(hint =>
    hint.patterns.size > 0 ? (wordsBeyond(own.patterns, hint.patterns) ?? []) : [],
  )
  const within = hints.flatMap(hint => [...hint.patterns].flatMap(matching)).slice(0, 40)
  const formatted = all.flatMap(shape => [...shape.formats].flatMap(format => formats[format] ?? []))
  const sized = lengths.filter(length => length <= longest).map(length => 'x'.repeat(length))
  const texts = [
    ...new Set([
      ...beyond,
      ...patterned,
      ...formatted,
      'text',
      '',
      ...sized,
      ...within,
      'A 1-_é',
      '1',
      'true',
    ]),
  ]
  return texts.sort((a, b) => Number(takesText(own, b)) - Number(takesText(own, a)))
}

function takesText({ parts, patterns, formats: named }: Shape, value: string): boolean {
  const length = [...value].length
  return (
    parts.every(
      ({ node: { minLength = 0, maxLength = Infinity } }) => length >= minLength && length <= maxLength,
    ) &&
    [...patterns].every(pattern => toRegExp(pattern)?.test(value)) &&
    [...named].every(format => formats[format]?.includes(value) ?? true)
  )
}
