import type { Redis } from 'ioredis'
import { type Counter, type Counters, lengthOf } from './counting.ts'

/**
 * KEYS: the counters of a caller, those of its windows and, as the last, that of its refusals. ARGV: for each the most
 * that it may come to and its length in milliseconds, and then how many calls there are; with 0 it only looks. A window
 * counts the calls that those before it let through; all others are refusals. Gives for each counter what it held
 * before, how many calls it counted, and what is left of its window in milliseconds.
 */
const lua = `
  local calls = tonumber(ARGV[#ARGV])
  local passing = calls
  local answer = {}
  for i, key in ipairs(KEYS) do
    local isRefusals = i == #KEYS
    local counted = isRefusals and calls - passing or passing
    local before, ttl = 0, 0
    if counted > 0 then
      before = redis.call('INCRBY', key, counted) - counted
      if before == 0 then redis.call('PEXPIRE', key, ARGV[2 * i]) end
    elseif not isRefusals then
      before = tonumber(redis.call('GET', key) or 0)
    end
    if before + counted > 0 then ttl = math.max(redis.call('PTTL', key), 0) end
    answer[3 * i - 2], answer[3 * i - 1], answer[3 * i] = before, counted, ttl
    if not isRefusals then passing = math.max(0, math.min(passing, ARGV[2 * i - 1] - before)) end
  end
  return answer
`

/** What a counter held before the calls of a command, how many of them it counted, and milliseconds to its end. */
interface Held {
  max: number
  before: number
  counted: number
  ttl: number
}

/** What Redis has counted for one command. */
export interface Answer {
  windows: Held[]
  refusals: Held
}

/** Counts calls of one caller; with 0 it only looks. The time is in milliseconds since 1970. */
type CountCalls = (counters: Counters, calls: number, time: number) => Promise<Answer>

/** @param numberOfKeys counters of a caller: a command begins with one, which tells the node of a Cluster */
export function defineCountCalls(redis: Redis, numberOfKeys: number): CountCalls {
  redis.defineCommand('countCalls', { lua, numberOfKeys })
  type Command = (...keysAndArguments: (string | number)[]) => Promise<number[]>
  const client = redis as Redis & { countCalls: Command } // as just defined
  return async ({ windows, refusals }, calls, time) => {
    const counters = [...windows, refusals]
    const answer = await client.countCalls(
      ...counters.map(({ name }) => name),
      ...counters.flatMap(({ max, seconds }) => [max, lengthOf(seconds, time)]),
      calls,
    )
    const heldBy = ({ max }: Counter, i: number): Held => {
      const [before = 0, counted = 0, ttl = 0] = answer.slice(3 * i)
      return { max, before, counted, ttl }
    }
    return { windows: windows.map(heldBy), refusals: heldBy(refusals, windows.length) }
  }
}
