import type { Caller, HolderId } from '../access/caller.ts'
import { createBatchWriter, type Log, silent } from '../batch-writer.ts'
import type { BanStore } from '../stores.ts'

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
  /** Those that this process has set, by name: they are in force until what is read of the database can show them. */
  const own = new Map<string, { until: Date; isStored: boolean }>()
  const ends = createEnds(longestMs, now)
  const loadAddresses = async () => (await store?.loadAddresses(now())) ?? new Map<string, Date>()
  let addresses = await loadAddresses()

  const writer = createBatchWriter<string, { caller: Caller; until: Date }>({
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
      for (const [name, { caller, until }] of batch) {
        const ban = own.get(name)
        if (!store || ban?.until !== until) continue
        // Keys are read anew with each ban, addresses only every so often.
        if (caller.kind === 'key') own.delete(name)
        else ban.isStored = true
      }
    },
  })

  async function readAddresses(): Promise<void> {
    const shown = [...own].filter(([, { isStored }]) => isStored)
    addresses = await loadAddresses()
    for (const [name, ban] of shown) if (own.get(name) === ban) own.delete(name)
  }
  let isReading = false
  const timer = setInterval(async () => {
    ends.forgetPast()
    for (const [name, { until }] of own) if (until <= now()) own.delete(name)
    if (isReading) return
    isReading = true
    await readAddresses().catch(() => {}) // without an answer the bans known so far stay in force
    isReading = false
  }, readEvery).unref()

  return {
    ofAddress(address) {
      const name = nameOfAddress(address)
      return ends.of(name, own.get(name)?.until ?? addresses.get(address))
    },
    ofHolder(id, stored) {
      const name = nameOfHolder(id)
      return ends.of(name, own.get(name)?.until ?? stored)
    },
    async ban(caller, until) {
      const name = caller.kind === 'key' ? nameOfHolder(caller.keyId) : nameOfAddress(caller.address)
      own.set(name, { until, isStored: false })
      writer.note(name, { caller, until })
      await writer.flush().catch(() => {}) // it is in force all the same, and tried again
    },
    async close() {
      clearInterval(timer)
      await writer.close()
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
