import type { RateLimits } from 'spec-served-document/contract/extensions'
import type { Counted } from '../callers/caller.ts'
import type { WindowStore } from '../parts.ts'
import type { Log } from '../runtime/batch-writer.ts'
import { within } from '../runtime/within.ts'
import type { Asked } from './asking-store.ts'
import { type MemoryStore, openMemoryStore } from './memory-store.ts'

/** The calls of a caller in one message: whether they count, how many there are, and counter, limit and ms of each window. */
export type Calls = [isCall: boolean, calls: number, windows: [counter: string, limit: number, ms: number][]]

/** Windows as a message has them. */
export type Windows = [counter: string, counted: Counted][]

/** A link to the process that counts for all workers of this machine. */
export interface Counting {
  /** Returns for each window the rest of it in ms, then its count at each call. */
  count(calls: readonly Calls[]): Promise<unknown>
  /** Hands over stored windows part by part, unless a worker has done so: `load` then is not called. */
  begin(load: () => AsyncIterable<Windows>): Promise<void>
  /** Stores windows whenever it is asked to. @param isFaultOfData as of a `WindowStore` */
  onSave(save: (windows: Windows) => Promise<void>, isFaultOfData: (error: unknown) => boolean): void
  /** Has all windows stored that are not yet. */
  flush(): Promise<void>
}

/** Longest wait for the last write of a worker, in ms. */
const flushWithin = 2_500

/** An error of a write in another process. @see WindowStore */
export class SaveError extends Error {
  readonly isOfData: boolean

  constructor(message: string, isOfData: boolean) {
    super(message)
    this.isOfData = isOfData
  }
}

/**
 * Counts for all workers of a machine, in this process.
 * @param save stores windows through a worker @throws SaveError
 */
export function openSharedMemory(
  limits: Pick<RateLimits, 'windows'>,
  save: (windows: Windows) => Promise<void>,
  log: Log,
  now: () => number = Date.now,
) {
  let memory: MemoryStore | undefined
  const loaded = new Map<string, Counted>()
  return {
    hasBegun: () => memory !== undefined,
    /** Takes a part of the stored windows. Later ones are those that are counted here. */
    load(part: Windows): void {
      if (!memory) for (const [counter, counted] of part) loaded.set(counter, counted)
    },
    /** Begins with the stored windows, once. To be called when a worker has handed over all of them. */
    async begin(): Promise<void> {
      const store: WindowStore = {
        async *load() {
          yield [...loaded]
        },
        save: rows => save([...rows]),
        isFaultOfData: error => error instanceof SaveError && error.isOfData,
      }
      const opened = await openMemoryStore(limits, store, now, log)
      if (memory)
        await opened.close() // another worker was faster
      else memory = opened
      loaded.clear()
    },
    /** As a `Place` returns. @throws Error before it has begun */
    count(calls: readonly Calls[]): number[] {
      if (!memory) throw new Error('The counters are not loaded')
      const store = memory
      return calls.flatMap(call => countCalls(store, call))
    },
    flush: async () => memory?.flush(),
    close: async () => memory?.close(),
  }
}

/**
 * Counts the calls of a caller one after the other. A call that a later window refuses counts nowhere. Of that window it is
 * gives the next count, which is not stored. A call that the first window refuses counts there alone.
 */
function countCalls(store: MemoryStore, [isCall, calls, windows]: Calls): number[] {
  const counts: number[][] = windows.map(() => [])
  for (let call = 0; call < calls; call++) {
    const usedUp = windows.map(
      ([counter, limit, ms], i) => isCall && i > 0 && store.look(counter, ms).current >= limit,
    )
    let isRefused = !isCall || usedUp.includes(true)
    for (const [i, [counter, limit, ms]] of windows.entries()) {
      const { current } = isRefused ? store.look(counter, ms) : store.count(counter, ms)
      isRefused ||= current > limit
      counts[i]?.push(usedUp[i] ? limit + 1 : current)
    }
  }
  return windows.flatMap(([counter, , ms], i) => [
    Math.round(store.look(counter, ms).ttl),
    ...(counts[i] ?? []),
  ])
}

/** Lets a worker count in the memory of the process that started it. That process stores long windows through its workers. */
export async function joinSharedMemory(
  { windows }: Pick<RateLimits, 'windows'>,
  counting: Counting,
  store: WindowStore,
  now: () => number,
) {
  counting.onSave(
    rows => store.save(new Map(rows)),
    error => store.isFaultOfData(error),
  )
  await counting.begin(() => store.load(new Date(now()), longestOf(windows)))
  return {
    place: {
      isOneByOne: true,
      mostCallers: () => Number.POSITIVE_INFINITY,
      count: (some: readonly Asked[]) => counting.count(some.map(callsOf)),
    },
    async close(): Promise<void> {
      const flushed = counting.flush().catch(() => {}) // the other process logs that, and tries again by another worker
      await within(flushWithin, flushed, undefined)
    },
  }
}

const longestOf = (windows: RateLimits['windows']) =>
  Math.max(...windows.map(({ seconds }) => seconds)) * 1_000

const callsOf = ({ isCall, windows }: Asked): Calls => [
  isCall,
  windows[0]?.waiting.length ?? 0,
  windows.map(({ counter, limit, ms }) => [counter, limit, ms]),
]
