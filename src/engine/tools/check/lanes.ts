import { AsyncLocalStorage } from 'node:async_hooks'
import type { WireReply } from '../records/messages.ts'

/** A record that the service holds. */
export interface Stored {
  /** value of its path parameter */
  id: number | string
  body: unknown
}

/** How a request treats a record that it refers to: a write that names one leaves it as it is. */
export type Use = 'reads' | 'names' | 'changes' | 'removes'

/** Replies to reads, by their URLs. */
export type Reads = ReadonlyMap<string, WireReply>

/** How many records writes name in turn: with one alone, a service that shows always the same would not be noticed. */
const few = 4

/**
 * The records that requests share, by path parameter. Work that is done at once has lanes, in each of which one request
 * follows the other, and none sees the records of another lane change.
 * @param make makes a new record
 */
export function createLanes(make: (parameter: string) => Promise<Stored>) {
  const current = new AsyncLocalStorage<ReturnType<typeof createLane>>()
  const first = createLane(make)
  const free: (typeof first)[] = []
  const lane = () => current.getStore() ?? first
  return {
    /** Runs work in which one request follows the other. */
    async run(work: () => Promise<void>): Promise<void> {
      const own = free.pop() ?? createLane(make)
      await current.run(own, work).finally(() => free.push(own))
    },
    /** A record for a request. */
    record: (parameter: string, use: Use): Promise<Stored> => lane().record(parameter, use),
    /** Takes new records from now on in place of those of a parameter. @param use for which these were */
    forget: (parameter: string, use: Use): void => lane().forget(parameter, use),
    /** Keeps what was read after the last write. */
    keepReads(reads: Reads): void {
      lane().reads = reads
    },
    /** The replies that were read after the last write, as long as there is no other one. */
    reads: (): Reads => lane().reads,
    /** Notes that something is written: what was read before may be so no longer. */
    noteWrite(): void {
      lane().reads = none
    },
  }
}

const none: Reads = new Map()

function createLane(make: (parameter: string) => Promise<Stored>) {
  const last = new Map<string, Stored>()
  const named = new Map<string, Stored[]>()
  return {
    reads: none,
    async record(parameter: string, use: Use): Promise<Stored> {
      const others = named.get(parameter) ?? []
      const shared = use === 'reads' ? last.get(parameter) : use === 'names' ? others[few - 1] : undefined
      const record = shared ?? (await make(parameter))
      if (use === 'names') named.set(parameter, [record, ...others.filter(other => other !== record)])
      else if (use !== 'removes') last.set(parameter, record)
      return record
    },
    forget(parameter: string, use: Use): void {
      if (use === 'names') named.delete(parameter)
      else last.delete(parameter)
    },
  }
}
