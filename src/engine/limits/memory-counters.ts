import type { CountedWindow, Counter } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { NoteId, WindowStore } from '../stores.ts'
import { createWriteBehind, type Log, silent } from '../write-behind.ts'

/** Windows at least this long are stored, so that a restart does not give the quota back; in ms. */
const storedFrom = 3_600_000
/** How often they are noted: what a crash can lose at most; in ms. */
const noteEvery = 1_000
/** How often they are saved one by one, as a start finds them soonest; in ms. A note is kept until then. */
const saveEvery = 60_000
/** How long a stop waits for either, in ms. */
const closeWithin = 2_500

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

/** A window by the name of its counter. */
type Named = readonly [name: string, window: CountedWindow]

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
 * @param saveEveryMs how often windows get a row of their own
 */
export async function openMemoryCounters(
  rateLimits: Pick<RateLimits, 'windows'>,
  store: WindowStore | undefined,
  now: () => number = Date.now,
  capacity = 500_000,
  log: Log = silent,
  saveEveryMs = saveEvery,
): Promise<MemoryCounters> {
  const longest = Math.max(...rateLimits.windows.map(({ seconds }) => seconds)) * 1_000
  const stored = await store?.load(new Date(now()), longest)
  const windows = stored?.windows ?? new Map<string, CountedWindow>()
  // A window among 100,000 is in no cache: to find what is noted under its name would cost more than to count in it.
  let unnoted: Named[] = []
  let unsaved: Named[] = []
  /** of windows that are not saved yet; of those that are being saved */
  let notes: NoteId[] = [...(stored?.notes ?? [])]
  let covered: NoteId[] = []
  if (notes.length > 0) for (const named of windows) saveLater(named) // some are known by their notes alone
  const common = {
    merge: (_: CountedWindow, later: CountedWindow) => later,
    isFaultOfData: (error: unknown) => store?.isFaultOfData(error) ?? false,
    log,
  }
  const noting = createWriteBehind<string, CountedWindow>({
    ...common,
    what: 'Used quotas',
    everyMs: noteEvery,
    closeWithinMs: closeWithin,
    changed() {
      const taken = unnoted
      unnoted = []
      for (const [, window] of taken) window.isUnnoted = false
      return taken
    },
    async write(batch) {
      if (store) notes.push(await store.note(batch))
    },
  })
  const saving = createWriteBehind<string, CountedWindow>({
    ...common,
    what: 'Windows of used quotas',
    everyMs: saveEveryMs,
    closeWithinMs: closeWithin,
    changed() {
      const taken = unsaved
      unsaved = []
      for (const [, window] of taken) window.isUnsaved = false
      covered.push(...notes)
      notes = []
      return taken
    },
    write: async batch => store?.save(batch),
    async finish() {
      await store?.forget(covered)
      covered = []
    },
  })
  const sweeping = setInterval(sweep, 60_000).unref()

  function noteLater(named: Named): void {
    named[1].isUnnoted = true
    unnoted.push(named)
  }

  function saveLater(named: Named): void {
    named[1].isUnsaved = true
    unsaved.push(named)
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
    const window = { count: 0, endsAt: time + length, isUnnoted: false, isUnsaved: false }
    windows.set(slot(counter.name), window)
    counter.window = window
    return window
  }

  return {
    add(counter, length, time) {
      const window = current(counter, length, time) ?? begin(counter, length, time)
      window.count++
      if (length >= storedFrom && !(window.isUnnoted && window.isUnsaved)) {
        const named: Named = [slot(counter.name), window]
        if (!window.isUnnoted) noteLater(named)
        if (!window.isUnsaved) saveLater(named)
      }
      return { current: window.count, ttl: window.endsAt - time }
    },
    read(counter, length, time) {
      const window = current(counter, length, time)
      return { current: window?.count ?? 0, ttl: window ? window.endsAt - time : 0 }
    },
    async close() {
      clearInterval(sweeping)
      await noting.close()
      await saving.close()
    },
  }
}
