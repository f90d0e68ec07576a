import type fc from 'fast-check'
import type { Endpoint } from '../records/interface.ts'

/** Values that a service takes at a place of a request. */
export type Values = fc.Arbitrary<unknown>

/** By operation, and by place. */
const learnt = new WeakMap<Endpoint, Map<string, Values>>()

/** A place as a text, with the same step for each item of a list. */
export const keyOf = (place: readonly string[]) =>
  place.map(step => (/^\d+$/.test(step) ? '*' : step)).join('/')

/** The values that an operation has been seen to take at a place; undefined where its schema tells enough. */
export const learntAt = (endpoint: Endpoint, place: readonly string[]): Values | undefined =>
  learnt.get(endpoint)?.get(keyOf(place))

/** Whether an operation has been seen to ask for a value within a place. */
export const isLearntWithin = (endpoint: Endpoint, place: readonly string[]): boolean =>
  [...(learnt.get(endpoint)?.keys() ?? [])].some(key => `${key}/`.startsWith(`${keyOf(place)}/`))

/** Notes the values that an operation takes at a place; undefined for those of its schema. */
export function learn(endpoint: Endpoint, key: string, values: Values | undefined): void {
  const all = learnt.get(endpoint) ?? new Map<string, Values>()
  learnt.set(endpoint, all)
  if (values) all.set(key, values)
  else all.delete(key)
}
