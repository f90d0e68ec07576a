import { describe, expect, test } from 'vitest'
import { startRedis } from '../../tools/local/redis.ts'
import { freshPostgres } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { createClient } from '../support/http.ts'
import { rateLimits } from '../support/petstore.ts'
import { has } from '../support/programs.ts'
import { issueKey } from '../support/store.ts'
import { type ServerWithWorkers, startWorkers } from '../support/workers.ts'

const database = shared(freshPostgres)

/** A request on a connection of its own: they go to the workers in turns. */
async function call(server: ServerWithWorkers, key: string, path: string) {
  const { send, close } = createClient(server.url, key)
  return send('GET', path).finally(close)
}

const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act))
function tally(statuses: number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Counts of one worker take 5 s to count in all. */
const soon = { interval: 1_500 }

describe.runIf(has('redis-server'))('two workers', () => {
  const redis = shared(() => startRedis())
  const server = shared(() =>
    startWorkers({ DATABASE_URL: database.config.url, METRICS_PORT: '0', REDIS_URL: redis.url }),
  )
  /** The statuses of some requests in a row, which go to both; refused ones cost the address its allowance. */
  async function statusesOf(key: string) {
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await call(server, key, '/pets')).status)
    return new Set(statuses)
  }

  test('workers let exactly the quota through, whatever comes at once', async () => {
    const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 50, day: 1_000 } })
    const answers = await times(60, () => call(server, key, '/pets'))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 50, 429: 10 })
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(left.toSorted((a, b) => b - a).slice(0, 51)).toEqual(
      Array.from({ length: 51 }, (_, i) => Math.max(0, 49 - i)),
    )
    const usage = JSON.parse((await call(server, key, '/usage')).text)
    expect(usage).toMatchObject({ windows: [{ remaining: 0 }, { remaining: 950 }] })
  })

  test('workers ban together, within 5 seconds', async () => {
    const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1_000 } })
    const statuses = await times(
      1 + rateLimits.ban.refusals,
      async () => (await call(server, key, '/pets')).status,
    )
    expect(tally(statuses)).toEqual({ 200: 1, 429: rateLimits.ban.refusals })
    await expect.poll(() => statusesOf(key), soon).toEqual(new Set([403]))
  })

  test('each worker goes on by itself while Redis is away', async () => {
    const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 20, day: 1_000 } })
    await redis.kill()
    const answers = await times(50, () => call(server, key, '/pets'))
    // A worker that takes most of the calls may ban the key.
    const { 200: served = 0, 429: refused = 0, 403: banned = 0 } = tally(answers.map(({ status }) => status))
    expect([served >= 20 && served <= 40, served + refused + banned]).toEqual([true, 50])
    await redis.restart()
  })

  test('workers count all calls of deprecated operations, whichever took them', async () => {
    const key = await issueKey(database.db, { plan: 'Pro' })
    for (let i = 0; i < 5; i++) await call(server, key, '/pets/1')
    const told = async () => JSON.parse((await call(server, key, '/usage')).text).deprecated
    await expect.poll(told).toEqual([expect.objectContaining({ operationId: 'getPet', calls: 5 })])
  })
})
