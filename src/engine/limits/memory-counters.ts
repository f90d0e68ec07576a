import type { Caller, Counted, Tally } from '../access/caller.ts'
import type { RateLimits } from '../extensions.ts'
import type { NoteId, WindowStore } from '../stores.ts'
import { createWriteBehind, type Log, silent } from '../write-behind.ts'
import { countedOf, latestEnd, nameOf, ownerOf, type Window } from './counting.ts'

/** Windows at least this long are stored, so that a restart does not give the quota back; in s. */
const storedFrom = 3_600
/** How often they are noted: what a crash can lose at most; in ms. */
const noteEvery = 1_000
/** How often they are saved one by one, as a start finds them soonest; in ms. A note is kept until then. */
const saveEvery = 60_000
/** Where there are many, saving them takes a fifth of the time at most. */
const saveRest = 4
/** How long a stop waits for either, in ms. */
const closeWithin = 2_500

/**
 * Where strangers are counted together once there is no room: a flood of addresses then ends its own allowance, and
 * nobody's count is forgotten. Callers with a key always keep their own tally.
 */
const overflow = 'address:overflow'

/** Counts in this process. Times are in milliseconds since 1970. */
export interface MemoryCounters {
  /** The tally of a caller; where nothing has been counted of it, it is held as soon as something is. */
  find(caller: Pick<Caller, 'counter' | 'tally'>): Tally
  /** Counts one more. */
  add(tally: Tally, window: Window, time: number): void
  /** When a window ends, or has ended, in seconds since 1970. */
  endOf(tally: Tally, window: Window, time: number): number
  /** Stops, and writes what is not written yet. */
  close(): Promise<void>
}

/**
 * Begins with the windows that a process before this one has stored.
 * @param store undefined: a restart forgets them
 * @param now milliseconds since 1970; when this clock is set back, windows end no later than a whole one from then
 * @param capacity callers held at most; see `overflow`
 * @param saveEveryMs how often windows get a row of their own
 */
export async function openMemoryCounters(
  rateLimits: Pick<RateLimits, 'windows' | 'ban'>,
  store: WindowStore | undefined,
  now: () => number = Date.now,
  capacity = 250_000,
  log: Log = silent,
  saveEveryMs = saveEvery,
): Promise<MemoryCounters> {
  const { windows, refusals } = countedOf(rateLimits)
  const counted = [...windows, refusals]
  const storedOnes = counted.filter(isStored)
  const longest = Math.max(...windows.map(({ seconds }) => seconds)) * 1_000
  const stored = await store?.load(new Date(now()), longest)
  const tallies = new Map<string, Tally>()
  const unnoted: Tally[] = []
  const unsaved: Tally[] = []
  /** of windows that are not saved yet; of those that are being saved */
  const notes: NoteId[] = [...(stored?.notes ?? [])]
  let covered: NoteId[] = []
  for (const [name, { count, endsAt }] of stored?.windows ?? []) {
    const owner = ownerOf(name, counted)
    if (!owner) continue // of a document that counted others
    const { caller, window } = owner
    const tally = tallies.get(caller) ?? newTally(caller)
    hold(tally)
    tally.counts[window.place] = count
    tally.ends[window.place] = Math.ceil(endsAt / 1_000)
    if (notes.length > 0 && !tally.isUnsaved) saveLater(tally) // some are known by their notes alone
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
    rest: saveRest,
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

  function noteLater(tally: Tally): void {
    tally.isUnnoted = true
    unnoted.push(tally)
  }

  function saveLater(tally: Tally): void {
    tally.isUnsaved = true
    unsaved.push(tally)
  }

  /** What is stored of a tally: the windows that are long enough, and have begun. */
  function rowsOf({ caller, counts, ends }: Tally): [string, Counted][] {
    const rows: [string, Counted][] = []
    for (const window of storedOnes) {
      const end = ends[window.place] ?? 0
      const count = counts[window.place] ?? 0
      if (end > 0) rows.push([nameOf(caller, window), { count, endsAt: end * 1_000 }])
    }
    return rows
  }

  /** Takes all tallies that wait to be written, and gives what is written of each. */
  function handOver(waiting: Tally[], waits: 'isUnnoted' | 'isUnsaved') {
    const taken = waiting.splice(0)
    return taken.values().flatMap(tally => {
      tally[waits] = false
      return rowsOf(tally)
    })
  }

  function newTally(caller: string): Tally {
    const none = counted.map(() => 0)
    return { caller, counts: none, ends: [...none], isHeld: false, isUnnoted: false, isUnsaved: false }
  }

  function hold(tally: Tally): void {
    tally.isHeld = true
    tallies.set(tally.caller, tally)
  }

  function sweep(): void {
    const time = now() / 1_000
    for (const tally of tallies.values()) {
      if (tally.ends.some(end => end > time)) continue
      tally.isHeld = false
      tallies.delete(tally.caller)
    }
  }

  function endOf({ ends }: Tally, window: Window, time: number): number {
    const end = ends[window.place] ?? 0
    const latest = latestEnd(window, time)
    if (end <= latest) return end
    // One that ends later than a new one would was begun by another time.
    ends[window.place] = latest
    return latest
  }

  return {
    find(caller) {
      if (caller.tally?.isHeld) return caller.tally
      const held = tallies.get(caller.counter)
      if (held) return held
      const hasRoom = tallies.size < capacity || !caller.counter.startsWith('address:')
      return hasRoom ? newTally(caller.counter) : (tallies.get(overflow) ?? newTally(overflow))
    },
    endOf,
    add(tally, window, time) {
      const { place } = window
      const isOver = endOf(tally, window, time) * 1_000 <= time
      if (isOver) tally.ends[place] = latestEnd(window, time)
      tally.counts[place] = isOver ? 1 : (tally.counts[place] ?? 0) + 1
      if (!tally.isHeld) hold(tally)
      if (!isStored(window)) return
      if (!tally.isUnnoted) noteLater(tally)
      if (!tally.isUnsaved) saveLater(tally)
    },
    async close() {
      clearInterval(sweeping)
      await noting.close()
      await saving.close()
    },
  }
}

const isStored = ({ seconds }: Window) => seconds >= storedFrom
