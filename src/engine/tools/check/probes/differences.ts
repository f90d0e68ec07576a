import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Reference, Schema } from 'spec-served-document/types'
import type { Endpoint } from '../../records/interface.ts'
import { type Body, recordIn } from '../../records/messages.ts'
import type { Exchange } from '../sending.ts'
import type { Session } from '../session.ts'
import { valuesOf } from '../values.ts'

/** Whether values are the same, or instants so near to each other that the time of asking makes the difference. */
function isAlike(a: unknown, b: unknown): boolean {
  const [first, second] = [a, b].map(value => (typeof value === 'string' ? Date.parse(value) : Number.NaN))
  return isDeepStrictEqual(a, b) || Math.abs(Number(first) - Number(second)) < 60_000
}

/** Different values of a part of a request lead to different replies, in parts that do not differ by themselves. */
export async function checkDifference(
  session: Session,
  endpoint: Endpoint,
  part: string,
  place: readonly string[],
  schema: Schema | Reference,
): Promise<void> {
  const values = valuesOf(session.drawing(endpoint), schema, place)
  const samples = [...new Set(fc.sample(values, { seed: 1, numRuns: 10 }))]
  const replies: Body[] = []
  let last: Exchange | undefined
  for (const sample of [samples[0], ...samples]) {
    const override = { place, value: fc.constant(sample) }
    const draw = () => session.least(endpoint, undefined, override)
    last = await (place[0] === 'body' ? session.taken(endpoint, draw) : session.exchange(endpoint, draw()))
    replies.push(recordIn(last.reply.body))
  }
  // The first two were asked for the same: what differs between them always does.
  const [first = {}, second = {}, ...others] = replies
  const isSteady = (name: string) => isAlike(first[name], second[name])
  const differs = others.some(other =>
    Object.keys({ ...first, ...other }).some(name => isSteady(name) && !isAlike(first[name], other[name])),
  )
  const shown = samples.slice(0, 4).map(value => JSON.stringify(value))
  session.holdOf(endpoint, `${part} makes no difference, as ${shown.join(', ')}`, differs, last)
}
