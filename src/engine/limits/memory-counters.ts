import type { Counted, HeldCounter } from '../access/caller.ts'
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

/** Counts in this process. The time is in milliseconds since 1970, the length of a window that begins then in milliseconds. */
export interface MemoryCounters {
  /** The counter of a name; one that has come to nothing is held as soon as something is added to it. */
  find(name: string): HeldCounter
  /**
   * Counts one more.
   * @returns the counter in which that is: another one of that name, where that has begun a window meanwhile
   */
  add(counter: HeldCounter, length: number, time: number): HeldCounter
  /** The counter of that name in which the next one would be. */
  read(counter: HeldCounter, length: number, time: number): HeldCounter
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
  const counters = new Map<string, HeldCounter>()
  const unnoted: HeldCounter[] = []
  const unsaved: HeldCounter[] = []
  /** of windows that are not saved yet; of those that are being saved */
  const notes: NoteId[] = [...(stored?.notes ?? [])]
  let covered: NoteId[] = []
  for (const [name, { count, endsAt }] of stored?.windows ?? []) {
    const counter = newCounter(name)
    hold(counter)
    counter.count = count
    counter.endsAt = endsAt
    if (notes.length > 0) saveLater(counter) // some are known by their notes alone
  }
  const common = {
    merge: (_: Counted, later: Counted) => later,
    isFaultOfData: (error: unknown) => store?.isFaultOfData(error) ?? false,
    log,
  }
  const noting = createWriteBehind<string, Counted>({
    ...common,
    what: 'Used quotas',
    everyMs: noteEvery,
    closeWithinMs: closeWithin,
    changed: () => handOver(unnoted, 'isUnnoted'),
    async write(batch) {
      if (store) notes.push(await store.note(batch))
    },
  })
  const saving = createWriteBehind<string, Counted>({
    ...common,
    what: 'Windows of used quotas',
    everyMs: saveEveryMs,
    closeWithinMs: closeWithin,
    changed() {
      covered.push(...notes.splice(0))
      return handOver(unsaved, 'isUnsaved')
    },
    write: async batch => store?.save(batch),
    async finish() {
      await store?.forget(covered)
      covered = []
    },
  })
  const sweeping = setInterval(sweep, 60_000).unref()

  function noteLater(counter: HeldCounter): void {
    counter.isUnnoted = true
    unnoted.push(counter)
  }

  function saveLater(counter: HeldCounter): void {
    counter.isUnsaved = true
    unsaved.push(counter)
  }

  function hold(counter: HeldCounter): void {
    counter.isHeld = true
    counters.set(counter.name, counter)
  }

  function sweep(): void {
    const time = now()
    for (const counter of counters.values()) {
      if (counter.endsAt > time) continue
      counter.isHeld = false
      counters.delete(counter.name)
    }
  }

  function slot(name: string): string {
    if (counters.size < capacity || !name.startsWith('{address:') || counters.has(name)) return name
    return overflow + name.slice(name.lastIndexOf('}') + 1)
  }

  function find(name: string): HeldCounter {
    const own = slot(name)
    return counters.get(own) ?? newCounter(own)
  }

  function read(counter: HeldCounter, length: number, time: number): HeldCounter {
    const own = counter.isHeld ? counter : (counters.get(counter.name) ?? counter)
    // One that ends later than a new one would was begun by another time.
    if (own.endsAt - time > length) own.endsAt = time + length
    return own
  }

  return {
    find,
    read,
    add(counter, length, time) {
      const own = read(counter, length, time)
      if (own.endsAt <= time) {
        own.count = 0
        own.endsAt = time + length
        if (!own.isHeld) hold(own)
      }
      own.count++
      if (length >= storedFrom) {
        if (!own.isUnnoted) noteLater(own)
        if (!own.isUnsaved) saveLater(own)
      }
      return own
    },
    async close() {
      clearInterval(sweeping)
      await noting.close()
      await saving.close()
    },
  }
}

/** Takes all counters that wait to be written, and what is written of them. */
const handOver = (waiting: HeldCounter[], waits: 'isUnnoted' | 'isUnsaved') =>
  waiting.splice(0).map(counter => {
    counter[waits] = false
    return [counter.name, counter] as const
  })

const newCounter = (name: string): HeldCounter => ({
  name,
  count: 0,
  endsAt: 0,
  isHeld: false,
  isUnnoted: false,
  isUnsaved: false,
})
