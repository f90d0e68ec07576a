import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { paths } from 'petstore'
import { type Client, connect } from 'spec-served/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startProcess } from '../support/process.ts'

let directory: string
let server: RunningServer
let key: string
let client: Client<paths>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petstore-client-'))
  server = await startProcess({ DATA_DIR: directory })
  key = (await readFile(join(directory, 'api-key'), 'utf8')).trim()
  client = connect<paths>({ repeatable: [] }, { baseUrl: server.url, headers: { 'X-API-Key': key } })
})
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true })
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
    path: { orderId },
    body: { complete: true },
  })
  expect(done.data).toMatchObject({ complete: true })
  const item = await client.GET('/store/inventory/{petId}', { path: { petId } })
  expect(item.data).toEqual({ petId, quantity: 0, status: 'sold' })
})

test('npm run demo shows the store to people', async () => {
  const args = ['scripts/demo.ts', '--url', server.url, '--key', key, '--animals', '30']
  const { stdout } = await promisify(execFile)('node', args)
  expect(stdout).toMatch(/█{40} 30\/30 animals/)
  expect(stdout).toContain('Went through 30 animals, page by page')
  expect(stdout).toContain('replayed: true')
  expect(stdout).toContain('refused with pet_not_available')
  expect(stdout).toMatch(
    /\nThis stays in the store: the category \d+ \(Demo .*\), 30 animals in it, the order \d+\.\n$/,
  )
})

test('npm run demo says at once that no server answers', async () => {
  const args = ['scripts/demo.ts', '--url', 'http://127.0.0.1:9', '--key', key]
  const failed = await promisify(execFile)('node', args).catch(error => error)
  expect([failed.code, failed.stdout]).toEqual([1, 'A tour of http://127.0.0.1:9\n'])
  expect(failed.stderr).toBe(
    'Nobody answers at http://127.0.0.1:9. Start the server by `npm start`, or name another by --url.\n',
  )
})
