import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { shared } from 'spec-served-lab/support/fixtures'
import type { Database } from 'spec-served-lab/support/petstore'
import { addPet, startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

/** It refuses what waits too long. */
const store = shared(() => startStore({ maxWaitMs: 25 }))

/** More than a service lets wait for each other. */
const many = 150

test('an animal that somebody is changing holds up its own orders and no others', async () => {
  const pets = await Promise.all(Array.from({ length: 6 }, () => addPet(store.call, 5)))
  const [locked = 0, ...others] = pets
  const order = (petId: number) => store.call('placeOrder', { body: { petId, quantity: 1 } })
  let isPlaced = false
  const db: Database = store.db
  const waiting = await db.transaction().execute(async trx => {
    await trx.updateTable('pets').set({ stock: 1 }).where('id', '=', locked).execute()
    const placed = order(locked).finally(() => {
      isPlaced = true
    })
    const replies = await Promise.all(others.map(order))
    expect(replies.map(({ status }) => status)).toEqual(others.map(() => 201))
    expect(isPlaced).toBe(false)
    return { placed }
  })
  expect(await waiting.placed).toMatchObject({ status: 201 })
  const { body } = await store.call('getInventoryItem', { path: { petId: locked } })
  expect(body).toMatchObject({ quantity: 0, status: 'pending' })
})

test.each([
  ['plain', () => ({})],
  ['repeatable', () => ({ headers: { 'idempotency-key': crypto.randomUUID() } })],
])('any number of %s orders of a locked animal hold up nothing else', async (_, more) => {
  const [locked = 0, other = 0] = await Promise.all([addPet(store.call, many), addPet(store.call, 5)])
  const order = (petId: number) => store.call('placeOrder', { body: { petId, quantity: 1 }, ...more() })
  const waiting = await store.db.transaction().execute(async trx => {
    await sql`select from pets where id = ${locked} for update`.execute(trx)
    const orders = Array.from({ length: many }, () => order(locked))
    // All of them wait for the animal, and the longest burst has passed.
    await expect.poll(() => store.waitingForLocks(), { interval: 20 }).toBeGreaterThanOrEqual(many - 1)
    await sleep(1_000)
    for (let round = 0; round < 3; round++) {
      // Each would wait for the end of this transaction, which waits for it.
      expect((await store.call('listCategories')).status).toBe(200)
      expect((await order(other)).status).toBe(201)
    }
    return { orders }
  })
  expect((await Promise.all(waiting.orders)).map(({ status }) => status)).toEqual(Array(many).fill(201))
})

test('a locked table holds up its own readers and writers alone', async () => {
  const petId = await addPet(store.call, 50)
  const waiting = await store.db.transaction().execute(async trx => {
    await sql`lock table pets in access exclusive mode`.execute(trx)
    const orders = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? store.call('listPets', { query: { limit: index + 1 } })
        : store.call('placeOrder', { body: { petId, quantity: 1 } }),
    )
    for (let round = 0; round < 3; round++) {
      expect((await store.call('listCategories')).status).toBe(200)
      expect((await store.call('createCategory', { body: { name: `Kind ${round}` } })).status).toBe(201)
    }
    return { orders }
  })
  for (const { status } of await Promise.all(waiting.orders)) expect([200, 201]).toContain(status)
})
