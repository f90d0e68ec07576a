import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPet, addPets, issueKey, startStore, type TestStore } from '../support/store.ts'

let store: TestStore
let time = Date.now()
beforeAll(async () => {
  store = await startStore({ now: () => new Date(time) })
})
afterAll(() => store.close())

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const ordersFor = async (petId: number) => (await store.call('listOrders', { query: { petId } })).body

describe('a POST with an Idempotency-Key', () => {
  test('happens once: its repetition gets the first reply, marked as such', async () => {
    const petId = await addPet(store.call, 5)
    const call = { body: { petId, quantity: 1 }, headers: newKey() }
    const first = await store.call('placeOrder', call)
    const second = await store.call('placeOrder', call)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(second.headers['idempotent-replayed']).toBe('true')
    expect([second.status, second.body, second.headers.location]).toEqual([
      201,
      first.body,
      first.headers.location,
    ])
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(await ordersFor(petId)).toHaveLength(1)
  })

  test('sent 20 times at once makes one order', async () => {
    const petId = await addPet(store.call, 50)
    const call = { body: { petId, quantity: 1 }, headers: newKey() }
    const replies = await Promise.all(Array.from({ length: 20 }, () => store.call('placeOrder', call)))
    for (const reply of replies) expect(reply.status).toBeOneOf([201, 409])
    for (const { body } of replies.filter(reply => reply.status === 409))
      expect(body.code).toBe('idempotency_key_in_use')
    expect((await store.call('placeOrder', call)).headers['idempotent-replayed']).toBe('true')
    expect(await ordersFor(petId)).toHaveLength(1)
  })

  test('takes the key quoted or bare for the same', async () => {
    const petId = await addPet(store.call, 5)
    const body = { petId, quantity: 1 }
    await store.call('placeOrder', { body, headers: { 'idempotency-key': '"same-8f2"' } })
    const second = await store.call('placeOrder', { body, headers: { 'idempotency-key': 'same-8f2' } })
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('repeats a refusal too, and begins anew after a failure of form', async () => {
    const petId = await addPet(store.call, 1)
    const refused = { body: { petId, quantity: 2 }, headers: newKey() }
    expect((await store.call('placeOrder', refused)).status).toBe(409)
    await store.call('updateInventory', { path: { petId }, body: { quantity: 5 } })
    const again = await store.call('placeOrder', refused)
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([409, 'true'])

    const headers = newKey()
    expect((await store.call('placeOrder', { body: { petId, quantity: 0 }, headers })).status).toBe(400)
    expect((await store.call('placeOrder', { body: { petId, quantity: 1 }, headers })).status).toBe(201)
  })

  test('a refused batch leaves nothing, and its key is repeated', async () => {
    const { categoryId } = await addPets(store.call)
    const call = {
      body: [
        { name: 'A', categoryId },
        { name: 'B', categoryId: 999_999 },
      ],
      headers: newKey(),
    }
    expect((await store.call('createPets', call)).status).toBe(409)
    expect((await store.call('createPets', call)).headers['idempotent-replayed']).toBe('true')
    expect((await store.call('listPets', { query: { categoryId } })).body).toEqual([])
  })

  test('belongs to its sender and its operation', async () => {
    const petId = await addPet(store.call, 5)
    const call = { body: { petId, quantity: 1 }, headers: newKey() }
    await store.call('placeOrder', call)
    const other = { ...call, headers: { ...call.headers, 'x-api-key': await issueKey(store.db) } }
    expect((await store.call('placeOrder', other)).headers['idempotent-replayed']).toBeUndefined()
    const category = { body: { name: `Kind ${petId}` }, headers: call.headers }
    expect((await store.call('createCategory', category)).status).toBe(201)
    expect(await ordersFor(petId)).toHaveLength(2)
  })

  test('is remembered for 24 hours', async () => {
    const petId = await addPet(store.call, 5)
    const call = { body: { petId, quantity: 1 }, headers: newKey() }
    await store.call('placeOrder', call)
    time += 86_400_000 - 1000
    expect((await store.call('placeOrder', call)).headers['idempotent-replayed']).toBe('true')
    time += 1000
    expect((await store.call('placeOrder', call)).headers['idempotent-replayed']).toBeUndefined()
    expect(await ordersFor(petId)).toHaveLength(2)
  })

  test('shows a new secret again, though the database can’t', async () => {
    const call = { body: { name: 'Key', plan: 'Free', scopes: ['read'] }, headers: newKey() }
    const first = await store.call('createApiKey', call)
    expect((await store.call('createApiKey', call)).body).toEqual(first.body)
    const rows = await store.db.selectFrom('idempotent_replies').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(first.body.secret)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(first.body.secret).toString('base64').slice(3, 20))
  })

  describe('repeated with the new secret after its key was rotated', () => {
    /** A key of its own, and what its requests say. */
    async function administrator() {
      const secret = await issueKey(store.db, { plan: 'Business' })
      const keys = (await store.call('listApiKeys', { query: { limit: 100 } })).body
      const keyId = keys.at(-1)?.id ?? 0
      return { keyId, as: (key: string, more = {}) => ({ headers: { 'x-api-key': key, ...more } }), secret }
    }

    test('gets the first reply, as long as that holds no secret', async () => {
      const { keyId, as, secret } = await administrator()
      const petId = await addPet(store.call, 5)
      const [taken, refused] = [newKey(), newKey()]
      const body = { petId, quantity: 1 }
      const first = await store.call('placeOrder', { body, ...as(secret, taken) })
      const tooMany = { body: { petId, quantity: 9 } }
      await store.call('placeOrder', { ...tooMany, ...as(secret, refused) })
      const rotated = await store.call('rotateApiKey', {
        path: { keyId },
        body: { overlapHours: 0 },
        ...as(secret),
      })
      const again = await store.call('placeOrder', { body, ...as(rotated.body.secret, taken) })
      expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
        201,
        first.body,
        'true',
      ])
      const refusedAgain = await store.call('placeOrder', { ...tooMany, ...as(rotated.body.secret, refused) })
      expect([refusedAgain.status, refusedAgain.headers['idempotent-replayed']]).toEqual([409, 'true'])
      const other = { petId, quantity: 2 }
      const reused = await store.call('placeOrder', { body: other, ...as(rotated.body.secret, taken) })
      expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
      expect(await ordersFor(petId)).toHaveLength(1)
    })

    test('is told that it was done, where the reply holds a secret, and does nothing again', async () => {
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
  })

  test.each(['', 'x'.repeat(256)])('with a bad key (%#) is a 400', async key => {
    const reply = await store.call('createCategory', {
      body: { name: 'Bad' },
      headers: { 'idempotency-key': key },
    })
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: '/header/idempotency-key' }] } })
  })
})
