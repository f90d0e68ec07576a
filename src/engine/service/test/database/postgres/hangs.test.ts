import { sql } from 'kysely'
import { freshPostgres, type PostgresConfig } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { addPet, issueKey, startOn, type TestStore } from 'spec-served-lab/support/store'
import { startTcpProxy, type TcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../database/connect.ts'
import { migrateToLatest } from '../../../database/migrate.ts'

const owner = renewed(freshPostgres)
let config: PostgresConfig
let proxy: TcpProxy
let database: OpenDatabase
let store: Omit<TestStore, 'cut' | 'waitingForLocks'>

/** A query may take this and a second more. */
const statementTimeoutMs = 200
const connectTimeoutMs = 600
/** Far more than these together on a busy machine; what is not given up hangs for ever. */
const inTime = 15_000

beforeEach(async () => {
  proxy = await startTcpProxy(new URL(owner.config.url))
  const url = new URL(owner.config.url)
  url.port = String(proxy.port)
  config = { ...owner.config, url: url.href, poolSize: 2, connectTimeoutMs, statementTimeoutMs }
  database = await openDatabase(config)
  store = await startOn(database.db, { probe: database.probe })
})
afterEach(async () => {
  proxy.resume()
  await store.close()
  await database.close()
  await proxy.stop()
})

/** How long something takes, in ms, and what comes of it. */
async function timed<T>(work: Promise<T>): Promise<{ took: number; outcome: T }> {
  const start = performance.now()
  const outcome = await work
  return { took: performance.now() - start, outcome }
}

const health = (headers = {}) => timed(Promise.resolve(store.app.inject({ url: '/health', headers })))
const listPets = () => timed(store.call('listPets'))

/** The processes of the server that work for the service. */
async function backends(): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
    owner.db,
  )
  return rows.map(row => row.pid)
}

/** @param statuses that requests may be answered with meanwhile: new connections may work */
async function expectHang(statuses: number[]): Promise<void> {
  const probe = await health()
  expect(probe.outcome.statusCode).toBe(503)
  expect(probe.outcome.headers['retry-after']).toBeDefined()
  expect(probe.took).toBeLessThan(inTime)
  const requests = await Promise.all([listPets(), listPets(), listPets(), listPets()])
  for (const { took, outcome } of requests) {
    expect(statuses).toContain(outcome.status)
    if (outcome.status === 503) {
      expect(outcome.body).toMatchObject({ code: 'unavailable' })
      expect(Number(outcome.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect(took).toBeLessThan(inTime)
  }
}

describe('a network that is dead', () => {
  test('a dead network is answered with 503 in time, and its connections are given up', async () => {
    await listPets()
    proxy.stall()
    await expectHang([503])
    await expect.poll(() => proxy.connections()).toBe(0)
    proxy.resume()
    await expect.poll(async () => (await listPets()).outcome.status).toBe(200)
    await expect.poll(async () => (await health()).outcome.statusCode).toBe(200)
  })

  test('a dead network does not keep /health from answering a caller with an unknown key', async () => {
    const key = await issueKey(owner.db)
    proxy.stall()
    const { took, outcome } = await health({ 'x-api-key': key })
    expect(outcome.statusCode).toBe(503)
    expect(took).toBeLessThan(inTime)
  })

  test('a dead network does not keep /usage from telling a known key its limits', async () => {
    await store.call('getUsage')
    proxy.stall()
    const { took, outcome } = await timed(store.call('getUsage'))
    expect(outcome).toMatchObject({ status: 200, body: { plan: 'Enterprise' } })
    expect(outcome.body.deprecated).toBeUndefined()
    expect(took).toBeLessThan(inTime)
  })

  test('a dead network ends a transaction too, and its request may be repeated safely', async () => {
    const petId = await addPet(store.call, 1)
    const order = () =>
      store.call('placeOrder', { body: { petId, quantity: 1 }, headers: { 'idempotency-key': 'one' } })
    proxy.stall()
    const { took, outcome } = await timed(order())
    expect(outcome.status).toBe(503)
    expect(took).toBeLessThan(inTime)
    proxy.resume()
    expect((await order()).status).toBe(201)
    expect((await order()).headers['idempotent-replayed']).toBe('true')
  })

  test('a dead network does not keep the service from closing', async () => {
    const pending = listPets()
    await expect.poll(async () => (await backends()).length).toBeGreaterThan(0)
    proxy.stall()
    const { took } = await timed(database.close())
    expect(took).toBeLessThan(inTime)
    await pending
    proxy.resume()
    database = await openDatabase(config) // for the hook to close
  })

  test('a dead network is reported in time to whoever connects', async () => {
    proxy.stall()
    const { took } = await timed(expect(openDatabase(config)).rejects.toThrow(/timeout/))
    expect(took).toBeLessThan(inTime)
  })
})

test('stopped backends are answered with 503 in time, and replaced', async () => {
  await database.db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    await listPets()
  })
  const stopped = await backends()
  expect(stopped.length).toBeGreaterThan(2)
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  try {
    await expectHang([503, 200])
    await expect.poll(async () => (await listPets()).outcome.status).toBe(200)
    await expect.poll(async () => (await health()).outcome.statusCode).toBe(200)
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
  }
})

test('/health goes on while every connection waits for a lock', async () => {
  await listPets()
  await owner.db.transaction().execute(async trx => {
    await sql`lock table pets in access exclusive mode`.execute(trx)
    const waiting = [listPets(), listPets(), listPets()]
    const probe = await health()
    expect(probe.outcome.json()).toMatchObject({ status: 'ok' })
    expect(probe.took).toBeLessThan(inTime)
    for (const { outcome } of await Promise.all(waiting)) expect(outcome.status).toBe(503)
  })
})

test('a flood of /health asks the database one question at a time', async () => {
  proxy.stall()
  const { took, outcome: replies } = await timed(Promise.all(Array.from({ length: 100 }, () => health())))
  expect(replies.every(({ outcome }) => outcome.statusCode === 503)).toBe(true)
  expect(took).toBeLessThan(inTime)
  expect(proxy.connections()).toBeLessThanOrEqual(4)
})

test('a migration may wait longer than any other query', async () => {
  const waited = owner.db.transaction().execute(async trx => {
    await sql`lock table kysely_migration_lock in access exclusive mode`.execute(trx)
    await sql`select pg_sleep(${(statementTimeoutMs + 1_500) / 1_000})`.execute(trx)
  })
  expect(await migrateToLatest(database.db, service.migrations)).toEqual([])
  await waited
})
