import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Exchange } from '../session.ts'

export type Body = Record<string, unknown>

export const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record of a body, or the first of several. */
export function innermost(body: unknown): Body {
  const one: unknown = Array.isArray(body) ? body[0] : body
  return isBody(one) ? one : {}
}

/** Whether different values lead to different replies, in parts that do not differ by themselves. */
export async function makesDifference(
  send: (value: fc.Arbitrary<unknown>) => Promise<Exchange | undefined>,
  values: fc.Arbitrary<unknown>,
): Promise<boolean> {
  const samples = [...new Set(fc.sample(values, { seed: 1, numRuns: 10 }))]
  const replies: Body[] = []
  for (const value of [samples[0], ...samples])
    replies.push(innermost((await send(fc.constant(value)))?.reply.body))
  // The first two were asked for the same: what differs between them always does.
  const [one = {}, two = {}, ...others] = replies
  const isSteady = (name: string) => isDeepStrictEqual(one[name], two[name])
  return others.some(other =>
    Object.keys({ ...one, ...other }).some(
      name => isSteady(name) && !isDeepStrictEqual(one[name], other[name]),
    ),
  )
}
