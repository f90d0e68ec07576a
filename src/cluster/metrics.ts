import { Gauge, Registry } from '@prometheus-io/client'
import { within } from '../engine/within.ts'
import type { MetricsText } from '../metrics/listen.ts'
import type { MetricValues } from './worker.ts'

/** Longest wait for the metrics of a worker, in ms. */
const answerWithin = 2_000
/** What is kept of a worker that has ended: what it has counted, not what it was like. */
const kept = ['counter', 'histogram']

/** A worker whose metrics are shown. */
export interface Measured {
  readonly id: number
  /** undefined: it has ended */
  metrics(): Promise<MetricValues | undefined>
}

/** The metrics of all workers as one. */
export interface SharedMetrics extends MetricsText {
  /** Keeps what a worker has counted: what it has said itself at its end, or else at the last look. */
  ended(id: number, last?: MetricValues): Promise<void>
}

/** @param workers those that serve now */
export function shareMetrics(workers: () => Iterable<Measured>): SharedMetrics {
  const lastSeen = new Map<number, MetricValues>()
  let past: MetricValues = []
  let adding = Promise.resolve()
  const own = new Registry()
  new Gauge({
    name: 'petstore_workers',
    help: 'Processes that serve.',
    registers: [own],
    collect() {
      this.set([...workers()].length)
    },
  })
  // Values that have been through a message are those that the library has made.
  const together = (values: MetricValues[]) => Registry.aggregate(values as object[])
  return {
    contentType: own.contentType,
    async text() {
      await Promise.all(
        Array.from(workers(), async worker => {
          const values = await within(answerWithin, worker.metrics(), undefined)
          const isThere = Array.from(workers()).includes(worker)
          if (values && isThere) lastSeen.set(worker.id, values)
        }),
      )
      return together([await own.getMetricsAsJSON(), past, ...lastSeen.values()]).metrics()
    },
    async ended(id, last = lastSeen.get(id)) {
      lastSeen.delete(id)
      if (!last) return
      const counted = last.filter(value => kept.includes((value as { type: string }).type)) // each has one
      adding = adding.then(async () => {
        past = await together([past, counted]).getMetricsAsJSON()
      })
      await adding
    },
  }
}
