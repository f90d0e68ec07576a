import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { hashKey } from 'spec-served-lab/support/keys'
import { issueKey } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { createKeyCache } from '../../callers/key-cache.ts'
import { DatabaseUnavailable } from '../../database/failures.ts'

const database = shared(freshDatabase)

const from = '203.0.113.1'

/** The database, whose answers wait while they are held, and which fails when told. */
function controlled() {
  let gate: PromiseWithResolvers<void> | undefined
  let isAway = false
  let queries = 0
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') queries++
      if (isAway) throw new DatabaseUnavailable('Cut by the test')
      return node
    },
    async transformResult({ result }) {
      await gate?.promise
      return result
    },
  })
  return {
    db,
    /** for keys */
    queries: () => queries,
    hold: () => {
      gate = Promise.withResolvers()
    },
    letGo: () => {
      gate?.resolve()
      gate = undefined
    },
    cut: () => {
      isAway = true
    },
  }
}

test('a known key works for ten minutes without a database, and no longer', async () => {
  let time = Date.now()
  const { db, cut } = controlled()
  const keys = createKeyCache(db, () => time)
  const secret = await issueKey(database.db)
  await keys.find(hashKey(secret), from)
  cut()
  time += 599_000
  expect(await keys.find(hashKey(secret), from)).toBeDefined()
  time += 2_000
  await expect(keys.find(hashKey(secret), from)).rejects.toThrow()
  await keys.close()
})

test('a key that is used all the time is read every few seconds, and a change elsewhere counts within five', async () => {
  let time = Date.now()
  const { db, queries } = controlled()
  const keys = createKeyCache(db, () => time)
  const hash = hashKey(await issueKey(database.db))
  const use = async (milliseconds: number) => {
    time += milliseconds
    return (await keys.find(hash, from))?.disabled
  }
  for (let second = 0; second < 12; second++) expect(await use(1_000)).toBe(false)
  expect(queries()).toBe(3)
  await database.db.updateTable('api_keys').set({ disabled: true }).where('hash', '=', hash).execute()
  for (let second = 0; second < 4; second++) await use(1_000)
  expect(await use(1_000)).toBe(true)
  await keys.close()
})

test('a key that was revoked while it was being read is not remembered', async () => {
  const { db, hold, letGo, queries } = controlled()
  const keys = createKeyCache(db, Date.now)
  const hash = hashKey(await issueKey(database.db))
  hold()
  const reading = keys.find(hash, from)
  await expect.poll(queries).toBe(1)
  const revoked = await database.db.deleteFrom('api_keys').where('hash', '=', hash).returning('id').execute()
  keys.forget(revoked.map(({ id }) => id))
  letGo()
  expect(await reading).toMatchObject({ hash }) // it was asked for before
  expect(await keys.find(hash, from)).toBeUndefined()
  await keys.close()
})

test('the last use is kept to the minute, and written by the end', async () => {
  const keys = createKeyCache(database.db, () => Date.parse('2026-11-21T12:34:56Z'))
  const key = await keys.find(hashKey(await issueKey(database.db)), from)
  if (key) keys.use(key)
  await keys.close()
  const used = database.db.selectFrom('api_keys').select('last_used_at').where('last_used_at', 'is not', null)
  expect(await used.execute()).toEqual([{ last_used_at: new Date('2026-11-21T12:34:00Z') }])
})

test('a known key goes on after a second while the database hangs', async () => {
  let time = Date.now()
  const { db, hold, letGo } = controlled()
  const keys = createKeyCache(db, () => time)
  const hash = hashKey(await issueKey(database.db))
  await keys.find(hash, from)
  time += 60_000
  hold()
  expect(await keys.find(hash, from)).toMatchObject({ hash })
  letGo()
  await keys.close()
})
