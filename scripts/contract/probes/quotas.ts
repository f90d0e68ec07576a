import type { RateLimits } from '../../../src/engine/extensions.ts'
import type { Quotas } from '../world.ts'

type Windows = RateLimits['windows']

/** Quotas of a key, by window. @param of of the window at an index, which counts from 0 */
export function quotasFor(windows: Windows, of: (index: number) => number): Quotas {
  return Object.fromEntries(windows.map(({ name }, index) => [name, of(index)])) as Quotas // as many as windows
}

/** What a caller with such quotas is told of them (draft-ietf-httpapi-ratelimit-headers). */
export function policyOf(windows: Windows, quotas: Readonly<Record<string, unknown>>): string {
  return windows.map(({ name, seconds }) => `"${name}";q=${quotas[name]};w=${seconds}`).join(',')
}

/** The plan whose keys have quotas of their own. */
export function customPlanOf({ plans }: RateLimits): string | undefined {
  return Object.entries(plans).find(([, { custom }]) => custom)?.[0]
}
