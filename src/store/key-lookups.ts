/** Look-ups that wait for one query at most; beyond them the database is too slow to be asked. */
const mostWaiting = 10_000
/** Look-ups in one query at most. */
const mostAtOnce = 2_000

/** Look-ups that share queries: one is under way at a time, and those that come meanwhile go into the next. */
export interface Lookups<Row> {
  /**
   * Looks up a hash that has no look-up yet.
   * @throws what the query throws, and Error with the SQLSTATE 53400 when too many wait
   */
  find(hash: string): Promise<Row | undefined>
  /** The answer that another look-up of the same hash waits for. */
  awaited(hash: string): Promise<Row | undefined> | undefined
  /** Lets nobody who asks from now on share the answer of the query that is under way. */
  renew(): void
}

/**
 * @param read one query for several hashes; gives the rows found
 * @param gapMs shortest time between two queries: it bounds what any flood can ask of the database
 */
export function createLookups<Row>(
  read: (hashes: string[]) => Promise<ReadonlyMap<string, Row>>,
  gapMs: number,
): Lookups<Row> {
  type Lookup = PromiseWithResolvers<Row | undefined>
  const waiting = new Map<string, Lookup>()
  let underWay = new Map<string, Lookup>()
  let isScheduled = false
  let lastAt = Number.NEGATIVE_INFINITY

  function schedule(): void {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    const pause = lastAt + gapMs - performance.now()
    if (pause > 0) setTimeout(run, pause)
    else setImmediate(run)
  }

  async function run(): Promise<void> {
    const batch = new Map<string, Lookup>()
    for (const [hash, lookup] of waiting) {
      if (batch.size === mostAtOnce) break
      batch.set(hash, lookup)
      waiting.delete(hash)
    }
    underWay = batch
    lastAt = performance.now()
    try {
      const rows = await read([...batch.keys()])
      for (const [hash, { resolve }] of batch) resolve(rows.get(hash))
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
    underWay = new Map()
    isScheduled = false
    schedule()
  }

  return {
    async find(hash) {
      if (waiting.size >= mostWaiting)
        throw Object.assign(new Error('Too many keys wait for being looked up'), { code: '53400' })
      const lookup: Lookup = Promise.withResolvers()
      waiting.set(hash, lookup)
      schedule()
      return lookup.promise
    },
    awaited: hash => (underWay.get(hash) ?? waiting.get(hash))?.promise,
    renew() {
      underWay = new Map()
    },
  }
}
