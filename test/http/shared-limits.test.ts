import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { hasRedis, startRedis } from '../../scripts/local/redis.ts'
import { issueKey, startStore } from '../support/store.ts'

const random = (below: number) => Math.floor(Math.random() * below)

test.runIf(hasRedis)('Redis counts the calls and looks of many callers as memory does', async () => {
  const server = await startRedis()
  const stores = [await startStore(), await startStore({ redisUrl: server.url })]
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    await server.kill()
  })
  for (let caller = 0; caller < 20; caller++) {
    const quotas = { minute: random(8), day: random(8) }
    const urls = Array.from({ length: 12 }, () => (random(4) ? '/categories' : '/usage'))
    const told = await Promise.all(
      stores.map(async ({ app, db }) => {
        const headers = { 'x-api-key': await issueKey(db, { plan: 'Enterprise', quotas }) }
        const replies = []
        for (const url of urls) replies.push(await app.inject({ url, headers }))
        return replies.map(({ statusCode, headers }) => [
          statusCode,
          String(headers.ratelimit).replaceAll(/t=\d+/g, ''),
        ])
      }),
    )
    expect(told[1], JSON.stringify({ quotas, urls })).toEqual(told[0])
  }
})

test.runIf(hasRedis)('calls are counted on where an operator has flushed the scripts of Redis', async () => {
  const server = await startRedis()
  const client = new Redis(server.url)
  const store = await startStore({ redisUrl: server.url })
  onTestFinished(async () => {
    await store.close()
    client.disconnect()
    await server.kill()
  })
  const headers = { 'x-api-key': await issueKey(store.db) }
  const left = async () =>
    Number((await store.app.inject({ url: '/pets', headers })).headers['x-ratelimit-remaining'])
  expect(await Promise.all([left(), left()])).toEqual([59, 58])
  await client.script('FLUSH')
  expect((await Promise.all([left(), left()])).toSorted()).toEqual([56, 57])
  expect((await store.call('getHealth')).body.status).toBe('ok')
})
