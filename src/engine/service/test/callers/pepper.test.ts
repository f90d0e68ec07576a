import { freshDatabase } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { startOn, type TestStore } from 'spec-served-lab/support/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sealHashes } from '../../callers/key-seals.ts'
import { createSeal, unsealed } from '../../callers/seal.ts'
import { checkPepper } from '../../process/startup-messages.ts'

const seal = createSeal('a pepper of more than 32 characters')
const another = createSeal('another one, of more than 32 characters')

const database = renewed(freshDatabase)
let open: { close(): Promise<void> }[]
beforeEach(async () => {
  open = []
})
afterEach(async () => {
  for (const store of open) await store.close()
})

async function start(with_: typeof seal) {
  const store = await startOn(database.db, { seal: with_ })
  open.push(store)
  return store
}
const body = { name: 'Shop', plan: 'Free', scopes: ['read'] } as const
const statusFor = async (store: Pick<TestStore, 'app'>, key: string) =>
  (await store.app.inject({ url: '/pets', headers: { 'x-api-key': key } })).statusCode
const hashes = async () =>
  (await database.db.selectFrom('api_keys').select('hash').orderBy('id').execute()).map(({ hash }) => hash)

test('a store that gets a pepper keeps its keys, and seals the new ones', async () => {
  const before = await start(unsealed)
  const old = (await before.call('createApiKey', { body })).body
  const rotated = (await before.call('rotateApiKey', { path: { keyId: old.id }, body: { overlapHours: 24 } }))
    .body
  expect(await checkPepper(database.db, unsealed)).toBeUndefined()
  expect((await hashes()).every(hash => /^[0-9a-f]{64}$/.test(hash))).toBe(true)

  const peppered = await start(seal)
  expect(await checkPepper(database.db, seal)).toMatch(/^3 API keys are stored without the pepper/) // each start makes one
  const fresh = (await peppered.call('createApiKey', { body })).body
  for (const { secret } of [old, rotated, fresh]) expect(await statusFor(peppered, secret)).toBe(200)
  expect((await hashes()).at(-1)).toMatch(/^hmac-sha256:[0-9a-f]{8}:[0-9a-f]{64}$/)
  await expect(checkPepper(database.db, unsealed)).rejects.toThrow('1 API keys are hashed with a pepper')
  await expect(checkPepper(database.db, another)).rejects.toThrow(/another pepper.*rotate/)

  expect(await sealHashes(database.db, seal)).toBe(3)
  expect((await hashes()).every(hash => hash.startsWith('hmac-sha256:'))).toBe(true)
  expect(await checkPepper(database.db, seal)).toBeUndefined()
  expect(await sealHashes(database.db, seal)).toBe(0)
  const later = await start(seal) // knows none of them yet
  for (const { secret } of [old, rotated, fresh]) expect(await statusFor(later, secret)).toBe(200)

  const successor = (
    await later.call('rotateApiKey', { path: { keyId: old.id }, body: { overlapHours: 24 } })
  ).body
  expect(await statusFor(later, old.secret)).toBe(401)
  for (const { secret } of [rotated, successor]) expect(await statusFor(later, secret)).toBe(200)
})

test('a sealed hash is no key', async () => {
  const store = await start(seal)
  const { secret } = (await store.call('createApiKey', { body })).body
  const other = await start(another)
  expect([await statusFor(store, secret), await statusFor(other, secret)]).toEqual([200, 401])
})

test('thousands of hashes are sealed, each differently', async () => {
  const { db } = database
  const row = (index: number) => ({
    name: `Key ${index}`,
    preview: 'pet_live_…',
    hash: index.toString(16).padStart(64, '0'),
    plan: 'Free' as const,
    quotas: null,
    scopes: ['read' as const],
    created_at: new Date(),
  })
  await db
    .insertInto('api_keys')
    .values(Array.from({ length: 2_500 }, (_, index) => row(index)))
    .execute()
  expect(await sealHashes(db, seal)).toBe(2_500)
  expect(new Set(await hashes()).size).toBe(2_500)
})
