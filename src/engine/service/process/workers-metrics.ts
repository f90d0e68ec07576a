import { Gauge, Registry } from '@prometheus-io/client'
import type { MetricValues } from './worker.ts'

/** The types of metrics that are kept after a worker ends: counts, not states. */
const kept = ['counter', 'histogram']

export type SharedMetrics = ReturnType<typeof shareMetrics>

/** @param name of the service @param askAll asks all serving workers for their metrics, and returns their number */
export function shareMetrics(name: string, askAll: () => Promise<number>) {
  const lastSeen = new Map<number, MetricValues>()
  let past: MetricValues = []
  let adding = Promise.resolve()
  const registry = new Registry()
  const workers = new Gauge({ name: `${name}_workers`, help: 'Processes that serve.', registers: [registry] })
  // The library itself made these values; they have only passed through a message.
  const together = (values: MetricValues[]) => Registry.aggregate(values as object[])
  return {
    contentType: registry.contentType,
    async text() {
      workers.set(await askAll())
      return together([await registry.getMetricsAsJSON(), past, ...lastSeen.values()]).metrics()
    },
    /** Takes the present metrics of a worker. */
    take: (id: number, values: MetricValues) => void lastSeen.set(id, values),
    /** Keeps the last known counts of a worker that has ended. */
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
