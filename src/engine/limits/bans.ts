import type { Caller, HolderId } from '../access/caller.ts'
import { createBatchWriter, type Log, silent } from '../batch-writer.ts'
import type { BanStore } from '../stores.ts'

/** How often a process reads the bans of addresses that others have written, in ms. */
const readEvery = 4_000
/** How often bans that could not be stored are tried again, in ms. */
const writeEvery = 1_000

export type Bans = Awaited<ReturnType<typeof openBans>>

interface Ban {
  caller: Caller
  until: Date
}

/**
 * The bans of keys and addresses, stored so that they outlive a restart.
 * @param longestMs the longest that a ban lasts
 * @param store undefined: a restart forgets them
 */
export async function openBans(
  longestMs: number,
  store: BanStore | undefined,
  now: () => Date,
  log: Log = silent,
) {
  /** Those that this process has set, by the counters of callers: they are in force until what is read of the database can show them. */
  const own = new Map<string, Date>()
  /** When bans end; `stored`: when they were to end. */
  const ends = new Map<string, { stored: Date; until: number }>()
  let addresses: ReadonlyMap<string, Date> = new Map()

  const writer = createBatchWriter<string, Ban>({
    what: 'Bans',
    everyMs: writeEvery,
    merge: (_, later) => later,
    log,
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    async write(batch) {
      if (!store) return
      await save(store, [...batch.values()])
      // Keys are read anew with each ban, addresses only every so often.
      for (const [name, { caller, until }] of batch)
        if (caller.kind === 'key' && own.get(name) === until) own.delete(name)
    },
  })

  async function readAddresses(): Promise<void> {
    if (!store) return
    const before = [...own]
    await writer.flush() // before bans are read they are stored
    addresses = await store.loadAddresses(now())
    for (const [name, until] of before) if (own.get(name) === until) own.delete(name)
  }
  await readAddresses()
  let isReading = false
  const timer = setInterval(async () => {
    for (const [name, { stored }] of ends) if (stored <= now()) ends.delete(name)
    for (const [name, until] of own) if (until <= now()) own.delete(name)
    if (isReading) return
    isReading = true
    await readAddresses().catch(() => {}) // without an answer the bans known so far stay in force
    isReading = false
  }, readEvery).unref()

  /** A clock that is set back makes no ban longer than a whole one from the time at which its caller was seen. */
  function endOf(name: string, read: Date | null | undefined): Date | null {
    const stored = own.get(name) ?? read
    if (!stored) return null
    const time = now().getTime()
    const known = ends.get(name)
    const end = known?.stored.getTime() === stored.getTime() ? known.until : stored.getTime()
    const until = Math.min(end, time + longestMs)
    if (stored.getTime() > time) ends.set(name, { stored, until })
    return until > time ? new Date(until) : null
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
      own.set(caller.counter, until)
      writer.note(caller.counter, { caller, until })
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
  for (const { caller, until } of bans)
    if (caller.kind === 'key') ofHolders.set(caller.keyId, until)
    else ofAddresses.set(caller.address, until)
  if (ofHolders.size > 0) await store.saveHolders(ofHolders)
  if (ofAddresses.size > 0) await store.saveAddresses(ofAddresses)
}
