import { LRUCache } from 'lru-cache'
import type { Checkers } from '../../service/callers/security.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { openBans } from '../../service/limits/bans.ts'
import { openMemoryStore } from '../../service/limits/memory-store.ts'
import type { Parts, ReplyStore, StoredReply } from '../../service/parts.ts'

/** The store of a service that has no database. */
export type NoStore = Record<never, never>

/**
 * Parts for a service that keeps nothing: limits, bans and replies are in memory, and gone when it ends.
 * @param checkers the checkers of credentials, by the names of the document's security schemes
 */
export async function openMemoryParts(
  { rateLimits }: Contract,
  checkers: Checkers,
  now = () => new Date(),
): Promise<Parts<NoStore, NoStore> & { close(): Promise<void> }> {
  const bans = await openBans((rateLimits?.ban.seconds ?? 0) * 1_000, undefined, now)
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
    deprecatedCalls: { note() {}, of: async () => new Map() },
    replies: memoryReplies(),
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

/** Replies kept at most; the oldest make room. */
const capacity = 10_000

function memoryReplies(): ReplyStore<NoStore> {
  const replies = new LRUCache<string, StoredReply>({ max: capacity })
  return {
    transaction: work => work({}),
    claim: async () => true, // this process knows what it is doing
    find: async (_, { scope, key }) => replies.get(`${scope} ${key}`),
    async save(_, { scope, key }, reply) {
      replies.set(`${scope} ${key}`, reply)
    },
  }
}
