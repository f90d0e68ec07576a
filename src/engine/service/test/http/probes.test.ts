import { request } from 'node:http'
import { freshPostgres } from 'spec-served-lab/support/database'
import { serve } from 'spec-served-lab/support/engine'
import { startProcess } from 'spec-served-lab/support/petstore'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { startStore } from 'spec-served-lab/support/store'
import { startWorkers } from 'spec-served-lab/support/workers'
import { expect, onTestFinished, test } from 'vitest'

/** Asks on a connection of its own; gives the status, and whether the server goes on with the connection. */
function ask(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent: false }, reply => {
      reply.resume()
      resolve(reply.statusCode)
    })
    asking.on('error', reject).end()
  })
}

test('a process whose database is away is alive, and not ready until the database is back', async () => {
  const store = await startStore()
  onTestFinished(store.close)
  const statuses = async () => {
    const [live, ready] = [await store.request('/livez'), await store.request('/readyz')]
    return [live.statusCode, ready.statusCode, ready.headers['retry-after']]
  }
  expect(await statuses()).toEqual([200, 200, undefined])
  await store.cut()
  expect(await statuses()).toEqual([200, 503, '5'])
})

test('no caller’s limit and no overload refuses a probe', async () => {
  const release = Promise.withResolvers<void>()
  const held = async () => {
    await release.promise
    return { status: 200, body: [] }
  }
  const store = await startStore({ handlers: { listPets: held }, maxWaitMs: 0 })
  onTestFinished(store.close)
  const waiting = Array.from({ length: 2_001 }, () => store.request('/pets'))
  const refused = Array.from({ length: 700 }, () => store.app.inject('/livez'))
  for (const reply of await Promise.all(refused)) expect(reply.statusCode).toBe(200)
  expect((await store.app.inject('/readyz')).statusCode).toBe(200)
  release.resolve()
  expect((await waiting.at(-1))?.statusCode).toBe(503)
  await Promise.all(waiting)
})

test('a path of the document takes the place of a probe', async () => {
  const content = { 'application/json': { schema: { type: 'string' } } }
  const get = { operationId: 'livez', responses: { 200: { description: '', content } } }
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/livez': { get } } }
  const app = await serve(document, { livez: async () => ({ status: 200, body: 'mine' }) })
  onTestFinished(() => app.close())
  expect([(await app.inject('/livez')).json(), (await app.inject('/readyz')).json()]).toEqual([
    'mine',
    { status: 'ok' },
  ])
})

const delayed = { SHUTDOWN_DELAY_MS: '300000', METRICS_PORT: '0', LOG_FORMAT: 'json' }
const metricsIn = (output: string) => /Metrics for Prometheus are at (http\S+)metrics/.exec(output)?.[1] ?? ''

test('a server that is asked to stop takes new connections, alive and not ready, until its time or a second signal', async () => {
  await using database = await serverDatabase()
  const server = await startProcess({ ...database.env, ...delayed })
  onTestFinished(async () => void (await server.stop('SIGKILL')))
  const places = [`${server.url}/`, metricsIn(server.output())]
  const statuses = (path: string) => Promise.all(places.map(place => ask(place + path)))
  expect([await statuses('livez'), await statuses('readyz')]).toEqual([
    [200, 200],
    [200, 200],
  ])
  server.child.kill('SIGTERM')
  await expect.poll(() => statuses('readyz')).toEqual([503, 503])
  expect([await statuses('livez'), await ask(`${server.url}/health`)]).toEqual([[200, 200], 200])
  await expect.poll(server.output).toContain('SIGTERM: stopping in 300000 ms')
  expect(await server.stop('SIGINT')).toBe(null)
})

test('a stop begins when the time for load balancers is over', async () => {
  await using database = await serverDatabase()
  const server = await startProcess({ ...database.env, SHUTDOWN_DELAY_MS: '50' })
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(server.output()).toMatch(/stopping in 50 ms[\s\S]*SIGTERM: stopping\b[\s\S]*stopped/)
})

test('workers and their primary say together that they are about to stop', async () => {
  const database = await freshPostgres()
  onTestFinished(database.close)
  const server = await startWorkers({ DATABASE_URL: database.config.url, ...delayed })
  onTestFinished(async () => void (await server.stop('SIGKILL')))
  const metricsUrl = metricsIn(server.output())
  expect([
    await ask(`${metricsUrl}livez`),
    await ask(`${metricsUrl}readyz`),
    await ask(`${server.url}/readyz`),
  ]).toEqual([200, 200, 200])
  server.child.kill('SIGTERM')
  await expect.poll(() => ask(`${metricsUrl}readyz`)).toBe(503)
  for (let i = 0; i < 4; i++) await expect.poll(() => ask(`${server.url}/readyz`)).toBe(503)
  expect(await ask(`${server.url}/livez`)).toBe(200)
})
