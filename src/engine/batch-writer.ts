/** Where work in the background tells its failures; Fastify's logger is one. */
export interface Log {
  warn(details: object, message: string): void
  info(message: string): void
}

/** Tells nobody. */
export const silent: Log = { warn() {}, info() {} }

export interface BatchWriterOptions<Key, Value> {
  /** what is written, in the plural: the subject of log lines */
  what: string
  everyMs: number
  /** one value for two under the same key */
  merge(earlier: Value, later: Value): Value
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

export type BatchWriter<Key, Value> = ReturnType<typeof createBatchWriter<Key, Value>>

/**
 * Collects values by key and writes them every so often, many at once. What can't be written is kept and tried again; the
 * first failure is logged, and the first success after it.
 */
export function createBatchWriter<Key, Value>(options: BatchWriterOptions<Key, Value>) {
  const { what, merge, log, batchSize = 1_000, capacity = 1_000_000, closeWithinMs = 5_000 } = options
  const kept = new Map<Key, Value>()
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let patience: NodeJS.Timeout | undefined
  let isFailing = false
  let dropped = 0

  /** Keeps a value to be written, merged with the one that is kept under its key already. */
  function note(key: Key, value: Value): void {
    const earlier = kept.get(key)
    if (earlier !== undefined) kept.set(key, merge(earlier, value))
    else if (kept.size < capacity) kept.set(key, value)
    else dropped++
  }

  function fail(err: unknown, message: string): void {
    if (!isFailing) log.warn({ err }, message)
    isFailing = true
  }

  async function writeAll(): Promise<void> {
    const all = [...kept]
    kept.clear()
    let isRefused = false
    for (let size = batchSize; all.length > 0; ) {
      const batch = all.slice(-size)
      try {
        await options.write(new Map(batch))
      } catch (error) {
        if (!options.isFaultOfData(error)) {
          const later = [...kept]
          kept.clear()
          for (const [key, value] of [...all, ...later]) note(key, value)
          fail(error, `${what} can’t be stored: they are kept, and tried again.`)
          throw error
        }
        size = Math.ceil(batch.length / 2)
        if (batch.length > 1) continue
        fail(error, `${what} that the database refuses are dropped.`)
        isRefused = true
        dropped++
        size = batchSize
      }
      all.length -= batch.length
      patience?.refresh()
    }
    if (!isFailing || isRefused) return
    log.info(`${what} are stored again${dropped > 0 ? `; ${dropped} were dropped` : ''}.`)
    isFailing = false
    dropped = 0
  }

  /**
   * Writes what is kept by now. There are never two writes at once: those who ask during one share the next.
   * @throws what the write throws
   */
  function flush(): Promise<void> {
    if (running) following ??= running.then(start, start)
    return following ?? start()
  }

  function start(): Promise<void> {
    following = undefined
    running = writeAll().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(() => {
    if (!running && kept.size > 0) flush().catch(() => {}) // what failed is told, and kept
  }, options.everyMs).unref()

  /** Stops, and writes what is kept, as long as each batch is written in time. Never throws. */
  async function close(): Promise<void> {
    clearInterval(timer)
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
    patience = setTimeout(resolve, closeWithinMs, false)
    const written = flush().then(
      () => true,
      () => false,
    )
    if (!(await Promise.race([written, tooLate]))) log.warn({}, `${what} could not be stored before the end.`)
    clearTimeout(patience)
  }

  return { note, flush, close }
}
