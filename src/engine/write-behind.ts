import { setImmediate } from 'node:timers/promises'

/** Where what happens in the background is told; Fastify's logger is one. */
export interface Log {
  warn(details: object, message: string): void
  info(message: string): void
}

/** Longest rest after a batch, in ms. */
const longestRest = 1_000

/** Tells nobody. */
export const silent: Log = { warn() {}, info() {} }

/** Values that are collected by key and written later, many at once. */
export interface WriteBehind<Key, Value> {
  /** Notes a value to be written, merged with the one that is noted under its key already. */
  note(key: Key, value: Value): void
  /**
   * Writes what is noted by now.
   * @throws what the write throws; everything that is not written stays noted
   */
  flush(): Promise<void>
  /** Stops, and writes what is noted, for as long as that gets on. Never throws. */
  close(): Promise<void>
}

export interface WriteBehindOptions<Key, Value> {
  /** what is written, in the plural: the subject of log lines */
  what: string
  everyMs: number
  /**
   * For how many times as long as writing a batch took the next one waits, a second at most, unless somebody waits for
   * it: others need the database more. By default for none. What could not be written does not wait for it.
   */
  rest?: number
  /**
   * Hands over what has changed since it was asked last, oldest first, for whoever keeps account of that and notes nothing:
   * what is noted has to be looked for under its key each time. Each is made when its batch is, so that one batch is held.
   */
  changed?: () => IteratorObject<readonly [Key, Value]>
  /** Is called when all that there was as a round began is written; when it throws, the next round calls it again. */
  finish?: () => Promise<void>
  /** one value for two that were noted under the same key */
  merge(earlier: Value, later: Value): Value
  /** Writes a batch in one statement: all of it or nothing. */
  write(batch: ReadonlyMap<Key, Value>): Promise<void>
  /** Whether the database refuses a write for the values in it: another try would be refused too. */
  isFaultOfData(error: unknown): boolean
  log: Log
  /** keys in one statement: small enough for the embedded database, which blocks the process while it runs */
  batchSize?: number
  /** keys noted at most, which bounds the memory that an outage takes */
  capacity?: number
  /** longest that closing waits for one batch */
  closeWithinMs?: number
}

/**
 * Collects values by key and writes them every so often. The one rule for what is written behind a request's back:
 *
 * - All that is noted is written in batches, one after the other; there are never two writes at once, and a time to
 *   write that comes while one is under way is skipped.
 * - What could not be written is kept, merged with what is noted meanwhile, and tried again the next time. A write whose
 *   outcome is not known, because the connection broke, is repeated too.
 * - A value is dropped in three cases only: the database refuses it for what it holds (it is found by halving its batch,
 *   and the others are written), there is no room for another key, or closing has waited for it long enough.
 * - The first failure is logged, and so is the first success after it; what comes in between is not.
 */
export function createWriteBehind<Key, Value>({
  what,
  everyMs,
  rest = 0,
  changed = () => Iterator.from([]),
  finish = async () => {},
  merge,
  write,
  isFaultOfData,
  log,
  batchSize = 1_000,
  capacity = 1_000_000,
  closeWithinMs = 5_000,
}: WriteBehindOptions<Key, Value>): WriteBehind<Key, Value> {
  const noted = new Map<Key, Value>()
  /** What is left of what was handed over in this round. */
  let handedOver: IteratorObject<readonly [Key, Value]> = Iterator.from([])
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let writing = 0
  let patience: NodeJS.Timeout | undefined
  let closed = false
  let failing = false
  let dropped = 0
  /** those who wait for all to be written, and what ends the rest that it takes */
  let hurried = 0
  let endRest = () => {}

  function note(key: Key, value: Value): void {
    const earlier = noted.get(key)
    if (earlier !== undefined) noted.set(key, merge(earlier, value))
    else if (noted.size < capacity) noted.set(key, value)
    else dropped++
  }

  function keep(batch: ReadonlyMap<Key, Value>): void {
    for (const [key, value] of batch) {
      const later = noted.get(key)
      // What was taken from here has its room here.
      noted.set(key, later === undefined ? value : merge(value, later))
    }
  }

  /** Takes a batch: first what is noted, which is older, but no more of that than there was as the round began. */
  function take(older: number): Map<Key, Value> {
    const batch = new Map<Key, Value>()
    for (const [key, value] of noted) {
      if (batch.size === Math.min(older, batchSize)) break
      batch.set(key, value)
      noted.delete(key)
    }
    while (batch.size < batchSize) {
      const next = handedOver.next()
      if (next.done) break
      const [key, value] = next.value
      const earlier = batch.get(key)
      batch.set(key, earlier === undefined ? value : merge(earlier, value))
    }
    return batch
  }

  /** @returns the fault of the values that the database has refused, if there were such */
  async function writeBatch(batch: Map<Key, Value>): Promise<unknown> {
    let fault: unknown
    const parts = [batch]
    for (let part = parts.pop(); part; part = parts.pop()) {
      try {
        await write(part)
      } catch (error) {
        if (!isFaultOfData(error)) {
          for (const rest of [part, ...parts]) keep(rest)
          throw error
        }
        fault = error
        if (part.size === 1) dropped++
        else parts.push(...halves(part))
      }
    }
    return fault
  }

  async function round(): Promise<void> {
    handedOver = changed()
    let older = noted.size
    let fault: unknown
    try {
      while (!closed) {
        const batch = take(older)
        if (batch.size === 0) break
        older = Math.max(0, older - batch.size)
        writing = batch.size
        const began = performance.now()
        fault = (await writeBatch(batch)) ?? fault
        patience?.refresh()
        await pause(performance.now() - began)
      }
      if (writing === 0) return // there was nothing to write
      if (!closed) await finish()
    } catch (error) {
      for (const [key, value] of handedOver) note(key, value)
      tellFailure(error, `${what} can’t be stored: they are kept, and tried again.`)
      throw error
    } finally {
      writing = 0
    }
    if (fault) tellFailure(fault, `${what} that the database refuses are dropped.`)
    else if (failing) {
      failing = false
      log.info(`${what} are stored again${dropped > 0 ? `; ${dropped} were dropped` : ''}.`)
      dropped = 0
    }
  }

  function tellFailure(error: unknown, message: string): void {
    if (!failing) log.warn({ err: error, kept: noted.size, dropped }, message)
    failing = true
  }

  /** Lets requests come first; `took`: how long the last batch did, in ms. */
  function pause(took: number): Promise<void> {
    const length = hurried > 0 ? 0 : Math.min(rest * took, longestRest)
    if (length === 0) return setImmediate()
    return new Promise(resolve => {
      endRest = resolve
      setTimeout(resolve, length).unref()
    })
  }

  function start(): Promise<void> {
    running = round().finally(() => {
      running = undefined
    })
    return running
  }

  function writeAll(): Promise<void> {
    if (!running) return start()
    // The write under way may have missed what was noted last: one more follows, for all who ask meanwhile.
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined
        return writeAll()
      })
    return following
  }

  async function flush(): Promise<void> {
    hurried++
    endRest()
    try {
      await writeAll()
    } finally {
      hurried--
    }
  }

  const timer = setInterval(() => {
    if (!running) start().catch(() => {})
  }, everyMs).unref()

  return {
    note,
    flush,
    async close() {
      clearInterval(timer)
      await Promise.race([
        flush().catch(() => {}),
        new Promise(resolve => {
          patience = setTimeout(resolve, closeWithinMs)
        }),
      ])
      clearTimeout(patience)
      closed = true
      const left = noted.size + [...handedOver].length + writing
      if (left > 0) log.warn({ dropped: left }, `${what} could not be stored before the end.`)
    },
  }
}

function halves<Key, Value>(batch: ReadonlyMap<Key, Value>): Map<Key, Value>[] {
  const entries = [...batch]
  const middle = entries.length / 2
  return [new Map(entries.slice(0, middle)), new Map(entries.slice(middle))]
}
