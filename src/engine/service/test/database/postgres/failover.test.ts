import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { freshPostgres, startFollower } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { addPet, startOn } from 'spec-served-lab/support/store'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, openMigrated } from '../../../database/connect.ts'
import { isDatabaseUnavailable } from '../../../database/failures.ts'
import { openReplicas } from '../../../database/replicas.ts'

const database = shared(freshPostgres)
const follower = shared(startFollower)

test('a server that takes no writes is answered with 503, and left for one that does', async () => {
  const { config } = database
  const name = new URL(config.url).pathname.slice(1)
  const setReadOnly = (value: string) =>
    database.db
      .transaction()
      .setAccessMode('read write')
      .execute(trx =>
        sql.raw(`alter database ${name} set default_transaction_read_only = ${value}`).execute(trx),
      )
  const opened = await openDatabase({ ...config, poolSize: 2 })
  const store = await startOn(opened.db)
  onTestFinished(async () => {
    await store.close()
    await opened.close()
  })
  const petId = await addPet(store.call, 5)
  const attempts = [
    () => store.call('placeOrder', { body: { petId, quantity: 1 } }), // in a transaction
    () => store.call('updatePet', { path: { petId }, body: { name: 'Max' } }),
    () => store.call('createCategory', { body: { name: `Kind ${crypto.randomUUID()}` } }),
  ]
  // Only sessions that begin from now on are told.
  await setReadOnly('on')
  opened.pool?.breakOff()
  await expect.poll(async () => (await store.call('listPets')).status).toBe(200)
  for (const attempt of attempts) {
    const { status, headers } = await attempt()
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
  await setReadOnly('off')
  // A connection that was opened meanwhile is left at its first refusal.
  for (const attempt of attempts) await expect.poll(async () => (await attempt()).status).toBeLessThan(300)
})

test('a connection that leads to a replica is given up at once, and the failure passes', async () => {
  const config = { ...database.config, url: `${follower.url}/postgres` }
  const failure = await openDatabase(config).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: '25006' })
  expect(isDatabaseUnavailable(failure)).toBe(true)
  await expect(openMigrated(config, service.migrations)).rejects.toThrow(
    'it takes no writes; correct DATABASE_URL, which is to lead to the primary',
  )
})

test('readers notice nothing when a replica takes over before DATABASE_URL leads to it', async () => {
  const first = await startPostgres()
  onTestFinished(first.stop)
  const second = await startPostgres(undefined, first)
  onTestFinished(second.stop)
  const place = { ...database.config, url: `${first.url}/postgres` }
  const opened = await openMigrated(place, service.migrations)
  const { pool } = opened
  if (!pool) throw new Error('This is for PostgreSQL')
  const replicas = openReplicas(pool, place, [`${second.url}/postgres`], { warn() {}, info() {} })
  const store = await startOn(opened.db, { replicas })
  onTestFinished(async () => {
    await store.close()
    await replicas.close()
    await opened.close()
  })
  await expect.poll(() => replicas.state().inUse).toBe(1)
  const answers: string[] = []
  let isOver = false
  const read = async () => {
    while (!isOver) {
      const { statusCode, body } = await store.request(`/pets?limit=${1 + (answers.length % 100)}`)
      answers.push(statusCode === 200 ? '200' : body)
      await sleep(1)
    }
  }
  const readers = [read(), read(), read(), read()]
  await expect.poll(() => answers.length).toBeGreaterThan(100)
  await first.kill()
  await sleep(1_500)
  await second.execute('select pg_promote()')
  const before = answers.length
  await sleep(1_500)
  isOver = true
  await Promise.all(readers)
  expect(answers.length).toBeGreaterThan(before + 100)
  expect(new Set(answers)).toEqual(new Set(['200']))
  expect(replicas.state().inUse).toBe(1)
})
