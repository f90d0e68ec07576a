import type { RateLimits } from 'spec-served-document/contract/extensions'
import type { Model } from 'spec-served-document/model'
import { lookUp, type Path } from 'spec-served-document/pointer'
import { followAt, type Placed } from 'spec-served-document/reading/nodes'
import type { Header, Schema } from 'spec-served-document/types'
import { quota, textsIn } from './prose-rules.ts'
import { areSound } from './rate-limit-rules.ts'
import { responsePlace } from './usual.ts'
import { type Violation, write } from './violation.ts'

/** The numbers of a document's plans. */
interface Limits {
  windows: RateLimits['windows']
  /** the length of a ban, in seconds: the fields of a banned caller show its end */
  banSeconds: number
  /** the quotas of a window, those of the plan of unauthenticated callers first */
  quotasOf(window: string): number[]
}

/**
 * Yields the examples that show other limits than the plans have: of header fields (`X-RateLimit-Limit`, `X-RateLimit-Remaining`,
 * `RateLimit-Policy`, `RateLimit`), and messages of errors.
 */
export function* limitExampleFaults(model: Model): Generator<Violation> {
  const limits = limitsOf(model)
  if (!limits) return
  for (const { place, text, isExample } of textsIn(model.document)) {
    if (!isExample) continue
    const right = text.replaceAll(quota, (whole, digits: string, _fraction, window: string) => {
      const quotas = limits.quotasOf(window)
      const isRight = quotas.length === 0 || quotas.includes(Number(digits.replaceAll(',', '')))
      return isRight ? whole : whole.replace(digits, String(quotas[0]))
    })
    if (right !== text) yield faultOf(place, text, right)
  }
  const seen = new Set<object>()
  for (const located of model.operations)
    for (const [status, { headers = {} }] of located.responses)
      for (const [name, declared] of Object.entries(headers)) {
        const judge = judges[name.toLowerCase()]
        const place = [...responsePlace(model, located, status), 'headers', name]
        const header = judge && followAt<Header>(model.document, declared, place)
        if (!header || seen.has(header.node)) continue
        seen.add(header.node)
        for (const { place: example, value } of examplesOf(model, header)) {
          const right = judge(value, limits)
          if (right !== value) yield faultOf(example, value, right)
        }
      }
}

const faultOf = (place: Path, value: unknown, right: unknown): Violation => ({
  place,
  message: `The example says ${String(value)}, which is none of the plans’ limits (x-rate-limits).`,
  ...write(place.slice(0, -1), { [place.at(-1) ?? '']: right }),
})

function limitsOf({ document }: Model): Limits | undefined {
  if (!areSound(document)) return undefined // numbers that are to change prove no example wrong
  const {
    windows = [],
    plans = {},
    anonymous = '',
    ban,
  } = (document['x-rate-limits'] ?? {}) as Partial<RateLimits>
  const ordered = [plans[anonymous], ...Object.values(plans)]
  const quotasOf = (window: string) => {
    const found = ordered.map(plan => Number(plan?.[window])).filter(Number.isFinite)
    return [...new Set(found)]
  }
  const numbered = windows.filter(({ name }) => quotasOf(name).length > 0)
  return { windows: numbered, banSeconds: ban?.seconds ?? 0, quotasOf }
}

function* examplesOf(
  { document }: Model,
  { node, place }: Placed<Header>,
): Generator<{ place: Path; value: unknown }> {
  const { example, examples = {}, schema } = node
  if (example !== undefined) yield { place: [...place, 'example'], value: example }
  for (const [name, namedExample] of Object.entries(examples)) {
    const value = lookUp(namedExample, ['value'])
    if (value !== undefined) yield { place: [...place, 'examples', name, 'value'], value }
  }
  const mediaSchema = schema && followAt<Schema>(document, schema, [...place, 'schema'])
  if (mediaSchema?.node.example !== undefined)
    yield { place: [...mediaSchema.place, 'example'], value: mediaSchema.node.example }
}

/** Returns the example itself if it is right, or another one. */
type Judge = (example: unknown, limits: Limits) => unknown

const allQuotas = ({ windows, quotasOf }: Limits) => windows.flatMap(({ name }) => quotasOf(name))

/** By the name of the field. */
const judges: Readonly<Record<string, Judge>> = {
  'x-ratelimit-limit': (example, limits) => {
    const quotas = allQuotas(limits)
    return quotas.includes(Number(example)) ? example : (quotas[0] ?? example)
  },
  'x-ratelimit-remaining': (example, limits) => {
    const most = Math.max(...allQuotas(limits))
    return Number(example) <= most ? example : most
  },
  'ratelimit-policy': (example, limits) =>
    itemsJudged(example, limits, ({ name, seconds }, { q, w }, quotas) => {
      const isRight = w === seconds && quotas.includes(q ?? Number.NaN)
      return isRight
        ? undefined
        : `"${name}";q=${quotas.includes(q ?? Number.NaN) ? q : quotas[0]};w=${seconds}`
    }),
  ratelimit: (example, limits) =>
    itemsJudged(example, limits, ({ name, seconds }, { r = 0, t }, quotas) => {
      const most = Math.max(...quotas)
      const longest = Math.max(seconds, limits.banSeconds)
      const isRight = r <= most && (t === undefined || t <= longest)
      const rest = t === undefined ? '' : `;t=${Math.min(t, longest)}`
      return isRight ? undefined : `"${name}";r=${Math.min(r, most)}${rest}`
    }),
}

/**
 * Judges the items of a RateLimit field (a list of RFC 9651, section 3.1). An item of an unknown window becomes one of the first.
 * @param judge returns what the item should be; undefined if it is right
 */
function itemsJudged(
  example: unknown,
  { windows, quotasOf }: Limits,
  judge: (
    window: RateLimits['windows'][number],
    numbers: Partial<Record<string, number>>,
    quotas: readonly number[],
  ) => string | undefined,
): unknown {
  if (typeof example !== 'string') return example
  return example.replaceAll(
    /"([^"]*)"((?:\s*;\s*\w+=[^;,\s]*)*)/g,
    (item, name: string, parameters: string) => {
      const window = windows.find(candidate => candidate.name === name) ?? windows[0]
      if (!window) return item
      const pairs = [...parameters.matchAll(/(\w+)=([\d.]+)/g)].map(([, key = '', value]) => [
        key,
        Number(value),
      ])
      const numbers = Object.fromEntries(pairs)
      const right = judge(window, numbers, quotasOf(window.name))
      if (right !== undefined) return right
      return window.name === name ? item : item.replace(`"${name}"`, () => `"${window.name}"`)
    },
  )
}
