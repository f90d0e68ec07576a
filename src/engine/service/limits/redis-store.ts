import type { Redis, Result } from 'ioredis'
import { type Asked, createAskingStore } from './asking-store.ts'
import type { CounterStore } from './memory-store.ts'

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
 * A call that a later window refuses counts nowhere. Of that window it gets the next count, which is not stored. A
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

/** The most callers in one command: Redis serves nobody else while it runs. A command in a Cluster goes to one node. */
const mostCallers = { single: 100, cluster: 1 }

/** A store for @fastify/rate-limit that counts in Redis, all calls of a turn by one command. See `createAskingStore`. */
export function createRedisStore(
  redis: Redis,
  prefix: string,
  callerOf: (counter: string) => string,
  order: readonly string[],
): CounterStore {
  redis.defineCommand('countCalls', { lua: script })
  const place = {
    isOneByOne: false,
    mostCallers: () => mostCallers[redis.isCluster ? 'cluster' : 'single'],
    count(some: readonly Asked[]) {
      const counters = some.flatMap(({ windows }) => windows.map(({ counter }) => prefix + counter))
      return redis.countCalls(counters.length, ...counters, ...some.flatMap(argumentsOf))
    },
  }
  return createAskingStore(place, callerOf, order)
}

const argumentsOf = ({ isCall, windows }: Asked): number[] => [
  windows.length,
  windows[0]?.waiting.length ?? 0,
  isCall ? 1 : 0,
  ...windows.flatMap(({ limit, ms }) => [limit, ms]),
]
