import { shared } from 'spec-served-lab/support/fixtures'
import { addPet, startOn, startStore } from 'spec-served-lab/support/store'
import { expect, test, vi } from 'vitest'
import type { Database } from '../../database/tables.ts'

// Requests at once, how long a reply is kept, whose key counts where, another payload:
// src/engine/tools/check/probes/{lifetimes,retries,together}.ts.
const store = shared(() => startStore())

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const isReplayed = ({ headers }: { headers: Record<string, string> }) =>
  headers['idempotent-replayed'] === 'true'

test('a refusal is replayed too, and the key of an invalid request may be used again', async () => {
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

test('an order that another server carried out in the moment of its refusal is answered as carried out', async () => {
  await using other = await startOn(store.db)
  const petId = await addPet(store.call, 1)
  const order = { body: { petId, quantity: 2 }, headers: newKey() }
  const repeat = () =>
    other.request({
      method: 'POST',
      url: '/store/orders',
      headers: { ...order.headers, 'x-api-key': store.key },
      payload: order.body,
    })
  /** Adds stock and sends the order to the other server, between the rollback here and the note of the refusal. */
  const meanwhile = async () => {
    await other.call('updateInventory', { path: { petId }, body: { quantity: 5 } })
    expect((await repeat()).statusCode).toBe(201)
  }
  const db: Database = store.db
  const begin = db.transaction.bind(db)
  const transactions = vi.spyOn(db, 'transaction').mockImplementationOnce(() => {
    const builder = begin()
    const execute = builder.execute.bind(builder)
    builder.execute = work =>
      execute(work).catch(async error => {
        await meanwhile()
        throw error
      })
    return builder
  })
  const late = await store.call('placeOrder', order)
  transactions.mockRestore()
  expect([late.status, isReplayed(late)]).toEqual([201, true])
  const again = await repeat()
  expect([again.statusCode, again.json()]).toEqual([201, late.body])
})

test('an order that another server carries out in the moment before its transaction is carried out once', async () => {
  await using other = await startOn(store.db)
  const petId = await addPet(store.call, 5)
  const order = { body: { petId, quantity: 1 }, headers: newKey() }
  const headers = { ...order.headers, 'x-api-key': store.key }
  const first = () => other.request({ method: 'POST', url: '/store/orders', headers, payload: order.body })
  const db: Database = store.db
  const begin = db.transaction.bind(db)
  let placed: unknown
  const transactions = vi.spyOn(db, 'transaction').mockImplementationOnce(() => {
    const builder = begin()
    const execute = builder.execute.bind(builder)
    builder.execute = async work => {
      placed = (await first()).json()
      return execute(work)
    }
    return builder
  })
  const late = await store.call('placeOrder', order)
  transactions.mockRestore()
  expect([late.status, late.body, isReplayed(late)]).toEqual([201, placed, true])
  expect((await store.call('listOrders', { query: { petId } })).body).toEqual([placed])
})
