import type { RateLimits } from 'spec-served-document/contract/extensions'
import type { Counted } from '../callers/caller.ts'
import type { WindowStore } from '../parts.ts'
import { createBatchWriter, type Log, silent } from '../runtime/batch-writer.ts'

/** Windows from this length on are stored, so that a restart returns no quota: an hour less rounding, in ms. */
const storedFrom = 3_599_000
/** How often they are stored, in ms. A crash loses this much at most. */
const storeEvery = 1_000
/** How long a stop waits for the last write, in ms. */
const closeWithin = 2_500
/** The most counters in memory, without those of keys. */
const capacity = 500_000
/** How often ended windows are removed, in ms. */
const sweepEvery = 60_000

const none: Counted = { count: 0, endsAt: 0 }

/** A counter's value, and the rest of its window in ms. */
export interface CounterValue {
  current: number
  ttl: number
}
export type Callback = (error: Error | null, result?: CounterValue) => void

/** A store for @fastify/rate-limit: it adds one to a counter, or reads it. */
export interface CounterStore {
  incr(counter: string, callback: Callback, windowMs: number, limit: number): void
  read(counter: string, callback: Callback, windowMs: number, limit: number): void
}

/** A store for @fastify/rate-limit in this process. Long windows are kept in the database. */
export type MemoryStore = Awaited<ReturnType<typeof openMemoryStore>>

/** The name of one counter of a caller. Braces make a Redis Cluster keep all of a caller on one node. */
export const counterOf = (caller: string, window: string) => `{${caller}}:${window}`

/**
 * Starts with the windows that an earlier process stored. Without a store a restart forgets them.
 * @param now milliseconds since 1970; if this clock is set back, windows end no later than a whole one from then
 */
export async function openMemoryStore(
  { windows }: Pick<RateLimits, 'windows'>,
  store: WindowStore | undefined,
  now: () => number = Date.now,
  log: Log = silent,
) {
  const longest = Math.max(...windows.map(({ seconds }) => seconds)) * 1_000
  const counters = new Map<string, Counted>()
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

  /** When memory is full, new unauthenticated clients share one counter. Keys always have their own. */
  const heldAs = (counter: string) =>
    counters.has(counter) || counters.size < capacity
      ? counter
      : counter.replace(/^\{address:.*\}/, '{address:overflow}')

  for await (const part of store?.load(new Date(now()), longest) ?? [])
    for (const [counter, counted] of part) if (heldAs(counter) === counter) counters.set(counter, counted)

  /** Returns a counter's value. An end later than that of a new window is from another clock, and is cut. */
  function find(counter: string, latest: number): Counted {
    const { count: counted, endsAt } = counters.get(counter) ?? none
    if (endsAt <= now()) return { count: 0, endsAt: latest }
    if (endsAt > latest) counters.set(counter, { count: counted, endsAt: latest })
    return { count: counted, endsAt: Math.min(endsAt, latest) }
  }

  /** Adds one to a counter. */
  function count(counter: string, windowMs: number): CounterValue {
    const name = heldAs(counter)
    const { count: usedNow, endsAt } = find(name, now() + windowMs)
    const counted = { count: usedNow + 1, endsAt }
    counters.set(name, counted)
    if (windowMs >= storedFrom) writer.note(name, counted)
    return { current: counted.count, ttl: endsAt - now() }
  }

  function look(counter: string, windowMs: number): CounterValue {
    const { count: counted, endsAt } = find(heldAs(counter), now() + windowMs)
    return { current: counted, ttl: counted > 0 ? endsAt - now() : 0 }
  }

  return {
    count,
    look,
    incr: (counter: string, callback: Callback, windowMs: number) => callback(null, count(counter, windowMs)),
    read: (counter: string, callback: Callback, windowMs: number) => callback(null, look(counter, windowMs)),
    /** Stores the long windows that are not stored yet. @throws the error of the write */
    flush: writer.flush,
    /** Stops, and stores the last windows. */
    async close(): Promise<void> {
      clearInterval(sweeping)
      await writer.close()
    },
  }
}
