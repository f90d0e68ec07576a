/** The log for failures of background work, such as Fastify's logger. */
export interface Log {
  warn(details: object, message: string): void
  info(message: string): void
}

export const silent: Log = { warn() {}, info() {} }

export interface BatchWriterOptions<Key, Value> {
  /** the name of the values, in the plural: the subject of log lines */
  what: string
  everyMs: number
  /** Merges two values of the same key. Absent: the later one stays. */
  merge?(earlier: Value, later: Value): Value
  /** Writes a batch in one statement: all of it or nothing. */
  write(batch: ReadonlyMap<Key, Value>): Promise<void>
  /** Returns whether the database refused a batch for a value in it. That value is dropped; the others are written. */
  isFaultOfData(error: unknown): boolean
  log: Log
  batchSize?: number
  /** the most keys that are kept; it bounds the memory that an outage takes */
  capacity?: number
  /** longest wait for one batch when the writer closes */
  closeWithinMs?: number
}

/** Writes values by key in batches, at an interval. Values that can't be written are kept and tried again. */
export function createBatchWriter<Key, Value>(options: BatchWriterOptions<Key, Value>) {
  const { what, log, merge = (_, later) => later } = options
  const { batchSize = 1_000, capacity = 1_000_000, closeWithinMs = 5_000 } = options
  let kept = new Map<Key, Value>()
  let running: Promise<void> = Promise.resolve()
  let following: Promise<void> | undefined
  let patience: NodeJS.Timeout | undefined
  let isAway = false
  let dropped = 0

  /** Keeps a value for the next batch, merged with an earlier value of the same key. */
  function note(key: Key, value: Value): void {
    const earlier = kept.get(key)
    if (earlier !== undefined) kept.set(key, merge(earlier, value))
    else if (kept.size < capacity) kept.set(key, value)
    else dropped++
  }

  async function writeAll(): Promise<void> {
    const left = kept
    kept = new Map()
    try {
      while (left.size > 0) await write([...left.entries().take(batchSize)], left)
    } catch (err) {
      const later = kept
      kept = left
      for (const [key, value] of later) note(key, value)
      if (!isAway) log.warn({ err }, `${what} can’t be stored: they are kept, and tried again.`)
      isAway = true
      throw err
    }
    if (isAway) log.info(`${what} are stored again${dropped > 0 ? `; ${dropped} were dropped` : ''}.`)
    isAway = false
    dropped = 0
  }

  /** Writes a batch. If the database refuses it, each half is written alone, until the faulty value is found. */
  async function write(batch: readonly (readonly [Key, Value])[], left: Map<Key, Value>): Promise<void> {
    try {
      await options.write(new Map(batch))
    } catch (err) {
      if (!options.isFaultOfData(err)) throw err
      if (batch.length > 1) {
        const half = Math.ceil(batch.length / 2)
        await write(batch.slice(0, half), left)
        return write(batch.slice(half), left)
      }
      log.warn({ err }, `${what} that the database refuses are dropped.`)
    }
    for (const [key] of batch) left.delete(key)
    patience?.refresh()
  }

  /** Writes all kept values, and throws the write's error. Calls during a write share the next one. */
  function flush(): Promise<void> {
    following ??= running.then(() => {
      following = undefined
      return writeAll()
    })
    running = following.catch(() => {}) // the caller of flush gets the error
    return following
  }

  const timer = setInterval(() => {
    if (kept.size > 0) flush().catch(() => {}) // failures are logged, and the values kept
  }, options.everyMs).unref()

  /** Stops, and writes the kept values while each batch finishes in time. Never throws. */
  async function close(): Promise<void> {
    clearInterval(timer)
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    patience = setTimeout(reject, closeWithinMs)
    try {
      await Promise.race([flush(), tooLate])
    } catch {
      log.warn({}, `${what} could not be stored before the end.`)
    }
    clearTimeout(patience)
  }

  return { note, flush, close }
}
