import { hash } from 'node:crypto'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import { isFaultOfData } from '../database/failures.ts'
import type { Db } from '../database/tables.ts'
import type { OtherWorkers } from '../parts.ts'
import { createBatchWriter, type Log, silent } from '../runtime/batch-writer.ts'
import { within } from '../runtime/within.ts'
import type { KeyForm } from './api-key.ts'
import { findApiKeysByHash, type KnownKey, setTimes } from './api-keys.ts'
import { type Seal, unsealed } from './seal.ts'
import type { Checker, Found } from './security.ts'

/** How long a process trusts a key that it read, in ms. A change by another process applies after it at the latest. */
const freshFor = 4_000
/** The same for a banned key, so that the lifting of its ban elsewhere applies soon. */
const bannedFreshFor = 1_000
/** How long a key is usable while the database is away, in ms. */
const usableFor = 600_000
/** Longest wait for the database before a process uses the data it has, in ms. */
const readWithin = 1_000
/** How often the times of last use are written, in ms. */
const writeEvery = 10_000
/** The most keys in memory. Unknown hashes are apart, so that guesses replace only guesses. */
const capacity = { keys: 131_072, unknown: 1_000 }
/** The most look-ups under way. Above them the database is too slow for more. */
const mostUnderWay = 10_000
/** Anybody can invent keys. An address has this many immediate look-ups. Its other look-ups share their queries. */
const allowed = { each: 10, withinMs: 60_000, addresses: 10_000 }
const sharedPause = 200

export type KeyCache = ReturnType<typeof createKeyCache>

/** Keeps keys briefly in memory, so that most requests cost no query. */
export function createKeyCache(db: Db, time: () => number, log: Log = silent, seal: Seal = unsealed) {
  const expiry = { ttlResolution: 0, perf: { now: time } }
  const room = { maxSize: capacity.keys, sizeCalculation: () => 1 } // with `max` the start would take memory for all
  const keys = new LRUCache<string, KnownKey>({ ...room, ttl: usableFor, ...expiry })
  /** the times of the look-ups */
  const unknown = new LRUCache<string, number>({ max: capacity.unknown })
  /** the number of an address's immediate look-ups that found no key */
  const { addresses: max, withinMs: ttl } = allowed
  const guesses = new LRUCache<string, number>({ max, ttl, noUpdateTTL: true, ...expiry })
  /** Look-ups by hash. A look-up after a change of keys does not share one that began before it. */
  let underWay = new Map<string, Promise<KnownKey | undefined>>()
  const prompt = createLoader(read, 0)
  const shared = createLoader(read, sharedPause)
  const uses = createBatchWriter<number, Date>({
    what: 'Times of last use',
    everyMs: writeEvery,
    write: batch => setTimes(db, 'last_used_at', batch),
    isFaultOfData,
    log,
  })

  async function read(hashes: readonly string[]): Promise<(KnownKey | undefined)[]> {
    const now = new Date(time())
    const before = underWay
    const found = await findApiKeysByHash(db, hashes, now, seal)
    // A read that was under way while a key changed may have the former state.
    if (before === underWay) for (const requested of hashes) remember(requested, found.get(requested), now)
    return hashes.map(requested => found.get(requested))
  }

  function remember(keyHash: string, key: KnownKey | undefined, readAt: Date): void {
    if (key) {
      keys.set(keyHash, key)
      unknown.delete(keyHash)
    } else {
      keys.delete(keyHash)
      unknown.set(keyHash, readAt.getTime())
    }
  }

  /** A clock that was set back makes all entries old. */
  const isWithin = (since: number, length: number) => time() >= since && time() - since < length

  /** @param address undefined: the hash was a key's a moment ago */
  async function lookUp(keyHash: string, address: string | undefined): Promise<KnownKey | undefined> {
    if (address === undefined) return prompt.load(keyHash)
    const count = () => guesses.get(address) ?? 0
    if (count() >= allowed.each) return shared.load(keyHash)
    guesses.set(address, count() + 1)
    const key = await prompt.load(keyHash)
    if (key) guesses.set(address, count() - 1)
    return key
  }

  /** @throws Error with the SQLSTATE 53400 when too many look-ups wait */
  function load(keyHash: string, address?: string): Promise<KnownKey | undefined> {
    const lookup = underWay.get(keyHash)
    if (lookup) return lookup
    if (underWay.size >= mostUnderWay) {
      const error = new Error('Too many keys wait for being looked up')
      return Promise.reject(Object.assign(error, { code: '53400' }))
    }
    const currentLookups = underWay
    const loading = lookUp(keyHash, address).finally(() => currentLookups.delete(keyHash))
    currentLookups.set(keyHash, loading)
    return loading
  }

  /** Reads a key again. While the database is away or slow, the known state stays. */
  async function refresh(keyHash: string): Promise<KnownKey | undefined> {
    const reading = load(keyHash)
    await within(readWithin, Promise.allSettled([reading]), undefined)
    return keys.get(keyHash) ?? reading
  }

  /** Returns a hash's key, unless the hash is of a previous secret that has expired. */
  function validOf(key: KnownKey | undefined, keyHash: string): KnownKey | undefined {
    if (!key || key.hash === keyHash) return key
    const { previous_hash: previous, previous_expires_at: until } = key
    return previous === keyHash && until && until.getTime() > time() ? key : undefined
  }

  return {
    /** Returns a key that was read a moment ago. */
    findFresh(keyHash: string): KnownKey | undefined {
      const key = keys.get(keyHash)
      const isFresh = key && isWithin(key.readAt, key.bannedUntil ? bannedFreshFor : freshFor)
      return isFresh ? validOf(key, keyHash) : undefined
    },
    /** Finds a well-formed key by its hash; undefined when there is none. @param address the sender */
    async find(keyHash: string, address: string): Promise<KnownKey | undefined> {
      const key = keys.get(keyHash)
      if (key && isWithin(key.readAt, key.bannedUntil ? bannedFreshFor : freshFor))
        return validOf(key, keyHash)
      if (key) return validOf(await refresh(keyHash), keyHash)
      const missedAt = unknown.get(keyHash)
      if (missedAt !== undefined && isWithin(missedAt, freshFor)) return undefined
      return validOf(await load(keyHash, address), keyHash)
    },
    /** Returns a key from memory, without a query. */
    recall: (keyHash: string) => validOf(keys.get(keyHash), keyHash),
    /** Makes the next look-up of each of these keys read it again. */
    forget(ids: readonly number[]): void {
      underWay = new Map()
      for (const [keyHash, { id }] of keys.entries()) if (ids.includes(id)) keys.delete(keyHash)
    },
    /** Notes the present minute as a key's time of last use. */
    use(key: KnownKey): void {
      const minute = Math.floor(time() / 60_000) * 60_000
      if (key.lastUsedAt?.getTime() === minute) return
      key.lastUsedAt = new Date(minute)
      uses.note(key.id, key.lastUsedAt)
    },
    /** Stops, and writes the noted times. */
    close: uses.close,
  }
}

/** Looks up all requests of a turn, or of a pause (in ms), in one query. Only one query runs at a time. */
function createLoader(read: (hashes: readonly string[]) => Promise<(KnownKey | undefined)[]>, pause: number) {
  let last: Promise<unknown> = Promise.resolve()
  const load = (hashes: readonly string[]) => {
    const reading = read(hashes)
    last = Promise.allSettled([reading])
    return reading
  }
  return new DataLoader(load, {
    cache: false,
    batchScheduleFn: send => void last.then(() => setTimeout(send, pause)),
  })
}

/** The SHA-256 under which a key is stored, in hexadecimal. Keys are random, so salt and stretching add nothing. */
export const hashKey = (key: string): string => hash('sha256', key)

/**
 * Checks API keys, and returns their holders. A malformed or mistyped key costs no query.
 * @param others hear of each changed key; absent: this process alone serves
 */
export function createKeyChecker(
  keys: KeyCache,
  time: () => number,
  form: KeyForm,
  others?: OtherWorkers<number>,
): Checker {
  others?.listen(id => keys.forget([id]))
  /** Returns why a key is invalid, as the end of a sentence; undefined for a valid key. */
  function faultOf({ disabled, expires_at: end }: KnownKey): string | undefined {
    if (disabled) return 'is disabled'
    return end && end.getTime() <= time() ? 'has expired' : undefined
  }
  function used(key: KnownKey | undefined): Found {
    const fault = key ? faultOf(key) : 'is not known'
    if (!key || fault !== undefined) return { fault: fault ?? '' }
    keys.use(key)
    return key
  }
  return {
    isOfKeys: true,
    find({ value: text }, from) {
      const keyHash = hashKey(text)
      const fresh = keys.findFresh(keyHash)
      if (fresh) return used(fresh)
      return form.fits(text)
        ? keys.find(keyHash, from).then(used)
        : { fault: 'is not well-formed: send it whole, without quotes' }
    },
    recall({ value: text }) {
      const key = keys.recall(hashKey(text))
      return key && faultOf(key) === undefined ? key : undefined
    },
    forget(id) {
      keys.forget([Number(id)])
      return others?.tell(Number(id))
    },
  }
}
