import { readFile } from 'node:fs/promises'
import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { expect, onTestFinished, test } from 'vitest'

let fails: () => unknown
const store = shared(() => startStore({ handlers: { listPets: async () => fails() as never } }))

test.each<[fault: string, fails: () => unknown]>([
  ['a TypeError', () => JSON.parse('null').name],
  ['a missing file', () => readFile('/nowhere/at/all')],
  ['a refused connection to another server', () => fetch('http://127.0.0.1:9')],
  ...[
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'PGlite is closed',
    'driver has already been destroyed',
  ].map((message): [string, () => unknown] => [`“${message}”`, () => Promise.reject(new Error(message))]),
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', '08-15', '53rd'].map(
    (code): [string, () => unknown] => [
      `an error with the code ${code}`,
      () => Promise.reject(Object.assign(new Error('Of another server'), { code })),
    ],
  ),
])('%s of a handler is its fault, and no outage of the database', async (_, fault) => {
  fails = fault
  expect(await store.call('listPets')).toMatchObject({ status: 500, body: { code: 'internal_error' } })
})

test('a database that the service has closed is answered with 503', async () => {
  const server = await startStore()
  onTestFinished(server.close)
  expect((await server.call('listPets')).status).toBe(200)
  const under = server.call('listPets')
  await server.cut()
  expect([200, 503]).toContain((await under).status)
  for (let i = 0; i < 2; i++)
    expect(await server.call('listPets')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect((await server.call('getHealth')).status).toBe(503)
})
