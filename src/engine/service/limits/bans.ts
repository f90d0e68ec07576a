import { type Caller, keyOf } from '../callers/caller.ts'
import type { BanStore } from '../parts.ts'
import { createBatchWriter, silent } from '../runtime/batch-writer.ts'

/** How often a process reads bans by other processes, in ms. Those of keys come with the keys. */
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

/** The bans of holders and addresses, none longer than `longest` ms. @param store undefined: a restart forgets them */
export async function openBans(longest: number, store: BanStore | undefined, now: () => Date, log = silent) {
  /** by the counters of callers */
  const known = new Map<string, Ban>()
  /** the stored bans of all but keys, by address or counter */
  let read: ReadonlyMap<string, Date> = new Map()
  const listeners: (() => void)[] = []
  const tell = () => {
    for (const listener of listeners) listener()
  }

  const writer = createBatchWriter<string, Ban>({
    what: 'Bans',
    everyMs: writeEvery,
    log,
    isFaultOfData: error => store?.isFaultOfData(error) ?? false,
    async write(batch) {
      if (!store) return
      await save(store, [...batch.values()])
      // Each ban causes a new read of its key. The others are read at an interval.
      for (const [name, ban] of batch) if (keyOf(name) !== undefined) ban.unseen = undefined
    },
  })

  async function readBans(): Promise<void> {
    if (!store) return
    const before = [...known.values()]
    await writer.flush() // bans are stored before they are read
    read = await store.load(now())
    for (const ban of before) ban.unseen = undefined
    if (read.size > 0) tell()
  }
  await readBans()
  let isReading = false
  const timer = setInterval(async () => {
    for (const [name, { stored }] of known) if (stored <= now()) known.delete(name)
    if (isReading) return
    isReading = true
    await readBans().catch(() => {}) // without an answer the known bans stay in force
    isReading = false
  }, readEvery).unref()

  /** If the clock is set back, no ban exceeds a whole one from the time when its caller was seen. */
  function endOf(name: string, stored: Date | null | undefined): Date | null {
    const time = now().getTime()
    let ban = known.get(name)
    if (!ban?.unseen) {
      if (!stored || stored.getTime() <= time) return null
      if (ban?.stored.getTime() !== stored.getTime())
        ban = { stored, until: stored.getTime(), unseen: undefined }
      known.set(name, ban)
    }
    ban.until = Math.min(ban.until, time + longest)
    return ban.until > time ? new Date(ban.until) : null
  }

  return {
    /** Returns the end of an address's ban; null without a ban. */
    ofAddress(address: string): Date | null {
      return endOf(`address:${address}`, read.get(address))
    },
    /** Returns the end of a holder's ban, stored or not stored yet; null without a ban. @param own by its checker */
    ofHolder(counter: string, own: Date | null): Date | null {
      const stored = read.get(counter)
      return endOf(counter, stored && (!own || own < stored) ? stored : own)
    },
    /** Calls a function after each time at which a holder may have become banned, but for what its checker tells. */
    listen: (listener: () => void) => void listeners.push(listener),
    /** Bans a caller from now on, and stores the ban. While the database does not answer, it is tried again. */
    async ban(caller: Caller, until: Date): Promise<void> {
      const ban: Ban = { stored: until, until: until.getTime(), unseen: caller }
      known.set(caller.counter, ban)
      tell()
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
  const ofKeys = new Map<number, Date>()
  const others = new Map<string, Date>()
  for (const { unseen, stored } of bans) {
    const key = unseen && keyOf(unseen.counter)
    if (key !== undefined) ofKeys.set(key, stored)
    else if (unseen) others.set(unseen.kind === 'address' ? unseen.address : unseen.counter, stored)
  }
  if (ofKeys.size > 0) await store.saveKeys(ofKeys)
  if (others.size > 0) await store.save(others)
}
