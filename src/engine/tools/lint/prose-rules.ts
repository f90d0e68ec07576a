import type { RateLimits } from 'spec-served-document/contract/extensions'
import { isObject, type Path } from 'spec-served-document/pointer'
import { walk } from 'spec-served-document/reading/walk'
import type { OpenApi } from 'spec-served-document/types'
import type { ProjectRule } from './violation.ts'

/** Units, and what they stand for: more than one number where writers mean different ones. */
const sizes: readonly (readonly [unit: string, factors: readonly number[]])[] = [
  ['bytes?|B', [1]],
  ...['k', 'm', 'g', 't'].flatMap((letter, i): (readonly [string, number[]])[] => {
    const [decimal = '', binary = ''] =
      ['kilo kibi', 'mega mebi', 'giga gibi', 'tera tebi'][i]?.split(' ') ?? []
    return [
      [`${letter}iB|${binary}bytes?`, [1024 ** (i + 1)]],
      [`${letter}B|${decimal}bytes?`, [1000 ** (i + 1), 1024 ** (i + 1)]],
    ]
  }),
]
const times: typeof sizes = [
  ['milliseconds?|ms', [1, 0.001]],
  ['seconds?', [1]],
  ['minutes?', [60, 1]],
  ['hours?', [3_600, 1]],
  ['days?', [86_400, 1]],
  ['weeks?', [604_800, 1]],
]
const anyOf = (units: typeof sizes) => units.map(([unit]) => unit).join('|')
const factorsOf = (unit: string): readonly number[] =>
  [...sizes, ...times].find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'i').test(unit))?.[1] ?? [1]

const amount = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?`
const words = (text: string) => text.replaceAll(' ', String.raw`\s`)
const announcing = words(
  'at most|at least|no more than|not more than|up to|more than|less than|fewer than|larger than|longer than|exceeds?|within|maximum of|minimum of|limit of',
)
/** A bound in prose: a number behind words that announce one, a size with its unit, or a length of time. */
const bounds = [
  String.raw`\b(?:${announcing})\s${amount}(?:[\s-]?(${anyOf([...sizes, ...times])})\b)?`,
  String.raw`\b(?:${words('for|after|every|older than|the last|the past')})\s${amount}[\s-]?(${anyOf(times)})\b`,
  String.raw`(?<![\w.,])${amount}[\s-]?(${anyOf(sizes)})\b`,
].map(pattern => new RegExp(pattern, 'gi'))

/** A quota in prose, such as `60 requests a minute`: number, fraction and window. */
export const quota = new RegExp(
  String.raw`${amount}\s(?:requests|calls)\s(?:a|an|per|each|every)\s([\w.-]*\w)`,
  'gi',
)

/** The length of a text in prose, such as `36 letters and digits`. */
const lengths = new RegExp(String.raw`(?<![\w.,])${amount}\s(?:characters|letters|digits)\b`, 'gi')

/** The rule that no bound stands in prose alone, where nothing reads it and nothing holds the service to it. */
export const proseRules: Record<string, ProjectRule> = {
  *'numbers-of-prose'({ document }) {
    const held = numbersIn(document)
    const counts = new Set([...held, ...countsIn(document)])
    const quotas = quotasIn(document)
    for (const { place, text, isExample } of textsIn(document)) {
      const found = [
        ...bounds.flatMap(pattern => [...text.matchAll(pattern)]).map(match => ({ match, isHeld: held })),
        ...[...text.matchAll(lengths)].map(match => ({ match, isHeld: counts })),
        // In examples they are the rule `limit-examples`'s.
        ...(isExample ? [] : [...text.matchAll(quota)]).flatMap(match => {
          const planQuota = quotas.get(match[3] ?? '')
          return planQuota ? [{ match, isHeld: planQuota }] : []
        }),
      ]
      const said = found.flatMap(({ match: [whole, digits = '', fraction = '', unit = ''], isHeld }) => {
        const number = Number(`${digits.replaceAll(',', '')}${fraction}`)
        const meant = (isHeld === held ? factorsOf(unit) : [1]).map(
          factor => Math.round(number * factor * 1e6) / 1e6,
        )
        return meant.some(candidate => isHeld.has(candidate)) ? [] : [{ whole, number: meant[0] ?? number }]
      })
      for (const [number, { whole }] of new Map(said.map(item => [item.number, item])))
        yield {
          place,
          message: `The text says ${number} (“${whole}”), which no part of the document says.`,
          decide:
            'which keyword or extension says it (x-request-bounds, x-lifetimes, x-rate-limits), and write it there.',
        }
    }
  },
}

/** A text for readers, and its place. */
interface Text {
  place: Path
  text: string
  isExample?: true
}

/** Yields the texts for readers: descriptions, summaries, what enumerated values mean, and messages in examples of errors. */
export function* textsIn(document: OpenApi): Generator<Text> {
  for (const { node, path, isReference } of walk(document))
    for (const [field, value] of isReference ? [] : Object.entries(node)) {
      const place = [...path, field]
      if (/^(description|summary)$/.test(field) && typeof value === 'string') yield { place, text: value }
      if (field === 'x-enum-descriptions' && isObject(value))
        for (const [name, text] of Object.entries(value))
          if (typeof text === 'string') yield { place: [...place, name], text }
      if (/^examples?$/.test(field)) yield* messagesIn(value, place)
    }
}

/** Yields the messages of errors in an example. Other texts in examples are data. */
function* messagesIn(value: unknown, place: Path): Generator<Text> {
  if (typeof value !== 'object' || value === null) return
  const { code, message, status } = Object(value)
  if (typeof code === 'string' && typeof status === 'number' && typeof message === 'string')
    yield { place: [...place, 'message'], text: message, isExample: true }
  for (const [name, part] of Object.entries(value)) yield* messagesIn(part, [...place, name])
}

/** The numbers that a document holds for programs, such as bounds and durations. Examples are none. */
function numbersIn(document: OpenApi): ReadonlySet<number> {
  const found = new Set<number>()
  const look = (value: unknown): void => {
    if (typeof value === 'number') found.add(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) if (!/^examples?$/.test(name)) look(part)
  }
  look(document)
  return found
}

/** The numbers of characters in the patterns of a document, such as `[a-z]{36}`. */
function countsIn(document: OpenApi): number[] {
  const patterns = [...walk(document)].flatMap(({ node }) => ('pattern' in node ? String(node.pattern) : []))
  const counts = patterns.flatMap(pattern => [...pattern.matchAll(/\{(\d+)(?:,(\d+))?\}/g)])
  return counts.flatMap(([, least, most = least]) => [Number(least), Number(most)])
}

/** Returns the numbers that plans have for each window. */
function quotasIn(document: OpenApi): ReadonlyMap<string, ReadonlySet<number>> {
  const { windows = [], plans = {} } = (document['x-rate-limits'] ?? {}) as Partial<RateLimits> // its own rule checks it
  if (!Array.isArray(windows)) return new Map()
  return new Map(
    windows.map(({ name }) => [name, new Set(Object.values(plans).map(plan => Number(plan?.[name])))]),
  )
}
