import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-retries-'))
})
afterAll(() => rm(directory, { recursive: true }))

test('kill -9 at any moment of an order, and the same order again: there is exactly one', async () => {
  let server = await startProcess({ DATA_DIR: directory })
  const headers = {
    'x-api-key': (await readFile(join(directory, 'api-key'), 'utf8')).trim(),
    'content-type': 'application/json',
  }
  const order = (key: string) =>
    fetch(`${server.url}/store/orders`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: JSON.stringify({ petId: 1, quantity: 1 }),
    })
  await fetch(`${server.url}/store/inventory/1`, { method: 'PUT', headers, body: '{"quantity":100}' })

  for (const [round, delay] of [0, 2, 5, 9, 30].entries()) {
    const key = crypto.randomUUID()
    const cut = order(key).catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, delay))
    await server.stop('SIGKILL')
    await cut
    server = await startProcess({ DATA_DIR: directory })
    expect((await order(key)).status).toBe(201)
    const orders = await (await fetch(`${server.url}/store/orders?petId=1`, { headers })).json()
    expect(orders).toHaveLength(round + 1)
  }
  const item = await (await fetch(`${server.url}/store/inventory/1`, { headers })).json()
  expect(item).toMatchObject({ quantity: 95 })
  await server.stop()
}, 60_000)
