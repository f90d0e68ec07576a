import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import { freshPostgres, type PostgresConfig } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { startPgBouncer } from 'spec-served-lab/support/pgbouncer'
import { addPet, type Server, type StoreOptions, startOn } from 'spec-served-lab/support/store'
import { startTcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../database/connect.ts'

const owner = renewed(freshPostgres)
let closing: AsyncDisposableStack
beforeEach(() => {
  closing = new AsyncDisposableStack()
})
afterEach(() => closing.disposeAsync())

/** A store on the same database, by a way of its own. */
async function startBy(
  changes: Partial<PostgresConfig>,
  options: StoreOptions,
): Promise<{ store: Server; database: OpenDatabase }> {
  const database = await openDatabase({ ...owner.config, ...changes })
  closing.defer(database.close)
  const store = await startOn(database.db, { probe: database.probe, waiting: database.waiting, ...options })
  closing.use(store)
  return { store, database }
}

/** Waits until PostgreSQL runs nothing any more that the service has sent. */
async function settled(): Promise<void> {
  const busy = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
  await expect.poll(async () => (await busy.execute(owner.db)).rows[0]?.count).toBe(0)
}

const ordersOf = async (petIds: readonly number[]) =>
  (await owner.db.selectFrom('orders').select('id').where('pet_id', 'in', petIds).execute()).length

interface Reply {
  status: number
  body: object
}

/** Replies by what they tell: that it was done, that it was not, and that nobody knows. */
function told(replies: readonly Reply[]) {
  const count = (status: number) => replies.filter(reply => reply.status === status).length
  for (const { status, body } of replies) {
    const { message }: { message?: string } = body
    if (status === 503) expect(message).toMatch(/retry|later/)
    if (status === 500) expect(message).toMatch(/may have been carried out/)
  }
  const [done, refused, unknown] = [count(201), count(503), count(500)]
  expect(replies.filter(({ status }) => ![201, 503, 500].includes(status))).toEqual([])
  return { done, refused, unknown }
}

const plain = () => ({})
const keyed = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } })

test.each([
  ['plain', plain, 600],
  ['keyed', keyed, 2_500],
])(
  'of 1,200 %s orders at once over a network of 300 ms none is refused and carried out',
  async (...given) => {
    const [, more, handlerTimeoutMs] = given
    const proxy = await startTcpProxy(new URL(owner.config.url), undefined, 150)
    closing.defer(proxy.stop)
    const url = new URL(owner.config.url)
    url.port = String(proxy.port)
    const { store } = await startBy({ url: url.href }, { handlerTimeoutMs })
    const near = await startOn(owner.db)
    closing.use(near)
    const pets = await Promise.all(Array.from({ length: 3 }, () => addPet(near.call, 10_000)))
    // It connects, and reads the key.
    await expect.poll(async () => (await store.request('/categories')).statusCode).toBe(200)
    const order = async (petId: number): Promise<Reply> => {
      const reply = await store.request({
        ...{ method: 'POST', url: '/store/orders', payload: { petId, quantity: 1 }, ...more() },
      })
      return { status: reply.statusCode, body: reply.json() }
    }
    const replies = await Promise.all(
      Array.from({ length: 1_200 }, (_, index) => order(pets[index % 3] ?? 0)),
    )
    const { done, refused, unknown } = told(replies)
    expect(refused).toBeGreaterThan(0)
    await settled()
    const stored = await ordersOf(pets)
    expect(stored).toBeGreaterThanOrEqual(done)
    expect(stored).toBeLessThanOrEqual(done + unknown)
    expect(unknown).toBe(0)
  },
)

test('an animal that waits in vain for its category is not there later, and keeps none that came with it', async () => {
  const { store } = await startBy({}, { handlerTimeoutMs: 600 })
  const insert = sql<{ id: number }>`
    insert into categories (name, name_key) values ('Held', 'held'), ('Free', 'free') returning id`
  const { rows } = await insert.execute(owner.db)
  const [held, free] = rows.map(({ id }) => id)
  const add = (name: string, categoryId?: number) =>
    store.request({ method: 'POST', url: '/pets', payload: { name, categoryId } })
  await add('First', free)
  const replies = await owner.db.transaction().execute(async trx => {
    await sql`select from categories where id = ${held}::int for update`.execute(trx)
    return Promise.all([add('Held', held), add('A', free), add('B', free)])
  })
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([503, 201, 201])
  await settled()
  expect((await store.request(`/pets?categoryId=${held}`)).json()).toEqual([])
})

describe('a connection that is lost', () => {
  const lock = 79

  /** A store whose connections can be cut. */
  async function startCuttable() {
    const proxy = await startTcpProxy(new URL(owner.config.url))
    closing.defer(proxy.stop)
    const url = new URL(owner.config.url)
    url.port = String(proxy.port)
    const { store } = await startBy({ url: url.href }, {})
    const petId = await addPet(store.call, 10)
    const order = (more = {}) => store.call('placeOrder', { body: { petId, quantity: 1 }, ...more })
    return { proxy, petId, order }
  }

  /** Waits until a lock holds up PostgreSQL for longer than at the first try. Then the order runs on a connection of its own. */
  async function heldUp(): Promise<void> {
    const waiting = sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
      and query_start < clock_timestamp() - interval '300 ms'`
    await expect.poll(async () => (await waiting.execute(owner.db)).rows[0]?.count).toBe(1)
  }

  test('an order whose answer is lost is reported as one that may have been carried out', async () => {
    const { proxy, petId, order } = await startCuttable()
    const reply = await owner.db.transaction().execute(async trx => {
      await sql`lock table orders in access exclusive mode`.execute(trx)
      const ordered = order()
      await heldUp()
      proxy.cut()
      return ordered
    })
    expect(reply).toMatchObject({ status: 500, body: { message: expect.stringContaining('look before') } })
    await settled()
    expect(await ordersOf([petId])).toBe(1)
  })

  test('a keyed order whose commit is lost is reported so, and repeated safely', async () => {
    await sql`
      create function wait_at_commit() returns trigger language plpgsql as
      ${sql.lit(`begin perform pg_advisory_xact_lock(${lock}); return new; end`)}`.execute(owner.db)
    await sql`
      create constraint trigger wait_at_commit after insert on orders deferrable initially deferred
      for each row execute function wait_at_commit()`.execute(owner.db)
    const { proxy, petId, order } = await startCuttable()
    const headers = { 'idempotency-key': 'lost' }
    const reply = await owner.db.transaction().execute(async trx => {
      await sql`select pg_advisory_xact_lock(${lock})`.execute(trx)
      const ordered = order({ headers })
      await heldUp()
      proxy.cut()
      return ordered
    })
    expect(reply.status).toBe(500)
    expect(reply.body).toMatchObject({ message: expect.stringContaining('with the same Idempotency-Key') })
    await settled()
    const again = await order({ headers })
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(await ordersOf([petId])).toBe(1)
  })

  test('an order is refused whose transaction is lost before its commit', async () => {
    const { proxy, petId, order } = await startCuttable()
    const reply = await owner.db.transaction().execute(async trx => {
      await sql`lock table orders in access exclusive mode`.execute(trx)
      const ordered = order({ headers: { 'idempotency-key': 'open' } })
      await heldUp()
      proxy.cut()
      return ordered
    })
    expect(reply.status).toBe(503)
    await settled()
    expect(await ordersOf([petId])).toBe(0)
  })
})

test('an order whose client has left waits no longer for a connection, and is not placed', async () => {
  const { store, database } = await startBy({ poolSize: 4 }, {}) // transactions have one
  const near = await startOn(owner.db)
  closing.use(near)
  const petId = await addPet(near.call, 10)
  await store.request('/categories')
  await database.db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    const agent = new AbortController()
    const sent = fetch(`http://127.0.0.1:${await store.port()}/store/orders`, {
      method: 'POST',
      headers: { 'x-api-key': store.key, 'content-type': 'application/json', 'idempotency-key': 'left' },
      body: JSON.stringify({ petId, quantity: 1 }),
      signal: agent.signal,
    }).catch(() => {})
    await expect.poll(() => database.pool?.state().waiting).toBe(1)
    agent.abort()
    await sent
    await expect.poll(() => database.pool?.state().waiting).toBe(0)
  })
  await settled()
  expect(await ordersOf([petId])).toBe(0)
})

test('a wait for a connection is not reported as a database that does not answer', async () => {
  const { store, database } = await startBy({ poolSize: 1, connectTimeoutMs: 300 }, {})
  await store.request('/categories')
  await database.db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    const body = { name: 'Birds' }
    for (const headers of [{}, { 'idempotency-key': 'busy' }])
      expect((await store.call('createCategory', { body, headers })).body).toMatchObject({
        code: 'unavailable',
        message: 'Too much waits for the database; retry soon.',
      })
  })
})

const withBouncer = !spawnSync('pgbouncer', ['--version']).error
const ways = [
  ['direct', async () => owner.config.url],
  [
    'behind PgBouncer',
    async () => {
      const { pathname } = new URL(owner.config.url)
      const bouncer = await startPgBouncer(owner.config.url.slice(0, -pathname.length), 10)
      closing.defer(async () => bouncer[Symbol.dispose]())
      return `${bouncer.url}${pathname}`
    },
  ],
] as const satisfies readonly (readonly [string, () => Promise<string>])[]

describe.each(withBouncer ? ways : ways.slice(0, 1))('%s', (_, urlOf) => {
  test.each([
    ['plain', 'HANDLER_TIMEOUT_MS', plain, { handlerTimeoutMs: 400 }, {}],
    ['keyed', 'HANDLER_TIMEOUT_MS', keyed, { handlerTimeoutMs: 400 }, {}],
    ['plain', 'the time of a statement', plain, {}, { statementTimeoutMs: 300 }],
    ['keyed', 'the time of a statement', keyed, {}, { statementTimeoutMs: 300 }],
  ])('no %s order is refused and carried out whose row is locked for longer than %s', async (...given) => {
    const [, , more, options, changes] = given
    const { store } = await startBy({ url: await urlOf(), ...changes }, options)
    const near = await startOn(owner.db) // its time does not pass
    closing.use(near)
    const [locked, free] = [await addPet(near.call, 1_000), await addPet(near.call, 1_000)]
    const order = (petId: number) => store.call('placeOrder', { body: { petId, quantity: 1 }, ...more() })
    const replies = await owner.db.transaction().execute(async trx => {
      await sql`select from pets where id = ${locked} for update`.execute(trx)
      return Promise.all(Array.from({ length: 40 }, () => order(locked)))
    })
    expect(told(replies)).toEqual({ done: 0, refused: 40, unknown: 0 })
    await settled()
    expect(await ordersOf([locked])).toBe(0)
    // On a slow machine the time may pass without a lock, too.
    for (const petId of [locked, free]) await expect.poll(async () => (await order(petId)).status).toBe(201)
  })
})
