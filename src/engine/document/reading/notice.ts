import { textOf } from './nodes.ts'

/** Shortest time from deprecation to sunset, in days. An experimental operation may go at any time. */
const notice = new Map([
  ['stable', 180],
  ['beta', 31],
  ['experimental', 0],
])

/** The stabilities that an operation may declare: how far clients may rely on it. The default is stable. */
export const stabilities = ['experimental', 'beta'] as const

/** How long before its end a part of the interface has to be announced to go, in days. */
export function noticeOf(stability: string): number {
  return notice.get(stability) ?? notice.get('stable') ?? 0
}

/** Returns the stability of a part of the interface. The default is stable. */
export function stabilityOf(node: object): string {
  return textOf(node, 'x-stability') ?? 'stable'
}

/** From one day (YYYY-MM-DD) to another. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

/** The day (YYYY-MM-DD) that lies a number of days after another. */
export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The headers that tell of the end, and the components that describe them. */
export const announcing = { Deprecation: 'Deprecation', Sunset: 'Sunset', Link: 'LifecycleLink' }
