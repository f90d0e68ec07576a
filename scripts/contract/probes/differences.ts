import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Endpoint } from '../interface.ts'
import type { Exchange, Session } from '../session.ts'

export type Body = Record<string, unknown>

export const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record of a body, or the first of several. */
export function innermost(body: unknown): Body {
  const one: unknown = Array.isArray(body) ? body[0] : body
  return isBody(one) ? one : {}
}

/** Whether values are the same, or instants so near to each other that the time of asking makes the difference. */
function isAlike(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other].map(value =>
    typeof value === 'string' ? Date.parse(value) : Number.NaN,
  )
  return isDeepStrictEqual(one, other) || Math.abs(Number(first) - Number(second)) < 60_000
}

/** Different values of a part of a request lead to different replies, in parts that do not differ by themselves. */
export async function holdDifference(
  session: Session,
  endpoint: Endpoint,
  part: string,
  send: (value: fc.Arbitrary<unknown>) => Promise<Exchange | undefined>,
  values: fc.Arbitrary<unknown>,
): Promise<void> {
  const samples = [...new Set(fc.sample(values, { seed: 1, numRuns: 10 }))]
  const replies: Body[] = []
  let last: Exchange | undefined
  for (const value of [samples[0], ...samples]) {
    last = await send(fc.constant(value))
    replies.push(innermost(last?.reply.body))
  }
  // The first two were asked for the same: what differs between them always does.
  const [one = {}, two = {}, ...others] = replies
  const isSteady = (name: string) => isAlike(one[name], two[name])
  const differs = others.some(other =>
    Object.keys({ ...one, ...other }).some(name => isSteady(name) && !isAlike(one[name], other[name])),
  )
  const shown = samples.slice(0, 4).map(value => JSON.stringify(value))
  session.holdOf(endpoint, `${part} makes no difference, as ${shown.join(', ')}`, differs, last)
}
