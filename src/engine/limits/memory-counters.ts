import type { RateLimits } from '../extensions.ts'
import type { StoredWindow, WindowStore } from '../stores.ts'
import { createWriteBehind, type Log, silent } from '../write-behind.ts'

/** Windows at least this long are stored, so that a restart does not give the quota back; in ms. */
const storedFrom = 3_600_000
/** How often they are written: what a crash can lose at most; in ms. */
const writeEvery = 1_000

/**
 * Where strangers are counted together once there is no room: a flood of addresses then ends its own allowance, and
 * nobody's count is forgotten. Callers with a key always keep their own counter.
 */
const overflow = 'address:overflow'

type Callback = (error: Error | null, result?: { current: number; ttl: number }) => void

/** Counts in this process. Has the form that @fastify/rate-limit asks of a store. */
export interface MemoryCounters {
  incr(counter: string, callback: Callback, timeWindow: number): void
  read(counter: string, callback: Callback, timeWindow: number): void
  /** Stops, and writes what is not written yet. */
  close(): Promise<void>
}

/**
 * Begins with the windows that a process before this one has stored.
 * @param store undefined: a restart forgets them
 * @param now milliseconds since 1970; when this clock is set back, windows end no later than a whole one from then
 * @param capacity counters held at most; see `overflow`
 */
export async function openMemoryCounters(
  rateLimits: Pick<RateLimits, 'windows'>,
  store: WindowStore | undefined,
  now: () => number = Date.now,
  capacity = 500_000,
  log: Log = silent,
): Promise<MemoryCounters> {
  const longest = Math.max(...rateLimits.windows.map(({ seconds }) => seconds)) * 1_000
  const windows = (await store?.load(new Date(now()), longest)) ?? new Map<string, StoredWindow>()
  const changed = createWriteBehind<string, StoredWindow>({
    what: 'Used quotas',
    everyMs: writeEvery,
    merge: (_, later) => later,
    write: async batch => store?.save(batch),
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    log,
  })
  const sweeping = setInterval(sweep, 60_000).unref()

  function sweep(): void {
    for (const [counter, { endsAt }] of windows) if (endsAt.getTime() <= now()) windows.delete(counter)
  }

  function slot(counter: string): string {
    if (windows.has(counter) || windows.size < capacity || !counter.startsWith('{address:')) return counter
    return overflow + counter.slice(counter.lastIndexOf('}') + 1)
  }

  /** The window that the counter is in. One that ends later than a new one would was begun by another time. */
  function current(counter: string, timeWindow: number): StoredWindow | undefined {
    const window = windows.get(counter)
    const left = window ? window.endsAt.getTime() - now() : 0
    if (!window || left <= 0) return undefined
    if (left > timeWindow) window.endsAt = new Date(now() + timeWindow)
    return window
  }

  return {
    incr(counter, callback, timeWindow) {
      const name = slot(counter)
      const window = current(name, timeWindow) ?? { count: 0, endsAt: new Date(now() + timeWindow) }
      window.count++
      windows.set(name, window)
      if (timeWindow >= storedFrom) changed.note(name, window)
      callback(null, { current: window.count, ttl: window.endsAt.getTime() - now() })
    },
    read(counter, callback, timeWindow) {
      const window = current(slot(counter), timeWindow)
      callback(null, { current: window?.count ?? 0, ttl: window ? window.endsAt.getTime() - now() : 0 })
    },
    async close() {
      clearInterval(sweeping)
      await changed.close()
    },
  }
}
