import type { Callback, CounterStore } from './memory-store.ts'

/** A window of a caller, with the limiters that wait for its count. */
export interface AskedWindow {
  counter: string
  /** its place in the order of the windows */
  place: number
  limit: number
  ms: number
  waiting: Callback[]
}

/** The windows of a caller that limiters ask for in one turn of the event loop, to count or to look. */
export interface Asked {
  isCall: boolean
  windows: AskedWindow[]
}

/** The place where calls are counted. */
export interface Place {
  /** Returns for each window the rest of it in ms, then its count at each call. */
  count(some: readonly Asked[]): Promise<unknown>
  /** the most callers in one message */
  mostCallers(): number
  /** whether a message waits for the answer to the one before, and takes what comes meanwhile along */
  isOneByOne: boolean
}

/**
 * A store for @fastify/rate-limit that counts all calls of one turn of the event loop elsewhere, by one message. All windows
 * of a call are asked for in the same turn.
 * @param callerOf returns what the names of counters that are counted together share
 * @param order the names of the windows, with which those of counters end
 */
export function createAskingStore(
  place: Place,
  callerOf: (counter: string) => string,
  order: readonly string[],
): CounterStore {
  let asked = new Map<string, Asked>()
  let isAwaited = false

  function ask(isCall: boolean, counter: string, callback: Callback, ms: number, limit: number): void {
    if (asked.size === 0 && !isAwaited) setImmediate(sendAll)
    const name = `${isCall}${callerOf(counter)}`
    const question = asked.get(name) ?? { isCall, windows: [] }
    asked.set(name, question)
    const window = question.windows.find(candidate => candidate.counter === counter)
    if (window) window.waiting.push(callback)
    else {
      const position = order.indexOf(counter.slice(counter.lastIndexOf('}:') + 2))
      question.windows.push({ counter, place: position, limit, ms, waiting: [callback] })
      question.windows.sort((a, b) => a.place - b.place)
    }
  }

  function sendAll(): void {
    const all = [...asked.values()]
    asked = new Map()
    isAwaited = place.isOneByOne
    const atOnce = place.mostCallers()
    for (let i = 0; i < all.length; i += atOnce) void send(all.slice(i, i + atOnce))
  }

  async function send(some: readonly Asked[]): Promise<void> {
    const windows = some.flatMap(({ windows: ofQuestion }) => ofQuestion)
    try {
      tell(windows, await place.count(some))
    } catch (error) {
      for (const { waiting } of windows) for (const callback of waiting) callback(error as Error) // a place throws nothing else
    }
    isAwaited = false
    if (place.isOneByOne && asked.size > 0) setImmediate(sendAll)
  }

  return {
    incr: (...window) => ask(true, ...window),
    read: (...window) => ask(false, ...window),
  }
}

/** Hands each limiter its count. @throws Error if the reply is another command's, as all are after a surplus one */
function tell(windows: readonly AskedWindow[], reply: unknown): void {
  const length = windows.reduce((sum, { waiting }) => sum + 1 + waiting.length, 0)
  if (!isNumbers(reply) || reply.length !== length)
    throw new Error('The counts are not those that were asked for')
  const numbers = reply.values()
  for (const { waiting } of windows) {
    const ttl = numbers.next().value ?? 0
    for (const callback of waiting) callback(null, { current: numbers.next().value ?? 0, ttl })
  }
}

const isNumbers = (reply: unknown): reply is number[] =>
  Array.isArray(reply) && reply.every(part => Number.isInteger(part))
