import type { Caller, HolderId } from '../access/caller.ts'
import { createBatchWriter, silent } from '../batch-writer.ts'
import type { BanStore } from '../parts.ts'

/** How often a process reads the bans of addresses that others have written, in ms. */
const readEvery = 4_000
/** How often bans that could not be stored are tried again, in ms. */
const writeEvery = 1_000

export type Bans = Awaited<ReturnType<typeof openBans>>

interface Ban {
  /** when it was to end */
  stored: Date
  /** when it ends, in ms since 1970 */
  until: number
  /** who was banned by this process, until what is read of the database can show it */
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
      // Keys are read again with each ban, addresses only every so often.
      for (const ban of batch.values()) if (ban.unseen?.kind === 'key') ban.unseen = undefined
    },
  })

  async function readAddresses(): Promise<void> {
    if (!store) return
    const before = [...known.values()]
    await writer.flush() // before bans are read they are stored
    addresses = await store.loadAddresses(now())
    for (const ban of before) ban.unseen = undefined
  }
  await readAddresses()
  let isReading = false
  const timer = setInterval(async () => {
    for (const [name, { stored }] of known) if (stored <= now()) known.delete(name)
    if (isReading) return
    isReading = true
    await readAddresses().catch(() => {}) // without an answer the bans known so far stay in force
    isReading = false
  }, readEvery).unref()

  /** A clock that is set back makes no ban longer than a whole one from the time at which its caller was seen. */
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
    /** Until when the address is banned; null when it is not. */
    ofAddress(address: string): Date | null {
      return endOf(`address:${address}`, addresses.get(address))
    },
    /** Until when a holder is banned, by what is stored of it and what is not stored yet; null when it is not. */
    ofHolder(id: HolderId, stored: Date | null): Date | null {
      return endOf(`key:${id}`, stored)
    },
    /** Bans a caller from now on, and stores that; while the database does not answer it is tried again. */
    async ban(caller: Caller, until: Date): Promise<void> {
      const ban: Ban = { stored: until, until: until.getTime(), unseen: caller }
      known.set(caller.counter, ban)
      writer.note(caller.counter, ban)
      await writer.flush().catch(() => {}) // it is in force all the same, and tried again
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
