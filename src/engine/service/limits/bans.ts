import { type Caller, keyOf } from '../callers/caller.ts'
import type { BanPlace, BanStore, OtherWorkers } from '../parts.ts'
import { createBatchWriter, silent } from '../runtime/batch-writer.ts'

/** How often a process reads bans by other processes, in ms. Those of keys come with the keys. */
const readEvery = 4_000
/** The most bans that one statement reads, and the most statements of a reading. What is left is read at the next one. */
const page = { bans: 5_000, most: 20 }
/** The most bans in memory: the latest ones. */
const capacity = 250_000
/** How much longer ago a change may come into sight than it was made, in ms: for as long as a statement stores it. */
const overlap = 15_000
/** The most bans that met a caller, and are looked at again in each reading: they may have been lifted. */
const lookedAtAgain = 1_000
/** How often it retries bans that could not be stored, in ms. */
const writeEvery = 1_000

export type Bans = Awaited<ReturnType<typeof openBans>>

interface Ban {
  /** the end that was to be stored */
  stored: Date
  /** the end in effect, in ms since 1970 */
  until: number
  /** the caller, if this process banned it and stores the ban */
  caller: Caller | undefined
  /** whether no read of the database has shown the ban to this process */
  isUnseen: boolean
  isStored: boolean
}

/** A ban by a process: in force from now on, then stored. */
export interface BanNews {
  counter: string
  /** its end, in ms since 1970 */
  until: number
  isStored: boolean
}

/**
 * The bans of holders and addresses, none longer than `longest` ms.
 * @param store undefined: a restart forgets them @param others absent: this process alone uses the memory
 */
export async function openBans(
  longest: number,
  store: BanStore | undefined,
  now: () => Date,
  log = silent,
  others?: OtherWorkers<BanNews>,
) {
  /** by the counters of callers */
  const bans = new Map<string, Ban>()
  /** the stored bans of all but keys, by address or counter, in the order of their changes */
  const read = new Map<string, Date>()
  /** those of them that met a caller since they were read */
  const met = new Set<string>()
  /** behind which bans are read next */
  let place: BanPlace | undefined
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
      for (const [counter, ban] of batch) {
        markStored(counter, ban)
        void others?.tell({ counter, until: ban.stored.getTime(), isStored: true })
      }
    },
  })

  /** Each ban causes a new read of its key. The others are read at an interval. */
  function markStored(counter: string, ban: Ban): void {
    ban.isStored = true
    if (keyOf(counter) !== undefined) ban.isUnseen = false
  }

  others?.listen(({ counter, until, isStored }) => {
    const ban = bans.get(counter)
    if (!isStored) {
      bans.set(counter, {
        ...{ stored: new Date(until), until, caller: undefined },
        ...{ isUnseen: true, isStored: false },
      })
      tell()
    } else if (ban?.stored.getTime() === until) {
      const key = keyOf(counter)
      if (key !== undefined) store?.readAgain?.(key)
      markStored(counter, ban)
    }
  })

  async function readBans(): Promise<void> {
    if (!store) return
    await writer.flush() // bans are stored before they are read
    const before = [...bans.values()].filter(({ isStored }) => isStored)
    await lookAgain(store)
    const areAllRead = await readNew(store)
    if (areAllRead) for (const ban of before) ban.isUnseen = false
    if (read.size > 0) tell()
  }

  /** @returns whether all that were stored before are read */
  async function readNew(banStore: BanStore): Promise<boolean> {
    const next = await banStore.placeBefore(overlap)
    for (let pages = 0; pages < page.most; pages++) {
      const { bans: newBans, last } = await banStore.load(now(), place, page.bans)
      for (const [name, until] of newBans) {
        read.delete(name) // it moves to the end
        read.set(name, until)
      }
      removeOldest()
      place = last ?? next
      if (!last) return true
    }
    return false
  }

  function removeOldest(): void {
    const time = now()
    for (const [name, until] of read) {
      if (until > time && read.size <= capacity) return
      read.delete(name)
    }
  }

  /** Forgets bans that met a caller, and were lifted. */
  async function lookAgain(banStore: BanStore): Promise<void> {
    if (met.size === 0) return
    const names = [...met]
    const found = await banStore.find(names, now())
    for (const name of names) if (!found.has(name)) read.delete(name)
    met.clear()
  }

  function storedOf(name: string): Date | undefined {
    const until = read.get(name)
    if (until && met.size < lookedAtAgain) met.add(name)
    return until
  }

  if (store) {
    place = await store.placeOf(capacity)
    while (!(await readNew(store)));
  }
  let isReading = false
  const timer = setInterval(async () => {
    for (const [name, { stored }] of bans) if (stored <= now()) bans.delete(name)
    if (isReading) return
    isReading = true
    await readBans().catch(() => {}) // without an answer the known bans stay in force
    isReading = false
  }, readEvery).unref()

  /** If the clock is set back, no ban exceeds a whole one from the time when its caller was seen. */
  function endOf(name: string, stored: Date | null | undefined): Date | null {
    const time = now().getTime()
    let ban = bans.get(name)
    if (!ban?.isUnseen) {
      if (!stored || stored.getTime() <= time) return null
      if (ban?.stored.getTime() !== stored.getTime())
        ban = {
          ...{ stored, until: stored.getTime(), caller: undefined },
          ...{ isUnseen: false, isStored: true },
        }
      bans.set(name, ban)
    }
    ban.until = Math.min(ban.until, time + longest)
    return ban.until > time ? new Date(ban.until) : null
  }

  return {
    /** Returns the end of an address's ban; null without a ban. */
    ofAddress(address: string): Date | null {
      return endOf(`address:${address}`, storedOf(address))
    },
    /** Returns the end of a holder's ban, stored or not stored yet; null without a ban. @param holderBan by its checker */
    ofHolder(counter: string, holderBan: Date | null): Date | null {
      const stored = storedOf(counter)
      return endOf(counter, stored && (!holderBan || holderBan < stored) ? stored : holderBan)
    },
    /** Calls a function after each time at which a holder may have become banned, but for what its checker says. */
    listen: (listener: () => void) => void listeners.push(listener),
    /** Bans a caller from now on, and stores the ban. While the database does not answer, it is tried again. */
    async ban(caller: Caller, until: Date): Promise<void> {
      const ban: Ban = { stored: until, until: until.getTime(), caller, isUnseen: true, isStored: false }
      bans.set(caller.counter, ban)
      tell()
      const heard = others?.tell({ counter: caller.counter, until: ban.until, isStored: false })
      writer.note(caller.counter, ban)
      await writer.flush().catch(() => {}) // the ban is in force all the same, and its write is retried
      await heard
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
  for (const { caller, stored } of bans) {
    const key = caller && keyOf(caller.counter)
    if (key !== undefined) ofKeys.set(key, stored)
    else if (caller) others.set(caller.kind === 'address' ? caller.address : caller.counter, stored)
  }
  if (ofKeys.size > 0) await store.saveKeys(ofKeys)
  if (others.size > 0) await store.save(others)
}
