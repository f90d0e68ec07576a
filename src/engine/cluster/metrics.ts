import { Gauge, Registry } from '@prometheus-io/client'
import type { MetricValues } from './worker.ts'

/** What is kept of a worker that has ended: what it has counted, not what it was like. */
const kept = ['counter', 'histogram']

export type SharedMetrics = ReturnType<typeof shareMetrics>

/** @param name of the service @param askAll asks those that serve now for what they have counted. @returns how many they are */
export function shareMetrics(name: string, askAll: () => Promise<number>) {
  const lastSeen = new Map<number, MetricValues>()
  let past: MetricValues = []
  let adding = Promise.resolve()
  const own = new Registry()
  const workers = new Gauge({ name: `${name}_workers`, help: 'Processes that serve.', registers: [own] })
  // Values that have been through a message are those that the library has made.
  const together = (values: MetricValues[]) => Registry.aggregate(values as object[])
  return {
    contentType: own.contentType,
    async text() {
      workers.set(await askAll())
      return together([await own.getMetricsAsJSON(), past, ...lastSeen.values()]).metrics()
    },
    /** Takes what a worker has counted by now. */
    take: (id: number, values: MetricValues) => void lastSeen.set(id, values),
    /** Keeps what a worker had counted when it was last heard of. */
    async ended(id: number): Promise<void> {
      const counted = (lastSeen.get(id) ?? []).filter(({ type }) => kept.includes(type))
      lastSeen.delete(id)
      adding = adding.then(async () => {
        past = await together([past, counted]).getMetricsAsJSON()
      })
      await adding
    },
  }
}
