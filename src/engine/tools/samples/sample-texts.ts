import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import fc from 'fast-check'
import { matcherOf, toRegExp } from 'spec-served-document/pattern'
import type { Joined } from './joined.ts'

/** How long texts are drawn for the patterns of one value, in ms of this thread: none more is begun later. */
const patternsMs = 1_000

/** A text of each format by its number and its least length, so that a list may hold several. */
const formats: Record<string, (n: number, least: number) => string> = {
  'date-time': n => `2024-02-29T12:30:${two(n)}Z`,
  date: n => `20${two(24 - n)}-02-2${n === 0 ? 9 : 8}`,
  time: n => `12:30:${two(n)}Z`,
  duration: n => `P${n + 1}D`,
  uuid: n => `7f8a1f9e-5b0c-4f4e-9f55-3a2b1c0d9e${(143 - n).toString(16).padStart(2, '0')}`,
  email: (n, least) => `${`rex${some(n)}`.padEnd(Math.min(64, least - 12), 'x')}@example.com`,
  uri: (n, least) => `https://example.com/a${some(n)}`.padEnd(least, 'a'),
  url: (n, least) => `https://example.com/a${some(n)}`.padEnd(least, 'a'),
  'uri-reference': (n, least) => `/a${some(n)}`.padEnd(least, 'a'),
  'uri-template': (n, least) => `/a${some(n)}`.padEnd(least, 'a'),
  hostname: (n, least) => `${'x.'.repeat(Math.max(0, Math.ceil((least - 11) / 2)))}${letters(n)}example.com`,
  ipv4: n => `192.0.2.${(n % 254) + 1}`,
  ipv6: n => `2001:db8::${(n + 1).toString(16)}`,
  byte: (n, least) => btoa(`text${some(n)}`.padEnd(Math.ceil((least * 3) / 4), 'x')),
  'json-pointer': (n, least) => `/a${some(n)}`.padEnd(least, 'a'),
  regex: (n, least) => `a${some(n)}`.padEnd(least, 'a'),
}

const two = (n: number) => String(n % 60).padStart(2, '0')
const some = (n: number) => (n === 0 ? '' : String(n))
const letters = (n: number) => (n === 0 ? '' : `a${n}.`)

/** Until when texts may be drawn for one value. */
export const drawingEnd = () => drawnMs + patternsMs

/** Texts for the strings of a schema, the likeliest first. @param until the end of drawing for patterns */
export function textsFor({ texts }: Joined, n: number, until: number): (() => string | undefined)[] {
  const { least, most, patterns } = texts
  const formatted = texts.formats.flatMap(name => (Object.hasOwn(formats, name) ? (formats[name] ?? []) : []))
  const usual = () => (n === 0 ? 'text' : `t${n}`).padEnd(least, 'x').slice(0, most)
  return [
    ...formatted.map(write => () => write(n, least)),
    ...patterns.map(pattern => () => matching(pattern, patterns, least, most, until)[n]),
    ...(patterns.length > 0 ? [] : [usual]),
  ]
}

/** Texts that most patterns of letters take; as many as an array has items at most. */
const plainTexts = Array.from({ length: 100 }, (_, index) => (index === 0 ? 'text' : `t${index}`))

/** Texts by patterns and lengths: to draw from one that knows all of Unicode takes a second. */
const drawn = new Map<string, string[]>()
/** How long texts were drawn so far, in ms of this thread. */
let drawnMs = 0

/** Texts that match a pattern, as far as some are found. */
export const textsLike = (pattern: string, least = 0, most = Number.POSITIVE_INFINITY): readonly string[] =>
  matching(pattern, [pattern], least, most, drawingEnd())

function matching(
  pattern: string,
  all: readonly string[],
  least: number,
  most: number,
  until: number,
): string[] {
  const key = JSON.stringify([pattern, all, least, most])
  const cached = drawn.get(key)
  if (cached || drawnMs > until) return cached ?? []
  const before = process.threadCpuUsage()
  const texts = draw(pattern, all, least, most)
  const { user, system } = process.threadCpuUsage(before)
  drawnMs += (user + system) / 1_000
  drawn.set(key, texts)
  return texts
}

function draw(pattern: string, all: readonly string[], least: number, most: number): string[] {
  const expression = toRegExp(pattern)
  if (!expression) return []
  const matchers = all.map(matcherOf)
  const isLong = (text: string) => {
    const { length } = [...text] // characters count, not units of UTF-16
    return length >= least && length <= most
  }
  const fits = (text: string) => isLong(text) && matchers.every(matcher => matcher.test(text))
  const plain = plainTexts.map(text => text.padEnd(least, 'x'))
  if (plain.every(fits)) return plain
  for (const size of ['small', 'medium', 'large'] as const)
    try {
      const texts = fc.sample(fc.stringMatching(withoutLooks(expression), { size }), {
        seed: 1,
        numRuns: 200,
      })
      // A pattern without an end takes more characters.
      const longer = texts.map(text => text.padEnd(least, 'x'))
      const fitting = [...new Set([...texts, ...longer])].filter(text => text.trim() !== '' && fits(text))
      // Texts of letters and digits come first: they can be written in every part of a request.
      if (fitting.length > 0)
        return fitting.toSorted((a, b) => Number(/[^\w-]/.test(a)) - Number(/[^\w-]/.test(b)))
    } catch {
      return [] // it holds what fast-check does not draw
    }
  return []
}

/** A pattern without its lookarounds. Drawn texts that do not meet these are left out. */
function withoutLooks({ source, flags, unicode }: RegExp): RegExp {
  const looks: AST.Assertion[] = []
  visitRegExpAST(new RegExpParser().parsePattern(source, 0, source.length, unicode), {
    onAssertionEnter(node) {
      const isWithin = (looks.at(-1)?.end ?? 0) > node.start
      if (node.kind.startsWith('look') && !isWithin) looks.push(node)
    },
  })
  const text = looks.reduceRight((all, { start, end }) => `${all.slice(0, start)}${all.slice(end)}`, source)
  return new RegExp(text, flags)
}
