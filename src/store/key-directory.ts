import type { Db } from '../database/tables.ts'
import { putLast } from '../engine/put-last.ts'
import { within } from '../engine/within.ts'
import { createWriteBehind, type Log, silent } from '../engine/write-behind.ts'
import { type Seal, unsealed } from '../keys/seal.ts'
import { findApiKeysByHash, type KnownKey, markUsed } from './api-keys.ts'
import { isFaultOfData } from './failures.ts'
import { readKeyChanges } from './key-changes.ts'
import { createLookups } from './key-lookups.ts'

/** For how long a process trusts what it has read of a key: a change made by another counts within this, in ms. */
const freshFor = 4_000
/** The same for a banned key, so that lifting its ban from elsewhere counts soon. */
const bannedFreshFor = 1_000
/** How often it asks which keys have changed, while keys are used; in ms. What it has is good for as long as it is told. */
const askEvery = 1_000
/** For how long it goes on with what it has at most, be it told or the database away, in ms. */
const usableFor = 600_000
/** How long the database may take before a process goes on with what it has, in ms. */
const readWithin = 1_000
/** How often the times of last use are written, in ms. */
const writeEvery = 10_000
/** Where there are many, writing them takes a twentieth of the time at most. */
const rest = 20
/** Keys held at most. With what else is held of its caller, each takes about 1.4 kB. */
const capacity = 131_072
/** Hashes without a key held at most, apart from the keys: guesses push out nothing but guesses. */
const unknownCapacity = 1_000

/**
 * Anybody can make up keys of the right form, and each could be a new one. An address has so many of them looked up at
 * once; the rest wait for a query that all such addresses share.
 */
const promptLookups = { each: 10, withinMs: 60_000, addresses: 10_000 }
/** Shortest time between two queries for keys that are looked up at once, and for those that wait; in ms. */
const promptGap = 2
const sharedGap = 200

/** The keys as this process knows them. */
export interface KeyDirectory {
  /**
   * Finds a valid-looking key by its hash; undefined when there is none. A key that is known costs no query.
   * @param from the address that sent it, asked for only when the key is not known
   */
  find(hash: string, from: () => string): KnownKey | undefined | Promise<KnownKey | undefined>
  /** A key that was read lately enough to be trusted; undefined: it must be found. */
  known(hash: string): KnownKey | undefined
  /** What is known of a key without asking the database; undefined: nothing, or no valid key. */
  recall(hash: string): KnownKey | undefined
  /** Makes the next find of each of these keys read it anew. */
  forget(ids: readonly number[]): void
  /** Notes that a key is used now. */
  use(key: KnownKey): void
  /** Stops, and writes what is noted. */
  close(): Promise<void>
}

/** Keeps keys briefly in memory, so that a request with a known key costs no query. */
export function createKeyDirectory(
  db: Db,
  now: () => Date,
  log: Log = silent,
  seal: Seal = unsealed,
): KeyDirectory {
  const entries = new Map<string, KnownKey>()
  const unknown = new Map<string, number>()
  const prompt = createLookups(read, promptGap)
  const shared = createLookups(read, sharedGap)
  const allowance = createAllowance(now)
  const news = readKeyChanges(db)
  /** Of what was read after this, each change is told. */
  let toldSince = Number.POSITIVE_INFINITY
  /** All changes before this have been told. */
  let toldAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined
  let wasUsed = false
  let changes = 0

  /** Those whose use is not written yet. */
  let used: KnownKey[] = []
  function handOver() {
    const taken = used
    used = []
    return taken.values().map(key => {
      key.isUnwritten = false
      return [key.id, new Date(key.usedInMinute * 60_000)] as const
    })
  }
  const uses = createWriteBehind<number, Date>({
    what: 'Times of last use',
    everyMs: writeEvery,
    rest,
    changed: handOver,
    merge: (_, later) => later,
    write: batch => markUsed(db, batch),
    isFaultOfData,
    log,
  })

  async function read(hashes: string[]): Promise<Map<string, KnownKey>> {
    const at = now()
    const before = changes
    const found = await findApiKeysByHash(db, hashes, at, seal)
    // A reading that was under way while a key changed may have seen it as it was.
    if (before === changes) for (const hash of hashes) remember(hash, found.get(hash), at)
    return found
  }

  function remember(hash: string, key: KnownKey | undefined, at: Date): void {
    if (key) {
      unknown.delete(hash)
      // Under the very text that the key has: each look compares both, and reads it from memory once.
      putLast(entries, key.hash === hash ? key.hash : hash, key, capacity)
    } else {
      entries.delete(hash)
      putLast(unknown, hash, at.getTime(), unknownCapacity)
    }
  }

  /** Whether something is no older than it may be; a clock that was set back makes it old. */
  function isWithin(since: number, length: number): boolean {
    const age = now().getTime() - since
    return age >= 0 && age < length
  }

  /** Has a key looked up, unless that is under way. One that was there a moment ago is no guess. */
  async function lookUp(hash: string, isGuess: boolean, from: () => string): Promise<KnownKey | undefined> {
    const address = isGuess ? from() : undefined
    if (address === undefined) return prompt.find(hash)
    if (!allowance.take(address)) return shared.find(hash)
    const key = await prompt.find(hash)
    if (key) allowance.giveBack(address)
    return key
  }

  /** What is under way for the same hash is shared. */
  const look = (hash: string, isGuess: boolean, from: () => string) =>
    prompt.awaited(hash) ?? shared.awaited(hash) ?? lookUp(hash, isGuess, from)

  /** After a pause one question tells of all keys together which of them are to be read. */
  async function refresh(hash: string, { bannedUntil, readAt }: KnownKey, from: () => string) {
    if (!bannedUntil && readAt > toldSince && isWithin(readAt, usableFor)) await askForNews()
    return fresh(hash) ?? look(hash, false, from)
  }

  async function readAnew(hash: string, entry: KnownKey | undefined, from: () => string) {
    const usable = () =>
      entry && entries.get(hash) === entry && isWithin(entry.readAt, usableFor) ? entry : undefined
    try {
      const reading = entry ? refresh(hash, entry, from) : look(hash, true, from)
      const inTime = entry
        ? await within(
            readWithin,
            reading.then(() => true),
            false,
          )
        : true
      return validOf((!inTime && usable()) || (await reading), hash)
    } catch (error) {
      const key = usable()
      if (key) return validOf(key, hash)
      throw error
    }
  }

  /** What was found under a hash, unless that is of a secret which has been replaced and has had its time. */
  const validOf = (key: KnownKey | undefined, hash: string) =>
    key && (key.hash === hash || isPreviousSecretOf(key, hash, now())) ? key : undefined

  /** What was read of a hash lately enough to be trusted, or would be known to have changed. */
  function fresh(hash: string): KnownKey | undefined {
    wasUsed = true
    const key = entries.get(hash)
    if (!key) return undefined
    const { readAt } = key
    const isTold = readAt > toldSince && isWithin(toldAt, freshFor) && isWithin(readAt, usableFor)
    const isFresh = key.bannedUntil ? isWithin(readAt, bannedFreshFor) : isTold || isWithin(readAt, freshFor)
    return isFresh ? key : undefined
  }

  function forget(ids: readonly number[]): void {
    const changed = new Set(ids)
    changes++
    prompt.renew()
    shared.renew()
    for (const [hash, { id }] of entries) if (changed.has(id)) entries.delete(hash)
  }

  /** Asks which keys have changed, unless that is being asked. Never throws. */
  function askForNews(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  async function ask(): Promise<void> {
    wasUsed = false
    const at = now().getTime()
    try {
      const changed = await news.next()
      if (changed === undefined) toldSince = now().getTime()
      else if (changed.length > 0) forget(changed)
      toldAt = at
    } catch {
      // Keys are read one by one meanwhile, and what they meet is told.
    }
  }
  const timer = setInterval(() => {
    if (wasUsed) void askForNews()
  }, askEvery).unref()

  return {
    known: hash => validOf(fresh(hash), hash),
    find(hash, from) {
      const known = fresh(hash)
      if (known) return validOf(known, hash)
      const entry = entries.get(hash)
      const missedAt = unknown.get(hash)
      if (missedAt !== undefined && isWithin(missedAt, freshFor)) return undefined
      return readAnew(hash, entry, from)
    },
    recall: hash => validOf(entries.get(hash), hash),
    forget,
    use(key) {
      const minute = Math.floor(now().getTime() / 60_000)
      if (key.usedInMinute === minute) return
      key.usedInMinute = minute
      if (key.isUnwritten) return // once, however long the writing of many takes
      key.isUnwritten = true
      used.push(key)
    },
    close() {
      clearInterval(timer)
      return uses.close()
    },
  }
}

/** How many unknown keys of an address are looked up at once. Addresses that there is no room for have none. */
function createAllowance(now: () => Date) {
  const taken = new Map<string, number>()
  let endsAt = 0
  return {
    take(address: string): boolean {
      const left = endsAt - now().getTime()
      if (left <= 0 || left > promptLookups.withinMs) {
        taken.clear()
        endsAt = now().getTime() + promptLookups.withinMs
      }
      const count = taken.get(address) ?? 0
      if (count >= promptLookups.each || (count === 0 && taken.size >= promptLookups.addresses)) return false
      taken.set(address, count + 1)
      return true
    },
    /** What was looked up turned out to be a key. */
    giveBack(address: string): void {
      const count = taken.get(address) ?? 0
      if (count > 1) taken.set(address, count - 1)
      else taken.delete(address) // makes room for others
    },
  }
}

function isPreviousSecretOf(key: KnownKey, hash: string, now: Date): boolean {
  return key.previous_hash === hash && key.previous_expires_at !== null && key.previous_expires_at > now
}
