import { LRUCache } from 'lru-cache'
import type { Checkers } from 'spec-served/internal/callers/security'
import { openBans } from 'spec-served/internal/limits/bans'
import { openMemoryStore } from 'spec-served/internal/limits/memory-store'
import type { BanStore, Parts, ReplyStore, StoredReply } from 'spec-served/internal/parts'
import type { Contract } from 'spec-served-document/contract/contract'

/** The store of a service that has no database. */
export type NoStore = Record<never, never>

/**
 * Parts for a service that keeps nothing: limits, bans and replies are in memory, and gone when it ends.
 * @param checkers the checkers of credentials, by the names of the document's security schemes
 * @param saveBans takes the ends of bans of holders that are API keys, by their identifiers
 */
export async function openMemoryParts(
  { rateLimits, lifetimes }: Contract,
  checkers: Checkers,
  now = () => new Date(),
  saveBans: BanStore['saveKeys'] = async () => {},
): Promise<Parts<NoStore, NoStore> & { forgetReplies(): void; close(): Promise<void> }> {
  const bans = await openBans((rateLimits?.ban.seconds ?? 0) * 1_000, memoryBans(saveBans), now)
  const replies = memoryReplies((lifetimes.idempotentReplies ?? Infinity) * 1_000)
  const memory = rateLimits && (await openMemoryStore(rateLimits, undefined, () => now().getTime()))
  return {
    name: 'memory',
    now,
    time: () => now().getTime(),
    db: {},
    checkers,
    bans,
    memory,
    redis: undefined,
    deprecatedCalls: memoryCalls((lifetimes.deprecatedCalls ?? Infinity) * 1_000, () => now().getTime()),
    replies,
    /** Lets each Idempotency-Key be used again. */
    forgetReplies: () => replies.clear(),
    keys() {
      throw new Error('A service without a database has no API keys')
    },
    dependencies: async () => [],
    isUnavailable: () => false,
    async close() {
      await Promise.all([bans.close(), memory?.close()])
    },
  }
}

/** Addresses whose bans are kept; the oldest make room. */
const banned = 10_000

/** Keeps bans until their end. @param saveKeys takes those of API keys */
function memoryBans(saveKeys: BanStore['saveKeys']): BanStore {
  const ends = new LRUCache<string, Date>({ max: banned })
  return {
    saveKeys,
    isFaultOfData: () => false,
    placeOf: async () => undefined,
    placeBefore: async () => ({ changedAt: '', name: '' }),
    load: async now => ({ bans: [...ends].filter(([, end]) => end > now) }),
    find: async (names, now) => new Map([...ends].filter(([name, end]) => names.includes(name) && end > now)),
    async save(bans) {
      for (const [name, end] of bans) ends.set(name, end)
    },
  }
}

/** Callers whose calls are counted, and days of each; the oldest make room. */
const counted = { callers: 1_000, days: 100 }
const day = 86_400_000

/** Counts the calls of deprecated operations by the day. @param length how long they are listed, in ms */
function memoryCalls(length: number, time: () => number): Parts<NoStore, NoStore>['deprecatedCalls'] {
  const calls = new LRUCache<string, LRUCache<string, number>>({ max: counted.callers })
  return {
    note(caller, operation) {
      const callsOfCaller = calls.get(caller) ?? new LRUCache<string, number>({ max: counted.days })
      const name = `${Math.floor(time() / day)} ${operation}`
      calls.set(caller, callsOfCaller.set(name, (callsOfCaller.get(name) ?? 0) + 1))
    },
    async of(caller) {
      const sums = new Map<string, number>()
      for (const [name, count] of calls.get(caller)?.entries() ?? []) {
        const [date = '', operation = ''] = name.split(' ')
        if (Number(date) * day > time() - length) sums.set(operation, (sums.get(operation) ?? 0) + count)
      }
      return sums
    },
  }
}

/** Replies kept at most, and the bytes of them all; the oldest make room. */
const capacity = { replies: 10_000, bytes: 64 * 2 ** 20 }
/** The bytes of memory that a reply takes besides its text, as near as need be. */
const besides = 500

/** @param kept how long each reply is kept, in ms */
function memoryReplies(kept: number): ReplyStore<NoStore> & { clear(): void } {
  const replies = new LRUCache<string, StoredReply & { until: number }>({
    max: capacity.replies,
    maxSize: capacity.bytes,
    sizeCalculation: ({ reply }, name) => besides + 2 * (reply.length + name.length), // a character takes two at most
  })
  return {
    clear: () => replies.clear(),
    transaction: work => work({}, false),
    // This process knows which requests are running.
    async claim(_, { scope, key }, now) {
      const stored = replies.get(`${scope} ${key}`)
      return { isClaimed: true, earlier: stored && now.getTime() < stored.until ? stored : undefined }
    },
    async save(_, { scope, key }, reply, now) {
      replies.set(`${scope} ${key}`, { ...reply, until: now.getTime() + kept })
    },
  }
}
