import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../../../test/support/process.ts'
import type { paths } from '../../../generated/schema.ts'
import { type Client, connect } from '../../tools/client/client.ts'
import { shared } from '../support/fixtures.ts'
import { startPrefixProxy } from '../support/prefix-proxy.ts'
import { serverDatabase } from '../support/server-database.ts'
import { startStore } from '../support/store.ts'

const database = shared(serverDatabase)
const server = shared(() => startProcess(database.env))
let key: string
let client: Client<paths>
beforeAll(async () => {
  key = await database.firstKey()
  client = connect<paths>({ repeatable: [] }, { baseUrl: server.url, headers: { 'X-API-Key': key } })
})

test('a client made only of the package’s types uses the whole store', async () => {
  const category = await client.POST('/categories', { body: { name: 'Horses', description: 'Fast' } })
  const categoryId = category.data?.id ?? 0
  const pets = await client.POST('/pets/batch', {
    body: Array.from({ length: 7 }, (_, i) => ({ name: `Horse ${i}`, categoryId })),
  })
  expect(pets.data).toHaveLength(7)

  const names: string[] = []
  for await (const { name } of client.items('/pets', { query: { categoryId, limit: 3 } })) names.push(name)
  expect(names).toHaveLength(7)

  const petId = pets.data?.[0]?.id ?? 0
  const order = await client.POST('/store/orders', { body: { petId, quantity: 1 } })
  const orderId = order.data?.id ?? 0
  const done = await client.PATCH('/store/orders/{orderId}', {
    params: { path: { orderId } },
    body: { complete: true },
  })
  expect(done.data).toMatchObject({ complete: true })
  const item = await client.GET('/store/inventory/{petId}', { params: { path: { petId } } })
  expect(item.data).toEqual({ petId, quantity: 0, status: 'sold' })
})

test('a client, its links and the document work behind a prefix that a trusted proxy takes away', async () => {
  const store = await startStore({ trustProxy: true })
  const proxy = await startPrefixProxy(await store.port(), '/service')
  onTestFinished(async () => {
    proxy.close()
    await store.close()
  })
  const headers = { 'X-API-Key': store.key }
  for (const name of ['Dogs', 'Cats']) await store.call('createCategory', { body: { name } })
  const own = connect<paths>({ repeatable: [] }, { baseUrl: proxy.url, headers })
  const names: string[] = []
  for await (const { name } of own.items('/categories', { query: { limit: 1 } })) names.push(name)
  expect(names.length).toBeGreaterThan(1)
  const { response } = await own.GET('/categories', { params: { query: { limit: 1 } } })
  const [, next = ''] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
  expect((await fetch(new URL(next, response.url), { headers })).status).toBe(200)
  const document = await (await fetch(`${proxy.url}/openapi.json`)).text()
  expect(document).toContain(`"default":"${proxy.url}"`)
})

test('npm run demo shows the store to people', async () => {
  const args = ['scripts/petstore.ts', 'demo', '--url', server.url, '--key', key, '--animals', '30']
  const { stdout } = await promisify(execFile)('node', args)
  expect(stdout).toMatch(/█{40} 30\/30 animals/)
  expect(stdout).toContain('Went through 30 animals, page by page')
  expect(stdout).toContain('replayed: true')
  expect(stdout).toContain('refused with pet_not_available')
})
