import type { Redis } from 'ioredis'
import type { Counter } from '../access/caller.ts'
import { type Counters, lengthOf } from './counting.ts'

/**
 * KEYS: the counters of some callers, for each those of its windows and, as the last, that of its refusals. ARGV: how
 * many counters a caller has, and then for each caller how many calls there are, 0 to only look, and for each of its
 * counters the most that it may come to and its length in milliseconds. A window counts the calls that those before it
 * let through; all others are refusals. Gives for each counter what it held before, how many calls it counted, and what
 * is left of its window in milliseconds.
 */
const lua = `
  local each = tonumber(ARGV[1])
  local last = 1
  local function argument()
    last = last + 1
    return tonumber(ARGV[last])
  end
  local answer = {}
  for first = 1, #KEYS, each do
    local calls = argument()
    local passing = calls
    for i = first, first + each - 1 do
      local max, length = argument(), argument()
      local isRefusals = i == first + each - 1
      local counted = isRefusals and calls - passing or passing
      local before, ttl = 0, 0
      if counted > 0 then
        before = redis.call('INCRBY', KEYS[i], counted) - counted
        if before == 0 then redis.call('PEXPIRE', KEYS[i], length) end
      elseif not isRefusals then
        before = tonumber(redis.call('GET', KEYS[i]) or 0)
      end
      if before + counted > 0 then ttl = math.max(redis.call('PTTL', KEYS[i]), 0) end
      answer[3 * i - 2], answer[3 * i - 1], answer[3 * i] = before, counted, ttl
      if not isRefusals then passing = math.max(0, math.min(passing, max - before)) end
    end
  end
  return answer
`

/** The name of the command that counts. */
export const countCommand = 'countCalls'

/** Callers in one command at most: others wait in Redis while it runs. */
const atOnce = 100

/** What a counter held before the calls of a command, how many of them it counted, and milliseconds to its end. */
export interface Held {
  counter: Counter
  before: number
  counted: number
  ttl: number
}

/** What Redis has counted for one caller. */
export interface Answer {
  windows: Held[]
  refusals: Held
}

/** What is to be counted for one caller; no calls: it only looks. */
export interface Request {
  counters: Counters
  calls: number
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** Counts for some callers, at a time in milliseconds since 1970. */
type CountCalls = (requests: readonly Request[], time: number) => void

/**
 * Gives a Redis the command that counts.
 * @param prefix what the names of counters begin with there
 * @returns what counts by it: each request is resolved with its answer, or rejected with the error of its command
 */
export function defineCountCalls(redis: Redis, prefix: string): CountCalls {
  redis.defineCommand(countCommand, { lua })
  type Callback = (error: Error | null, reply?: unknown) => void
  type Command = (...numberOfKeysKeysAndArguments: [...(string | number)[], Callback]) => unknown
  const client = redis as Redis & { [countCommand]: Command } // as just defined
  const most = redis.isCluster ? 1 : atOnce // a Cluster's command is for one node, as a caller is

  function send(requests: readonly Request[], time: number): void {
    const each = (requests[0]?.counters.windows.length ?? 0) + 1 // as many as the document has windows, and refusals
    const keys: string[] = []
    const numbers: number[] = [each]
    for (const { counters, calls } of requests) {
      numbers.push(calls)
      for (const { name, window, limit } of [...counters.windows, counters.refusals]) {
        keys.push(prefix + name)
        numbers.push(limit, lengthOf(window.seconds, time))
      }
    }
    client[countCommand](keys.length, ...keys, ...numbers, (error, reply) => {
      const own = isNumbers(reply, 3 * keys.length) ? reply : undefined
      for (const [i, { counters, resolve, reject }] of requests.entries())
        if (own) resolve(answerOf(counters, own, 3 * i * each))
        else reject(error ?? new Error('Redis gave the reply to another command'))
    })
  }

  return (requests, time) => {
    for (let i = 0; i < requests.length; i += most) send(requests.slice(i, i + most), time)
  }
}

/** Whether a reply is what the script gives: a connection that is out of step gives the replies to other commands. */
const isNumbers = (reply: unknown, length: number): reply is number[] =>
  Array.isArray(reply) && reply.length === length && reply.every(Number.isInteger)

/** The answer for one caller: its numbers begin at an index of those of all. */
function answerOf({ windows, refusals }: Counters, numbers: readonly number[], start: number): Answer {
  const heldBy = (counter: Counter, i: number): Held => {
    const at = start + 3 * i
    return { counter, before: numbers[at] ?? 0, counted: numbers[at + 1] ?? 0, ttl: numbers[at + 2] ?? 0 }
  }
  return { windows: windows.map(heldBy), refusals: heldBy(refusals, windows.length) }
}
