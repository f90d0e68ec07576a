import type { Caller, HolderId } from '../access/caller.ts'
import { createBatchWriter, silent } from '../batch-writer.ts'
import type { BanStore } from '../parts.ts'

/** How often a process reads bans of addresses by other processes, in ms. */
const readEvery = 4_000
/** How often it retries bans that could not be stored, in ms. */
const writeEvery = 1_000

export type Bans = Awaited<ReturnType<typeof openBans>>

interface Ban {
  /** the end that was to be stored */
  stored: Date
  /** the end in effect, in ms since 1970 */
  until: number
  /** the caller that this process banned, until a read of the database can show the ban */
  unseen: Caller | undefined
}

/** The bans of keys and addresses, none longer than `longest` ms. @param store undefined: a restart forgets them */
export async function openBans(longest: number, store: BanStore | undefined, now: () => Date, log = silent) {
  /** by the counters of callers */
  const known = new Map<string, Ban>()
  let addresses: ReadonlyMap<string, Date> = new Map()

  const writer = createBatchWriter<string, Ban>({
    what: 'Bans',
    everyMs: writeEvery,
    log,
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    async write(batch) {
      if (!store) return
      await save(store, [...batch.values()])
      // Each ban causes a new read of its key. Addresses are read at an interval.
      for (const ban of batch.values()) if (ban.unseen?.kind === 'key') ban.unseen = undefined
    },
  })

  async function readAddresses(): Promise<void> {
    if (!store) return
    const before = [...known.values()]
    await writer.flush() // bans are stored before they are read
    addresses = await store.loadAddresses(now())
    for (const ban of before) ban.unseen = undefined
  }
  await readAddresses()
  let isReading = false
  const timer = setInterval(async () => {
    for (const [name, { stored }] of known) if (stored <= now()) known.delete(name)
    if (isReading) return
    isReading = true
    await readAddresses().catch(() => {}) // without an answer the known bans stay in force
    isReading = false
  }, readEvery).unref()

  /** If the clock is set back, no ban exceeds a whole one from the time when its caller was seen. */
  function endOf(name: string, read: Date | null | undefined): Date | null {
    const time = now().getTime()
    let ban = known.get(name)
    if (!ban?.unseen) {
      if (!read || read.getTime() <= time) return null
      if (ban?.stored.getTime() !== read.getTime())
        ban = { stored: read, until: read.getTime(), unseen: undefined }
      known.set(name, ban)
    }
    ban.until = Math.min(ban.until, time + longest)
    return ban.until > time ? new Date(ban.until) : null
  }

  return {
    /** Returns the end of an address's ban; null without a ban. */
    ofAddress(address: string): Date | null {
      return endOf(`address:${address}`, addresses.get(address))
    },
    /** Returns the end of a holder's ban, stored or not stored yet; null without a ban. */
    ofHolder(id: HolderId, stored: Date | null): Date | null {
      return endOf(`key:${id}`, stored)
    },
    /** Bans a caller from now on, and stores the ban. While the database does not answer, it is tried again. */
    async ban(caller: Caller, until: Date): Promise<void> {
      const ban: Ban = { stored: until, until: until.getTime(), unseen: caller }
      known.set(caller.counter, ban)
      writer.note(caller.counter, ban)
      await writer.flush().catch(() => {}) // the ban is in force all the same, and its write is retried
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await writer.close()
    },
  }
}

async function save(store: BanStore, bans: readonly Ban[]): Promise<void> {
  const ofHolders = new Map<HolderId, Date>()
  const ofAddresses = new Map<string, Date>()
  for (const { unseen, stored } of bans)
    if (unseen?.kind === 'key') ofHolders.set(unseen.keyId, stored)
    else if (unseen) ofAddresses.set(unseen.address, stored)
  if (ofHolders.size > 0) await store.saveHolders(ofHolders)
  if (ofAddresses.size > 0) await store.saveAddresses(ofAddresses)
}
