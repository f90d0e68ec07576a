/** Where work in the background tells its failures; Fastify's logger is one. */
export interface Log {
  warn(details: object, message: string): void
  info(message: string): void
}

export const silent: Log = { warn() {}, info() {} }

export interface BatchWriterOptions<Key, Value> {
  /** what is written, in the plural: the subject of log lines */
  what: string
  everyMs: number
  /** one value for two under the same key; absent: the later one */
  merge?(earlier: Value, later: Value): Value
  /** Writes a batch in one statement: all of it or nothing. */
  write(batch: ReadonlyMap<Key, Value>): Promise<void>
  /** Whether the database refuses a batch for a value in it: that value is dropped, and the others are written. */
  isFaultOfData(error: unknown): boolean
  log: Log
  batchSize?: number
  /** keys kept at most, which bounds the memory that an outage takes */
  capacity?: number
  /** longest time that closing waits for one batch */
  closeWithinMs?: number
}

/** Writes values by key every so often, many at once. What can't be written is kept, and tried again. */
export function createBatchWriter<Key, Value>(options: BatchWriterOptions<Key, Value>) {
  const { what, log, merge = (_, later) => later } = options
  const { batchSize = 1_000, capacity = 1_000_000, closeWithinMs = 5_000 } = options
  let kept = new Map<Key, Value>()
  let running: Promise<void> = Promise.resolve()
  let following: Promise<void> | undefined
  let patience: NodeJS.Timeout | undefined
  let isAway = false
  let dropped = 0

  /** Keeps a value to be written, merged with the one that is kept under its key already. */
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

  /** Writes a batch; one that is refused half by half, until the value is found that is the reason. */
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

  /** Writes what is kept by now, and throws what the write throws. Those who ask during a write share the next one. */
  function flush(): Promise<void> {
    following ??= running.then(() => {
      following = undefined
      return writeAll()
    })
    running = following.catch(() => {}) // who asked is told
    return following
  }

  const timer = setInterval(() => {
    if (kept.size > 0) flush().catch(() => {}) // what failed is told, and kept
  }, options.everyMs).unref()

  /** Stops, and writes what is kept, as long as each batch is written in time. Never throws. */
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
