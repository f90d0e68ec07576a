import type { CountedWindow, Counter } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { WindowStore } from '../stores.ts'
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

/** What a counter holds, and what is left of its window, in milliseconds. */
interface Held {
  current: number
  ttl: number
}

type NamedCounter = Pick<Counter, 'name' | 'window'>

/** Counts in this process. The time is in milliseconds since 1970, the length of a window that begins then in milliseconds. */
export interface MemoryCounters {
  /** Counts one more. */
  add(counter: NamedCounter, length: number, time: number): Held
  read(counter: NamedCounter, length: number, time: number): Held
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
  const windows = (await store?.load(new Date(now()), longest)) ?? new Map<string, CountedWindow>()
  // A window among 100,000 is in no cache: to find what is noted under its name would cost more than to count in it.
  let changed: [name: string, window: CountedWindow][] = []
  const storing = createWriteBehind<string, CountedWindow>({
    what: 'Used quotas',
    everyMs: writeEvery,
    changed: takeChanged,
    merge: (_, later) => later,
    write: async batch => store?.save(batch),
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    log,
  })
  const sweeping = setInterval(sweep, 60_000).unref()

  function takeChanged() {
    const taken = changed
    changed = []
    for (const [, window] of taken) window.isChanged = false
    return taken
  }

  function sweep(): void {
    for (const [counter, { endsAt }] of windows) if (endsAt <= now()) windows.delete(counter)
  }

  function slot(name: string): string {
    if (windows.size < capacity || !name.startsWith('{address:') || windows.has(name)) return name
    return overflow + name.slice(name.lastIndexOf('}') + 1)
  }

  /** The window that the counter is in. One that ends later than a new one would was begun by another time. */
  function current(counter: NamedCounter, length: number, time: number): CountedWindow | undefined {
    const isOver = ({ endsAt }: CountedWindow) => endsAt <= time
    // What goes on is in the table too; what has ended may have a successor there.
    if (!counter.window || isOver(counter.window)) counter.window = windows.get(slot(counter.name))
    const { window } = counter
    if (!window || isOver(window)) return undefined
    if (window.endsAt - time > length) window.endsAt = time + length
    return window
  }

  function begin(counter: NamedCounter, length: number, time: number): CountedWindow {
    const window = { count: 0, endsAt: time + length, isChanged: false }
    windows.set(slot(counter.name), window)
    counter.window = window
    return window
  }

  return {
    add(counter, length, time) {
      const window = current(counter, length, time) ?? begin(counter, length, time)
      window.count++
      if (length >= storedFrom && !window.isChanged) {
        window.isChanged = true
        changed.push([slot(counter.name), window])
      }
      return { current: window.count, ttl: window.endsAt - time }
    },
    read(counter, length, time) {
      const window = current(counter, length, time)
      return { current: window?.count ?? 0, ttl: window ? window.endsAt - time : 0 }
    },
    async close() {
      clearInterval(sweeping)
      await storing.close()
    },
  }
}
