import { expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { addPet, issueKey, startStore } from '../support/store.ts'

// How long a reply is kept, whose key counts where, and another payload: scripts/contract/probes/{lifetimes,retries}.ts.
const store = shared(() => startStore())

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const ordersFor = async (petId: number) => (await store.call('listOrders', { query: { petId } })).body
const isReplayed = ({ headers }: { headers: Record<string, string> }) =>
  headers['idempotent-replayed'] === 'true'

test('a POST that is sent 20 times at once with one Idempotency-Key makes one order', async () => {
  const petId = await addPet(store.call, 50)
  const call = { body: { petId, quantity: 1 }, headers: newKey() }
  const replies = await Promise.all(Array.from({ length: 20 }, () => store.call('placeOrder', call)))
  for (const { status, body } of replies)
    expect([status, body.code]).toBeOneOf([
      [201, undefined],
      [409, 'idempotency_key_in_use'],
    ])
  expect(isReplayed(await store.call('placeOrder', call))).toBe(true)
  expect(await ordersFor(petId)).toHaveLength(1)
})

test('a refusal is repeated too, and what follows a failure of form begins anew', async () => {
  const petId = await addPet(store.call, 1)
  const refused = { body: { petId, quantity: 2 }, headers: newKey() }
  expect((await store.call('placeOrder', refused)).status).toBe(409)
  await store.call('updateInventory', { path: { petId }, body: { quantity: 5 } })
  const again = await store.call('placeOrder', refused)
  expect([again.status, isReplayed(again)]).toEqual([409, true])

  const headers = newKey()
  expect((await store.call('placeOrder', { body: { petId, quantity: 0 }, headers })).status).toBe(400)
  expect((await store.call('placeOrder', { body: { petId, quantity: 1 }, headers })).status).toBe(201)
})

test('a new secret is shown again, though the database can’t show it', async () => {
  const call = { body: { name: 'Key', plan: 'Free', scopes: ['read'] }, headers: newKey() }
  const { secret } = (await store.call('createApiKey', call)).body
  expect((await store.call('createApiKey', call)).body.secret).toBe(secret)
  const rows = JSON.stringify(await store.db.selectFrom('idempotent_replies').selectAll().execute())
  expect(rows).not.toContain(secret)
  expect(rows).not.toContain(Buffer.from(secret).toString('base64').slice(3, 20))
})

/** A key of its own, and what its requests say. */
async function administrator() {
  const secret = await issueKey(store.db, { plan: 'Business' })
  const keyId = (await store.call('listApiKeys', { query: { limit: 100 } })).body.at(-1)?.id ?? 0
  return { keyId, as: (key: string, more = {}) => ({ headers: { 'x-api-key': key, ...more } }), secret }
}

test('the new secret of a rotated key gets the first reply, as long as that holds no secret', async () => {
  const { keyId, as, secret } = await administrator()
  const petId = await addPet(store.call, 5)
  const [taken, refused] = [newKey(), newKey()]
  const place = (quantity: number, key: string, more: object) =>
    store.call('placeOrder', { body: { petId, quantity }, ...as(key, more) })
  const first = await place(1, secret, taken)
  await place(9, secret, refused)
  const path = { keyId }
  const { body } = await store.call('rotateApiKey', { path, body: { overlapHours: 0 }, ...as(secret) })
  const again = await place(1, body.secret, taken)
  expect([again.status, again.body, isReplayed(again)]).toEqual([201, first.body, true])
  const refusedAgain = await place(9, body.secret, refused)
  expect([refusedAgain.status, isReplayed(refusedAgain)]).toEqual([409, true])
  const reused = await place(2, body.secret, taken)
  expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  expect(await ordersFor(petId)).toHaveLength(1)
})

test('where the reply holds a secret, the new secret is told that it was done, and nothing is done again', async () => {
  const { keyId, as, secret } = await administrator()
  const key = newKey()
  const call = { path: { keyId }, body: { overlapHours: 1 } }
  const first = await store.call('rotateApiKey', { ...call, ...as(secret, key) })
  const again = await store.call('rotateApiKey', { ...call, ...as(first.body.secret, key) })
  expect(again).toMatchObject({ status: 422, body: { code: 'idempotent_reply_sealed' } })
  const repeated = await store.call('rotateApiKey', { ...call, ...as(secret, key) })
  expect(repeated.body).toEqual(first.body)
  expect((await store.call('listPets', as(first.body.secret))).status).toBe(200)
})
