import { sql } from 'kysely'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { freshPostgres, type PostgresConfig } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { type Handlers, type Server, startOn } from 'spec-served-lab/support/store'
import { startTcpProxy, type TcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase, openMigrated } from '../../../database/connect.ts'

const owner = renewed(freshPostgres)
let closing: AsyncDisposableStack
beforeEach(() => {
  closing = new AsyncDisposableStack()
})
afterEach(() => closing.disposeAsync())

/** The wait of `listPets` in its transaction; undefined: it does not wait. */
let asleep: { begun(): void; ended: Promise<unknown> } | undefined

/** Sleeps in a transaction, or on a connection that other reads share. */
const handlers: Handlers = {
  listCategories: async (_, { db }) => {
    const sleep = sql`pg_sleep(600)`.as('slept')
    return { status: 200, body: await db.selectNoFrom(sleep).execute() }
  },
  listPets: async (_, { db }) =>
    db.transaction().execute(async trx => {
      await sql`select 1`.execute(trx)
      asleep?.begun()
      await asleep?.ended
      await sql`select 1`.execute(trx)
      return { status: 200, body: [] }
    }),
}

interface Outage {
  store: Server
  proxy: TcpProxy
  close(): Promise<void>
}

/** Starts a store that reaches its database by a proxy. @param more other hosts, behind a comma */
async function start(changes: Partial<PostgresConfig> = {}, more = ''): Promise<Outage> {
  const proxy = await startTcpProxy(new URL(changes.url ?? owner.config.url))
  const url = new URL(changes.url ?? owner.config.url)
  url.port = String(proxy.port)
  const database = await openDatabase({
    ...{ ...owner.config, connectTimeoutMs: 60_000, statementTimeoutMs: 120_000, ...changes },
    url: url.href.replace(url.host, url.host + more),
  })
  const store = await startOn(database.db, { probe: database.probe, waiting: database.waiting, handlers })
  closing.defer(proxy.stop)
  closing.defer(database.close)
  closing.defer(store.close)
  return { store, proxy, close: database.close }
}

/** Sends a request whose transaction waits, and returns how it ends. */
async function whileAsleep(store: Server, run: () => unknown) {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  asleep = { begun: begun.resolve, ended: ended.promise }
  try {
    const reply = store.call('listPets')
    await Promise.race([begun.promise, reply])
    await run()
    ended.resolve()
    return await reply
  } finally {
    ended.resolve()
    asleep = undefined
  }
}

const noAnswer = {
  status: 503,
  body: { code: 'unavailable', message: expect.stringMatching(/^The database does not answer/) },
}
const tooMuch = {
  status: 503,
  body: { code: 'unavailable', message: expect.stringMatching(/^Too much waits/) },
}

test.each<[outage: string, more: string, end: (outage: Outage) => unknown]>([
  ['a server that refuses connections', '', ({ proxy }) => proxy.stop()],
  ['a host that nobody knows', ',nope.invalid', ({ proxy }) => proxy.stop()],
  ['a pool that is closed', '', ({ close }) => close()],
])('%s is answered with 503', async (_, more, end) => {
  const outage = await start({}, more)
  expect((await outage.store.call('listInventory')).status).toBe(200)
  await end(outage)
  expect(await outage.store.call('listPets')).toMatchObject(noAnswer) // in a transaction
  expect(await outage.store.call('listInventory')).toMatchObject(noAnswer)
})

test.each<[loss: string, end: (outage: Outage) => unknown]>([
  ['cut', ({ proxy }) => proxy.cut()],
  [
    'ended by the server',
    () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(owner.db),
  ],
])('a connection that is %s in a transaction is answered with 503', async (_, end) => {
  const outage = await start()
  expect(await whileAsleep(outage.store, () => end(outage))).toMatchObject(noAnswer)
  expect((await outage.store.call('listInventory')).status).toBe(200)
})

test('a read that waits for a connection for too long is answered with 503, and why', async () => {
  const { store } = await start({ poolSize: 4, connectTimeoutMs: 500 }) // reads have one
  const slow = store.call('listCategories')
  const sleeping = sql`from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  const count = sql<{ count: number }>`select count(*)::int as count ${sleeping}`
  await expect.poll(async () => (await count.execute(owner.db)).rows).toEqual([{ count: 1 }])
  expect(await store.call('listInventory')).toMatchObject(tooMuch)
  await sql`select pg_cancel_backend(pid) ${sleeping}`.execute(owner.db)
  expect((await slow).status).toBe(503)
})

test('a server that has no connection left is answered with 503', async () => {
  const role = `role_${crypto.randomUUID().replaceAll('-', '')}`
  const run = (statement: string) => sql`${sql.raw(statement)}`.execute(owner.db)
  await run(`create role ${role} login password 'secret'`)
  closing.defer(async () => {
    await run(`drop owned by ${role}`)
    await run(`drop role ${role}`)
  })
  for (const kind of ['tables', 'sequences'])
    await run(`grant all on all ${kind} in schema public to ${role}`)
  const url = Object.assign(new URL(owner.config.url), { username: role, password: 'secret' })
  const { store, proxy } = await start({ url: url.href })
  await run(`alter role ${role} connection limit 0`)
  proxy.cut()
  await expect.poll(() => store.call('listPets')).toMatchObject(noAnswer)
  await run(`alter role ${role} connection limit -1`)
  expect((await store.call('listInventory')).status).toBe(200)
})

test('a server that stops, and lets nobody in, is answered with 503', async () => {
  await using server = await startPostgres()
  const url = `${server.url}/postgres`
  const { db, close } = await openMigrated({ ...owner.config, url }, service.migrations)
  closing.defer(close)
  const { store, proxy } = await start({ url })
  await db.transaction().execute(async trx => {
    await sql`select 1`.execute(trx)
    process.kill(server.pid(), 'SIGTERM') // it waits for the sessions that there are
    proxy.cut()
    await expect.poll(() => store.call('listPets')).toMatchObject(noAnswer)
  })
})
