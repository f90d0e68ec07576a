import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../database/tables.ts'
import { type ApiKeyRow, findApiKeyByHash, markUsed } from './api-keys.ts'

/** For how long a process trusts what it has read of a key: a change made by another counts within this, in ms. */
const freshFor = 4_000
/** The same for a banned key, so that lifting its ban from elsewhere counts soon. */
const bannedFreshFor = 1_000
/** For how long it goes on with what it has when the database does not answer, in ms. */
const usableFor = 600_000
/** How often the times of last use are written, in ms. */
const writeEvery = 10_000
const capacity = 10_000

interface Entry {
  key: Promise<ApiKeyRow | undefined>
  readAt: number
  /** what was read before, for as long as a new reading may fail */
  settled: ApiKeyRow | undefined
}

/** The keys as this process knows them. */
export interface KeyDirectory {
  /** Finds a valid-looking key by its hash; undefined when there is none. */
  find(hash: string): Promise<ApiKeyRow | undefined>
  /** Makes the next find of this key read it anew. */
  forget(id: number): void
  /** Notes that a key is used now. */
  use(id: number): void
  /** Stops, and writes what is noted. */
  close(): Promise<void>
}

/** Keeps keys briefly in memory, so that a request with a known key costs no query. */
export function createKeyDirectory(db: Db, now: () => Date): KeyDirectory {
  const entries = new Map<string, Entry>()
  const lastWritten = new Map<number, number>()
  const used = new Map<number, Date>()

  async function write(): Promise<void> {
    const uses = new Map(used)
    used.clear()
    await markUsed(db, uses)
  }
  // A failure loses a time of last use and nothing else; the next use writes it again.
  const timer = setInterval(() => write().catch(() => lastWritten.clear()), writeEvery).unref()

  function read(hash: string, before: Entry | undefined): Entry {
    const at = now()
    const key = findApiKeyByHash(db, hash, at).then(
      row => {
        entry.settled = row
        return row
      },
      error => {
        entries.delete(hash)
        if (before?.settled && at.getTime() - before.readAt < usableFor) {
          entries.set(hash, before)
          return before.settled
        }
        throw error
      },
    )
    const entry: Entry = { key, readAt: at.getTime(), settled: before?.settled }
    entries.delete(hash)
    entries.set(hash, entry)
    const [oldest] = entries.keys()
    if (entries.size > capacity && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  return {
    async find(hash) {
      const entry = entries.get(hash)
      const age = entry?.settled?.banned_until ? bannedFreshFor : freshFor
      const fresh = entry && now().getTime() - entry.readAt < age
      const key = await (fresh ? entry : read(hash, entry)).key
      return key && isSecretOf(key, hash, now()) ? key : undefined
    },
    forget(id) {
      // A reading under way may have seen the key as it was.
      for (const [hash, { settled }] of entries) if (!settled || settled.id === id) entries.delete(hash)
    },
    use(id) {
      const minute = Math.floor(now().getTime() / 60_000)
      if (lastWritten.get(id) === minute) return
      lastWritten.set(id, minute)
      used.set(id, new Date(minute * 60_000))
    },
    async close() {
      clearInterval(timer)
      await write().catch(() => {})
    },
  }
}

/** Compares in constant time, so that answers tell nothing of stored hashes. */
function isSecretOf(key: ApiKeyRow, hash: string, now: Date): boolean {
  const wanted = Buffer.from(hash)
  const previous = key.previous_expires_at && key.previous_expires_at > now ? key.previous_hash : null
  return [key.hash, previous].some(stored => stored !== null && timingSafeEqual(Buffer.from(stored), wanted))
}
