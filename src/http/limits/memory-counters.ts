import type { Db } from '../../database/tables.ts'
import { loadWindows, type StoredWindow, saveWindows } from '../../store/limits.ts'

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
  read(counter: string, callback: Callback): void
  /** Stops, and writes what is not written yet. */
  close(): Promise<void>
}

/**
 * Begins with the windows that a process before this one has stored.
 * @param now milliseconds since 1970
 * @param capacity counters held at most; see `overflow`
 */
export async function openMemoryCounters(
  db: Db,
  now: () => number = Date.now,
  capacity = 500_000,
): Promise<MemoryCounters> {
  const windows = new Map<string, StoredWindow>()
  for (const [counter, window] of await loadWindows(db, new Date(now()))) windows.set(counter, window)
  const changed = new Map<string, StoredWindow>()

  async function write(): Promise<void> {
    const batch = new Map(changed)
    changed.clear()
    await saveWindows(db, batch).catch(error => {
      for (const [counter, window] of batch) if (!changed.has(counter)) changed.set(counter, window)
      throw error
    })
  }
  // What could not be written stays noted for the next time.
  const writing = setInterval(() => write().catch(() => {}), writeEvery).unref()
  const sweeping = setInterval(sweep, 60_000).unref()

  function sweep(): void {
    for (const [counter, { endsAt }] of windows) if (endsAt.getTime() <= now()) windows.delete(counter)
  }

  function slot(counter: string): string {
    if (windows.has(counter) || windows.size < capacity || !counter.startsWith('{address:')) return counter
    return overflow + counter.slice(counter.lastIndexOf('}') + 1)
  }

  function current(counter: string): StoredWindow | undefined {
    const window = windows.get(counter)
    return window && window.endsAt.getTime() > now() ? window : undefined
  }

  return {
    incr(counter, callback, timeWindow) {
      const name = slot(counter)
      const window = current(name) ?? { count: 0, endsAt: new Date(now() + timeWindow) }
      window.count++
      windows.set(name, window)
      if (timeWindow >= storedFrom) changed.set(name, window)
      callback(null, { current: window.count, ttl: window.endsAt.getTime() - now() })
    },
    read(counter, callback) {
      const window = current(slot(counter))
      callback(null, { current: window?.count ?? 0, ttl: window ? window.endsAt.getTime() - now() : 0 })
    },
    async close() {
      clearInterval(writing)
      clearInterval(sweeping)
      await write().catch(() => {})
    },
  }
}
