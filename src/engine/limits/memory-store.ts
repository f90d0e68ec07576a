import type { Counted } from '../access/caller.ts'
import { createBatchWriter, type Log, silent } from '../batch-writer.ts'
import type { RateLimits } from '../extensions.ts'
import type { WindowStore } from '../parts.ts'

/** Windows of an hour, less what rounding its end takes, are stored, so that a restart does not give the quota back; in ms. */
const storedFrom = 3_599_000
/** How often they are stored: what a crash can lose at most; in ms. */
const storeEvery = 1_000
/** How long a stop waits for that, in ms. */
const closeWithin = 2_500
/** Counters held at most, but for those of keys. */
const capacity = 500_000
/** How often windows that have ended are forgotten, in ms. */
const sweepEvery = 60_000

/** Takes what a counter has come to, and how long its window goes on, in ms. */
type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/** What a store of @fastify/rate-limit does, in this process; long windows are kept in the database. */
export type MemoryStore = Awaited<ReturnType<typeof openMemoryStore>>

/** What one counter of a caller is called. Braces make a Redis Cluster keep all of a caller on one node. */
export const counterOf = (caller: string, window: string) => `{${caller}}:${window}`

/**
 * Begins with the windows that a process before this one has stored; without a store a restart forgets them.
 * @param now milliseconds since 1970; when this clock is set back, windows end no later than a whole one from then
 */
export async function openMemoryStore(
  { windows }: Pick<RateLimits, 'windows'>,
  store: WindowStore | undefined,
  now: () => number = Date.now,
  log: Log = silent,
) {
  const longest = Math.max(...windows.map(({ seconds }) => seconds)) * 1_000
  const counters = (await store?.load(new Date(now()), longest)) ?? new Map<string, Counted>()
  const writer = createBatchWriter<string, Counted>({
    what: 'Used quotas',
    everyMs: storeEvery,
    closeWithinMs: closeWithin,
    write: async batch => store?.save(batch),
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    log,
  })
  const sweeping = setInterval(() => {
    for (const [counter, { endsAt }] of counters) if (endsAt <= now()) counters.delete(counter)
  }, sweepEvery).unref()

  /** Where unauthenticated clients are counted together once there is no room; keys always have counters of their own. */
  const heldAs = (counter: string) =>
    counters.has(counter) || counters.size < capacity
      ? counter
      : counter.replace(/^\{address:.*\}/, '{address:overflow}')

  /** What a counter has come to. One that would end later than a new one was begun by another clock, and ends sooner. */
  function find(counter: string, latest: number): Counted {
    const { count, endsAt } = counters.get(counter) ?? { count: 0, endsAt: 0 }
    if (endsAt <= now()) return { count: 0, endsAt: latest }
    if (endsAt > latest) counters.set(counter, { count, endsAt: latest })
    return { count, endsAt: Math.min(endsAt, latest) }
  }

  return {
    /** Counts one more. */
    incr(counter: string, callback: Callback, windowMs: number): void {
      const name = heldAs(counter)
      const { count, endsAt } = find(name, now() + windowMs)
      const counted = { count: count + 1, endsAt }
      counters.set(name, counted)
      if (windowMs >= storedFrom) writer.note(name, counted)
      callback(null, { current: counted.count, ttl: endsAt - now() })
    },
    read(counter: string, callback: Callback, windowMs: number): void {
      const { count, endsAt } = find(heldAs(counter), now() + windowMs)
      callback(null, { current: count, ttl: count > 0 ? endsAt - now() : 0 })
    },
    /** Stops, and stores what is not stored yet. */
    async close(): Promise<void> {
      clearInterval(sweeping)
      await writer.close()
    },
  }
}
