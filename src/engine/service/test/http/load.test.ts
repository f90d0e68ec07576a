import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { KyselyPlugin } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { serve } from 'spec-served-lab/support/engine'
import { shared } from 'spec-served-lab/support/fixtures'
import { mintKey } from 'spec-served-lab/support/keys'
import { rateLimits, startProcess } from 'spec-served-lab/support/petstore'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { issueKey, startOn } from 'spec-served-lab/support/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const { minute: free } = rateLimits.plans.Free

/** More than a service lets wait for each other. */
const many = 130

/** Holds all answers of a database, from a moment on. */
function holder() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isHeld = false
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isHeld) await released
      return result
    },
  }
  const hold = () => {
    isHeld = true
  }
  return { plugin, hold, release }
}

describe('a store where as much is under way as may be', () => {
  const { plugin, hold, release } = holder()
  const database = shared(freshDatabase)
  const store = shared(() => startOn(database.db.withPlugin(plugin), { probe: database.probe, maxWaitMs: 1 }))
  let served: Promise<{ status: number }[]>
  let exhausted: string
  let usable: string

  const get = (url: string, key = usable) => store.app.inject({ url, headers: { 'x-api-key': key } })

  beforeAll(async () => {
    usable = await issueKey(store.db)
    exhausted = await issueKey(store.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1 } })
    for (const key of [usable, exhausted, store.key]) await get('/categories', key)
    hold()
    // The last ones are more than can be done, and are taken as a burst is.
    served = Promise.all(Array.from({ length: many }, () => store.call('listPets')))
    await new Promise(resolve => setTimeout(resolve, 1_500))
  })
  afterAll(() => release())

  test('a full store refuses new requests at once, in the form of the document, and counts nothing', async () => {
    // A request that waits does so until the database is released.
    const replies = await Promise.all(Array.from({ length: 10 }, () => get('/pets')))
    for (const reply of replies) {
      expect(reply.statusCode).toBe(503)
      expect(reply.json()).toMatchObject({ code: 'unavailable', status: 503 })
      expect(reply.headers).toMatchObject({
        'retry-after': '1',
        'x-ratelimit-limit': String(free),
        'x-ratelimit-remaining': String(free - 1),
        ratelimit: expect.any(String),
        'x-request-id': expect.any(String),
      })
    }
  })

  test('a full store does not look up a key that it does not know yet', async () => {
    const reply = await get('/pets', mintKey())
    expect(reply.statusCode).toBe(503)
    expect(reply.headers['x-ratelimit-limit']).toBe(String(rateLimits.plans[rateLimits.anonymous].minute))
  })

  test('a full store still says to a caller that its quota is used up', async () => {
    expect((await get('/pets', exhausted)).json()).toMatchObject({ code: 'rate_limited' })
  })

  test('a full store goes on with /usage', async () => {
    expect((await get('/usage')).statusCode).toBe(200)
  })

  test.each([
    ['GET', '/docs/'],
    ['GET', '/openapi.json'],
    ['GET', '/nowhere'],
    ['OPTIONS', '/pets'],
    ['POST', '/mcp'],
  ] as const)('a full store refuses %s %s, too', async (method, url) => {
    const reply = await store.app.inject({ method, url, headers: { 'x-api-key': usable } })
    expect([reply.statusCode, reply.json().code]).toEqual([503, 'unavailable'])
  })

  test('a full store goes on with /health', async () => {
    expect((await get('/health')).statusCode).toBe(200)
  })

  test('a full store serves the requests under way, and afterwards new ones again', async () => {
    release()
    expect((await served).map(reply => reply.status)).toEqual(Array(many).fill(200))
    await expect.poll(async () => (await get('/pets')).statusCode).toBe(200)
  })
})

test('a thousand clients reach a server at once that is busy', async () => {
  const most = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => 128))
  await using database = await serverDatabase()
  await using server = await startProcess(database.env)
  server.child.kill('SIGSTOP')
  const { hostname, port } = new URL(server.url)
  const sockets = Array.from({ length: Math.min(1_000, most) }, () => connect(Number(port), hostname))
  try {
    // The others would learn after two minutes that nobody answers.
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
  } finally {
    server.child.kill('SIGCONT')
    for (const socket of sockets) socket.on('error', () => {}).destroy()
  }
})

test('requests that come at once are served in order, each in its own context', async () => {
  const storage = new AsyncLocalStorage<unknown>()
  const source = {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    paths: { '/quick': { get: { operationId: 'quick', responses: { 200: { description: 'ok' } } } } },
  }
  const contexts: unknown[] = []
  const quick = async () => {
    contexts.push(storage.getStore())
    return { status: 200 }
  }
  const prepare = (instance: FastifyInstance) => {
    instance.addHook('onRequest', ({ headers }, _reply, done) => storage.run(headers['x-request-id'], done))
  }
  const app = await serve(source, { quick }, {}, { prepare })
  const ids = Array.from({ length: 3 * many }, (_, i) => String(i))
  await Promise.all(ids.map(id => app.inject({ url: '/quick', headers: { 'x-request-id': id } })))
  expect(contexts).toEqual(ids)
})

test('calls without cost that take long make nobody else be refused', async () => {
  const reply = { description: 'ok' }
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const source = {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    paths: {
      '/free': { get: { operationId: 'free', 'x-quota-free': true, responses: { 200: reply } } },
      '/quick': { get: { operationId: 'quick', responses: { 200: reply } } },
    },
  }
  const handlers = {
    free: async () => released.then(() => ({ status: 200 })),
    quick: async () => ({ status: 200 }),
  }
  const app = await serve(source, handlers, {}, { maxWaitMs: 1 })
  const ask = async (url: string, times: number) => {
    const replies = await Promise.all(Array.from({ length: times }, () => app.inject({ url })))
    return new Set(replies.map(({ statusCode }) => statusCode))
  }
  const waiting = ask('/free', 2 * many)
  await sleep(700) // longer than a burst
  expect(await ask('/quick', 2 * many)).toEqual(new Set([200]))
  release()
  expect(await waiting).toEqual(new Set([200]))
  await app.close()
})
