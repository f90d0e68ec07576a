import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseKind, freshDatabase, type TestDatabase } from '../support/database.ts'
import { startProcess } from '../support/process.ts'
import { issueKey } from '../support/store.ts'

let directory: string
let database: TestDatabase
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-killed-'))
  database = await freshDatabase()
})
afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true })
})

test('kill -9 at any moment of an order, and the same order again: there is exactly one', async () => {
  const { config } = database
  const env = config.kind === 'postgres' ? { DATABASE_URL: config.url } : { DATA_DIR: directory }
  let server = await startProcess(env)
  const key =
    databaseKind === 'postgres'
      ? await issueKey(database.db, { plan: 'Business' })
      : (await readFile(join(directory, 'api-key'), 'utf8')).trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object, more = {}) => {
    const reply = await fetch(server.url + path, {
      method,
      headers: { ...headers, ...more },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as { id: number; quantity: number } } // by the document
  }
  const category = await send('POST', '/categories', { name: 'Survivors' })
  const petId = (await send('POST', '/pets', { name: 'Rex', categoryId: category.body.id })).body.id
  await send('PUT', `/store/inventory/${petId}`, { quantity: 100 })

  for (const [round, delay] of [0, 2, 5, 9, 30].entries()) {
    const order = () =>
      send('POST', '/store/orders', { petId, quantity: 1 }, { 'idempotency-key': `round-${round}` })
    const cut = order().catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, delay))
    await server.stop('SIGKILL')
    await cut
    server = await startProcess(env)
    // PostgreSQL may still be about to notice that the killed process is gone.
    await expect.poll(async () => (await order()).status, { timeout: 5_000 }).toBe(201)
    expect((await send('GET', `/store/orders?petId=${petId}`)).body).toHaveLength(round + 1)
  }
  expect((await send('GET', `/store/inventory/${petId}`)).body.quantity).toBe(95)
  await server.stop()
}, 60_000)
