import type { Redis, Result } from 'ioredis'
import type { Callback, CounterStore } from './memory-store.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs the script below. @param counters the number of counters, whose names come first */
    countCalls(counters: number, ...args: (string | number)[]): Result<unknown, Context>
  }
}

/**
 * Counts calls in all windows of their callers. The arguments say for each caller how many windows and calls there are,
 * and whether they count (1) or only look (0); then the limit and the length in ms of each window. The reply has for
 * each window the rest of it in ms, then its count at each call.
 *
 * A call that a later window refuses counts nowhere. Of that window it is told the next count, which is not stored. A
 * call that the first window refuses counts there alone.
 */
const script = `
  local reply, key, arg = {}, 0, 1
  while ARGV[arg] do
    local windows, calls, counts = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), ARGV[arg + 2] == '1'
    local limit, before, new, told = {}, {}, {}, {}
    for i = 1, windows do
      limit[i], before[i], new[i], told[i] = tonumber(ARGV[arg + 1 + 2 * i]), 0, 0, {}
      before[i] = tonumber(redis.call('GET', KEYS[key + i]) or 0)
    end
    for call = 1, calls do
      local refused, usedUp = not counts, {}
      for i = 2, windows do
        usedUp[i] = counts and before[i] + new[i] >= limit[i]
        refused = refused or usedUp[i]
      end
      for i = 1, windows do
        if not refused then
          new[i] = new[i] + 1
          refused = before[i] + new[i] > limit[i]
        end
        told[i][call] = usedUp[i] and limit[i] + 1 or before[i] + new[i]
      end
    end
    for i = 1, windows do
      local name = KEYS[key + i]
      if new[i] > 0 then redis.call('INCRBY', name, new[i]) end
      local rest = redis.call('PTTL', name)
      if rest < 0 and new[i] > 0 then
        rest = tonumber(ARGV[arg + 2 + 2 * i])
        redis.call('PEXPIRE', name, rest)
      end
      reply[#reply + 1] = math.max(rest, 0)
      for call = 1, calls do reply[#reply + 1] = told[i][call] end
    end
    key, arg = key + windows, arg + 3 + 2 * windows
  end
  return reply
`

/** The most callers in one command: Redis serves nobody else while it runs. */
const mostCallers = 100

/** A window of a caller, with the limiters that wait for its count. */
interface Window {
  counter: string
  /** its place in the order of the windows */
  place: number
  limit: number
  ms: number
  waiting: Callback[]
}

/** The windows of a caller that limiters ask for in one turn of the event loop, to count or to look. */
interface Asked {
  isCall: boolean
  windows: Window[]
}

/**
 * A store for @fastify/rate-limit that counts all calls of one turn of the event loop by one command. All windows of a call
 * are asked for in the same turn.
 * @param callerOf returns what the names of counters that are counted together share
 * @param order the names of the windows, with which those of counters end
 */
export function createRedisStore(
  redis: Redis,
  prefix: string,
  callerOf: (counter: string) => string,
  order: readonly string[],
): CounterStore {
  redis.defineCommand('countCalls', { lua: script })
  let asked = new Map<string, Asked>()

  function ask(isCall: boolean, counter: string, callback: Callback, ms: number, limit: number): void {
    if (asked.size === 0) setImmediate(sendAll)
    const name = `${isCall}${callerOf(counter)}`
    const one = asked.get(name) ?? { isCall, windows: [] }
    asked.set(name, one)
    const window = one.windows.find(window => window.counter === counter)
    if (window) window.waiting.push(callback)
    else {
      const place = order.indexOf(counter.slice(counter.lastIndexOf('}:') + 2))
      one.windows.push({ counter, place, limit, ms, waiting: [callback] })
      one.windows.sort((a, b) => a.place - b.place)
    }
  }

  function sendAll(): void {
    const all = [...asked.values()]
    asked = new Map()
    const atOnce = redis.isCluster ? 1 : mostCallers // a command in a Cluster goes to one node
    for (let i = 0; i < all.length; i += atOnce) void send(all.slice(i, i + atOnce))
  }

  async function send(some: readonly Asked[]): Promise<void> {
    const windows = some.flatMap(({ windows }) => windows)
    try {
      const counters = windows.map(({ counter }) => prefix + counter)
      tell(windows, await redis.countCalls(counters.length, ...counters, ...some.flatMap(argumentsOf)))
    } catch (error) {
      for (const { waiting } of windows) for (const callback of waiting) callback(error as Error) // ioredis throws nothing else
    }
  }

  return {
    incr: (...window) => ask(true, ...window),
    read: (...window) => ask(false, ...window),
  }
}

const argumentsOf = ({ isCall, windows }: Asked): number[] => [
  windows.length,
  windows[0]?.waiting.length ?? 0,
  isCall ? 1 : 0,
  ...windows.flatMap(({ limit, ms }) => [limit, ms]),
]

/** Hands each limiter its count. @throws Error if the reply is another command's, as all are after a surplus one */
function tell(windows: readonly Window[], reply: unknown): void {
  const length = windows.reduce((sum, { waiting }) => sum + 1 + waiting.length, 0)
  if (!isNumbers(reply) || reply.length !== length)
    throw new Error('Redis answers something else than what was asked')
  const numbers = reply.values()
  for (const { waiting } of windows) {
    const ttl = numbers.next().value ?? 0
    for (const callback of waiting) callback(null, { current: numbers.next().value ?? 0, ttl })
  }
}

const isNumbers = (reply: unknown): reply is number[] =>
  Array.isArray(reply) && reply.every(part => Number.isInteger(part))
