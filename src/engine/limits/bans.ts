import type { Caller, HolderId } from '../access/caller.ts'
import type { BanStore } from '../stores.ts'
import { createWriteBehind, type Log, silent } from '../write-behind.ts'

/** How often a process reads the bans of addresses that others have written, in ms. */
const readEvery = 4_000
/** How often bans that could not be stored are tried again, in ms. */
const writeEvery = 1_000

/** The bans of keys and addresses, stored so that they outlive a restart. */
export interface Bans {
  /** Until when the address is banned; null when it is not. */
  ofAddress(address: string): Date | null
  /** Until when a holder is banned, by what is stored of it and what is not stored yet; null when it is not. */
  ofHolder(id: HolderId, stored: Date | null): Date | null
  /** Bans a caller from now on, and stores that; while the database does not answer it is tried again. */
  ban(caller: Caller, until: Date): Promise<void>
  close(): Promise<void>
}

const nameOfHolder = (id: HolderId) => `key:${id}`
const nameOfAddress = (address: string) => `address:${address}`

/**
 * @param longestMs the longest that a ban lasts
 * @param store undefined: a restart forgets them
 */
export async function openBans(
  longestMs: number,
  store: BanStore | undefined,
  now: () => Date,
  log: Log = silent,
): Promise<Bans> {
  let addresses = await loadAddresses()
  /** by name; in force although no reading can show them yet */
  const unstored = new Map<string, Date>()
  /** what was stored since the reading under way began, which may have missed it */
  let storedSince = new Map<string, Date>()
  const ends = createEnds(longestMs, now)

  const storing = createWriteBehind<string, { caller: Caller; until: Date }>({
    what: 'Bans',
    everyMs: writeEvery,
    merge: (_, later) => later,
    log,
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    async write(batch) {
      const ofHolders = new Map<HolderId, Date>()
      const ofAddresses = new Map<string, Date>()
      for (const { caller, until } of batch.values())
        if (caller.kind === 'key') ofHolders.set(caller.keyId, until)
        else ofAddresses.set(caller.address, until)
      if (ofHolders.size > 0) await store?.saveHolders(ofHolders)
      if (ofAddresses.size > 0) await store?.saveAddresses(ofAddresses)
      for (const [address, until] of ofAddresses) {
        addresses.set(address, until)
        storedSince.set(address, until)
      }
      for (const [name, { until }] of batch) if (unstored.get(name) === until) unstored.delete(name)
    },
  })

  async function loadAddresses(): Promise<Map<string, Date>> {
    return (await store?.loadAddresses(now())) ?? new Map()
  }

  async function read(): Promise<void> {
    const since = new Map<string, Date>()
    storedSince = since
    const stored = await loadAddresses()
    for (const [address, until] of since) stored.set(address, until)
    addresses = stored
    ends.forgetPast()
  }
  let isReading = false
  const timer = setInterval(async () => {
    if (isReading) return
    isReading = true
    await read().catch(() => {}) // without an answer the bans known so far stay in force
    isReading = false
  }, readEvery).unref()

  return {
    ofAddress(address) {
      if (addresses.size === 0 && unstored.size === 0) return null
      const name = nameOfAddress(address)
      return ends.of(name, unstored.get(name) ?? addresses.get(address))
    },
    ofHolder(id, stored) {
      if (stored === null && unstored.size === 0) return null
      const name = nameOfHolder(id)
      return ends.of(name, unstored.get(name) ?? stored)
    },
    async ban(caller, until) {
      const name = caller.kind === 'key' ? nameOfHolder(caller.keyId) : nameOfAddress(caller.address)
      unstored.set(name, until)
      storing.note(name, { caller, until })
      await storing.flush().catch(() => {}) // it is in force all the same
    },
    async close() {
      clearInterval(timer)
      await storing.close()
    },
  }
}

/**
 * When bans end. A clock that is set back must not make them longer: none ends later than a whole ban from the time at
 * which its caller was seen, whatever time is stored.
 */
function createEnds(longest: number, now: () => Date) {
  const known = new Map<string, { stored: number; until: number }>()
  return {
    of(name: string, stored: Date | null | undefined): Date | null {
      if (!stored) return null
      const time = now().getTime()
      let end = known.get(name)
      if (end?.stored !== stored.getTime()) {
        if (stored.getTime() <= time) return null
        end = { stored: stored.getTime(), until: stored.getTime() }
        known.set(name, end)
      }
      end.until = Math.min(end.until, time + longest)
      return end.until > time ? new Date(end.until) : null
    },
    /** Drops the ends of bans whose stored time has passed, too. */
    forgetPast(): void {
      for (const [name, { stored }] of known) if (stored <= now().getTime()) known.delete(name)
    },
  }
}
