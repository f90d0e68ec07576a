import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { databaseKind, freshDatabase } from 'spec-served-lab/support/database'
import { addPet, startOn } from 'spec-served-lab/support/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../database/connect.ts'
import { temporaryDirectory } from '../../testing/temporary.ts'

let database: OpenDatabase
let store: Awaited<ReturnType<typeof startOn>>
/** Keeps the database from storing anything, while it goes on answering. */
let freeze: () => Promise<void>
let thaw: () => Promise<void>
let remove: () => Promise<void>
beforeEach(async () => {
  if (databaseKind === 'pglite') {
    const root = temporaryDirectory()
    const [dataDir, elsewhere] = [join(root, 'data'), join(root, 'elsewhere')]
    database = await openDatabase({ kind: 'embedded', dataDir: await dataDirectory(dataDir) })
    freeze = async () => renameSync(dataDir, elsewhere)
    thaw = async () => renameSync(elsewhere, dataDir)
    remove = async () => {
      await database.close()
      rmSync(root, { recursive: true })
    }
  } else {
    const fresh = await freshDatabase()
    database = fresh
    const alter = async (change: string) => {
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db)
      await database.db.transaction().execute(async trx => {
        await sql`set transaction read write`.execute(trx)
        await sql`alter database ${sql.id(rows[0]?.name ?? '')} ${sql.raw(change)}`.execute(trx)
      })
    }
    freeze = async () => {
      await alter('set default_transaction_read_only = on')
      // Sessions have it from their beginning.
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db)
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.db).catch(() => {})
    }
    thaw = () => alter('reset default_transaction_read_only')
    remove = fresh.close
  }
  store = await startOn(database.db, { probe: database.probe })
})
afterEach(async () => {
  await store.close()
  await remove()
})

const health = () => store.call('getHealth')
const order = (petId: number) => store.call('placeOrder', { body: { petId, quantity: 1 } })
const says = (body: unknown) => JSON.stringify(body)

test('/health reports a database that stores nothing, even if nobody writes, and its recovery', async () => {
  expect(await health()).toMatchObject({ status: 200 })
  await freeze()
  await expect.poll(async () => (await health()).status).toBe(503)
  await expect
    .poll(async () => says((await health()).body))
    .toMatch(/stores nothing: (its files are gone|it can only be read)/)
  await thaw()
  await expect.poll(async () => (await health()).status).toBe(200)
})

test('a write that is not stored is a 503 that says so, and /health reports it at once', async () => {
  const petId = await addPet(store.call, 9)
  await order(petId)
  await freeze()
  // Pages that are open already can be written for a while. An animal is on other pages.
  const refused = async () => {
    const reply = await store.call('createPets', {
      body: Array.from({ length: 100 }, () => ({ name: 'Rex '.repeat(20), categoryId: 1 })),
    })
    expect([201, 503]).toContain(reply.status)
    return reply
  }
  await expect
    .poll(async () => says((await refused()).body), { interval: 0 })
    .toContain('The database can’t store anything now')
  expect(await health()).toMatchObject({ status: 503 })
  await thaw()
  await expect.poll(async () => (await health()).status).toBe(200)
  await expect.poll(async () => (await order(petId)).status).toBe(201)
})

test('/health reports a full disk until something new is stored', async () => {
  expect(await health()).toMatchObject({ status: 200 })
  const petId = await addPet(store.call, 9)
  await sql`
    create function refuse() returns trigger language plpgsql as
    ${sql.lit("begin raise exception 'No space left on device' using errcode = '53100'; end")}`.execute(
    database.db,
  )
  await sql`create trigger refuse before insert on orders execute function refuse()`.execute(database.db)
  const reply = await order(petId)
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(says(reply.body)).toContain('can’t store anything now')
  expect(says(reply.body)).not.toContain('does not answer')
  const answer = await health()
  expect(answer).toMatchObject({ status: 503 })
  expect(says(answer.body)).toContain('The database stores nothing: its disk is full.')
  await expect.poll(async () => (await health()).status).toBe(200)
})
