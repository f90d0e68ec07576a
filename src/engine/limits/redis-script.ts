/**
 * The windows of a caller and, as the last key, its refusals. KEYS: their counters; ARGV: for each the most that it may
 * have and its length in milliseconds, and then how many calls there are. Gives for each call the count of each and what
 * is left of it, in milliseconds.
 */
const begin = `
  local answer = {}
  local function read(key)
    local current = redis.call('GET', key)
    if not current then return 0, 0 end
    return tonumber(current), math.max(redis.call('PTTL', key), 0)
  end
  local function add(key, length)
    local current = redis.call('INCR', key)
    if current == 1 then redis.call('PEXPIRE', key, length) end
    return current, redis.call('PTTL', key)
  end
`
const end = `
      answer[#answer + 1] = current
      answer[#answer + 1] = ttl
    end
  end
  return answer
`

/** Counts each call in each window up to the one that refuses it, and then as a refusal. */
export const countScript = `${begin}
  for call = 1, ARGV[#ARGV] do
    local refused = false
    for i, key in ipairs(KEYS) do
      local isRefusals = i == #KEYS
      local current, ttl
      if refused == isRefusals then current, ttl = add(key, ARGV[2 * i]) else current, ttl = read(key) end
      if not isRefusals and current > tonumber(ARGV[2 * i - 1]) then refused = true end
${end}`

/** Looks without counting. */
export const readScript = `${begin}
  for call = 1, ARGV[#ARGV] do
    for i, key in ipairs(KEYS) do
      local current, ttl = read(key)
${end}`

type Script = (...keysAndArguments: (string | number)[]) => Promise<number[]>

/** The scripts as commands of the client. */
export interface RedisCounts {
  countCall: Script
  readCalls: Script
}
