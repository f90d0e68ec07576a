import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from 'spec-served/internal/testing/temporary'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { createClient } from '../support/http.ts'
import { rateLimits } from '../support/petstore.ts'
import { has } from '../support/programs.ts'
import { ample, issueKey } from '../support/store.ts'
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

describe.each(['memory', ...(has('redis-server') ? ['Redis'] : [])])('two workers that count in %s', name => {
  const redis = name === 'Redis' ? shared(() => startRedis()) : undefined
  const server = shared(() =>
    startWorkers({
      DATABASE_URL: database.config.url,
      METRICS_PORT: '0',
      ...(redis && { REDIS_URL: redis.url }),
    }),
  )
  /** The statuses of some requests in a row, which go to both; refused ones cost the address its allowance. */
  async function statusesOf(key: string) {
    const statuses = []
    for (let i = 0; i < 8; i++) statuses.push((await call(server, key, '/pets')).status)
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

  test('workers let each of several callers exactly its quota through, whatever comes at once', async () => {
    const quotas = [5, 20, 45]
    const keys = await Promise.all(
      quotas.map(minute => issueKey(database.db, { plan: 'Enterprise', quotas: { minute, day: 1_000 } })),
    )
    const served = keys.map(async key => {
      const answers = await times(65, () => call(server, key, '/pets'))
      return answers.filter(({ status }) => status === 200).length
    })
    expect(await Promise.all(served)).toEqual(quotas)
  })

  test('workers ban together, at once', async () => {
    const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1_000 } })
    const statuses = await times(
      1 + rateLimits.ban.refusals,
      async () => (await call(server, key, '/pets')).status,
    )
    expect(tally(statuses)).toEqual({ 200: 1, 429: rateLimits.ban.refusals })
    expect(await statusesOf(key)).toEqual(new Set([403]))
  })

  test('a worker that is killed amid calls costs no count and no other worker, and is replaced', async () => {
    const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 100, day: 1_000 } })
    const alive = () => server.workers().filter(isAlive)
    const [first = 0] = alive()
    const calling = times(60, () =>
      call(server, key, '/pets').then(
        ({ status }) => status,
        () => 'lost',
      ),
    )
    const [answered] = await Promise.all([calling, sleep(5).then(() => process.kill(first, 'SIGKILL'))])
    await expect.poll(alive).not.toContain(first)
    const served = answered.filter(status => status === 200).length
    const lost = answered.filter(status => status === 'lost').length
    expect(served + lost).toBe(60)
    await expect.poll(() => alive().length).toBe(2)
    const rest = await times(120, () => call(server, key, '/pets'))
    const later = rest.filter(({ status }) => status === 200).length
    // A call that was lost may have been counted.
    expect(served + later).toBeLessThanOrEqual(100)
    expect(served + later).toBeGreaterThanOrEqual(100 - lost)
    const usage = JSON.parse((await call(server, key, '/usage')).text)
    expect(usage).toMatchObject({ windows: [{ remaining: 0 }, { remaining: 900 }] })
  })

  test('a change of a key applies at all workers before its reply: it is disabled, and a ban is lifted', async () => {
    const admin = await issueKey(database.db, ample)
    const { send, close } = createClient(server.url, admin)
    const body = { name: 'Changed', plan: 'Enterprise', quotas: { minute: 1, day: 9 }, scopes: ['read'] }
    const { id, secret } = JSON.parse((await send('POST', '/api-keys', { body })).text)
    const change = async (changes: object) =>
      expect((await send('PATCH', `/api-keys/${id}`, { body: changes })).status).toBe(200)
    await times(1 + rateLimits.ban.refusals, () => call(server, secret, '/pets'))
    expect(await statusesOf(secret)).toEqual(new Set([403]))
    await change({ bannedUntil: null })
    expect(await statusesOf(secret)).not.toContain(403)
    await change({ disabled: true })
    expect(await statusesOf(secret)).toEqual(new Set([401]))
    close()
  })

  if (redis)
    test('the workers of a machine go on together while Redis is away', async () => {
      const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 20, day: 1_000 } })
      await redis.kill()
      const answers = await times(40, () => call(server, key, '/pets'))
      const {
        200: served = 0,
        429: refused = 0,
        403: banned = 0,
      } = tally(answers.map(({ status }) => status))
      expect([served, refused + banned]).toEqual([20, 20])
      await redis.restart()
    })

  test('workers count all calls of deprecated operations, whichever took them', async () => {
    const key = await issueKey(database.db, { plan: 'Pro' })
    for (let i = 0; i < 5; i++) await call(server, key, '/pets/1')
    const deprecated = async () => JSON.parse((await call(server, key, '/usage')).text).deprecated
    await expect.poll(deprecated).toEqual([expect.objectContaining({ operationId: 'getPet', calls: 5 })])
  })
})

test('a restart of the workers neither gives back the quota of the day nor ends a ban', async () => {
  const quotas = { minute: 3, day: 50 }
  const [key, banned] = await Promise.all(
    [0, 1].map(() => issueKey(database.db, { plan: 'Enterprise', quotas })),
  )
  const start = async () => {
    const server = await startWorkers({ DATABASE_URL: database.config.url })
    onTestFinished(async () => void (await server.stop('SIGKILL')))
    return server
  }
  const first = await start()
  await times(3, () => call(first, key ?? '', '/pets'))
  await times(3 + rateLimits.ban.refusals, () => call(first, banned ?? '', '/pets'))
  expect(await first.stop()).toBe(0)
  expect(first.output()).not.toContain('"level":50')
  const second = await start()
  expect(JSON.parse((await call(second, key ?? '', '/usage')).text).windows[1]).toMatchObject({
    remaining: 47,
  })
  expect((await call(second, banned ?? '', '/pets')).status).toBe(403)
})
