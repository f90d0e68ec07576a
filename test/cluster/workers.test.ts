import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/generated/operations.ts'
import { createClient } from '../faults/client.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { hasRedis, type RedisServer, startRedis } from '../support/redis.ts'
import { issueKey } from '../support/store.ts'
import { type ServerWithWorkers, startWorkers } from '../support/workers.ts'

let database: TestDatabase
let url: string
beforeAll(async () => {
  database = await freshDatabase()
  if (database.config.kind !== 'postgres') throw new Error('Workers need PostgreSQL')
  url = database.config.url
})
afterAll(() => database?.close())

/** A request on a connection of its own: they go to the workers in turns. */
async function call(server: ServerWithWorkers, key: string, method: string, path: string, body?: unknown) {
  const { send, close } = createClient(server.url, key)
  return send(method, path, { body }).finally(close)
}

const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act))
function tally(statuses: number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe.each(['the primary', ...(hasRedis ? ['Redis'] : [])])(
  'two workers that count through %s',
  through => {
    let redis: RedisServer | undefined
    let server: ServerWithWorkers
    let admin: string
    beforeAll(async () => {
      redis = through === 'Redis' ? await startRedis() : undefined
      server = await startWorkers({
        DATABASE_URL: url,
        METRICS_PORT: '0',
        ...(redis && { REDIS_URL: redis.url }),
      })
      admin = await issueKey(database.db, {
        plan: 'Enterprise',
        quotas: { minute: 1_000_000, day: 1_000_000 },
      })
    })
    afterAll(async () => {
      await server?.stop()
      await redis?.kill()
    })

    test('let exactly the quota through, whatever comes at once', async () => {
      const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 50, day: 1_000 } })
      const answers = await times(60, () => call(server, key, 'GET', '/pets'))
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 50, 429: 10 })
      const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
      expect(left.toSorted((a, b) => b - a).slice(0, 51)).toEqual(
        Array.from({ length: 51 }, (_, i) => Math.max(0, 49 - i)),
      )
      const usage = JSON.parse((await call(server, key, 'GET', '/usage')).text)
      expect(usage).toMatchObject({ windows: [{ remaining: 0 }, { remaining: 950 }] })
    })

    test('ban together, from the very next request on', async () => {
      const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1_000 } })
      const statuses: number[] = []
      for (let i = 0; i < 1 + rateLimits.ban.refusals + 6; i++)
        statuses.push((await call(server, key, 'GET', '/pets')).status)
      expect(tally(statuses)).toEqual({ 200: 1, 429: rateLimits.ban.refusals, 403: 6 })
    })

    test('refuse a key as soon as one of them has taken it back', async () => {
      const { text } = await call(server, admin, 'POST', '/api-keys', {
        name: 'Short',
        plan: 'Free',
        scopes: ['read'],
      })
      const { id, secret }: { id: number; secret: string } = JSON.parse(text)
      const use = async () => (await call(server, secret, 'GET', '/pets')).status
      for (let i = 0; i < 4; i++) expect(await use()).toBe(200)
      await call(server, admin, 'PATCH', `/api-keys/${id}`, { disabled: true })
      for (let i = 0; i < 6; i++) expect(await use()).toBe(401)
      await call(server, admin, 'PATCH', `/api-keys/${id}`, { disabled: false })
      for (let i = 0; i < 6; i++) expect(await use()).toBe(200)
      await call(server, admin, 'DELETE', `/api-keys/${id}`)
      for (let i = 0; i < 6; i++) expect(await use()).toBe(401)
    })

    if (through === 'Redis')
      test('go on together while Redis is away', async () => {
        const key = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 40, day: 1_000 } })
        await redis?.kill()
        const answers = await times(50, () => call(server, key, 'GET', '/pets'))
        expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 40, 429: 10 })
        await redis?.restart()
      })

    test('tell all calls of deprecated operations, whichever took them', async () => {
      const key = await issueKey(database.db, { plan: 'Pro' })
      for (let i = 0; i < 5; i++) await call(server, key, 'GET', '/pets/1')
      const usage = JSON.parse((await call(server, key, 'GET', '/usage')).text)
      expect(usage.deprecated).toEqual([expect.objectContaining({ operationId: 'getPet', calls: 5 })])
    })
  },
)
