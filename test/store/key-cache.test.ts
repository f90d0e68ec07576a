import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashKey, mintKey } from '../../src/keys/api-key.ts'
import { isDatabaseUnavailable } from '../../src/store/failures.ts'
import { createKeyCache } from '../../src/store/key-cache.ts'
import { freshDatabase } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'
import { issueKey } from '../support/store.ts'

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
      if (isAway) throw new Error('Connection terminated')
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

const turn = () => new Promise(resolve => setTimeout(resolve, 50))

test.each(['at once', 'later'])(
  'a key that changes while it is being read is read anew by who asks %s',
  async when => {
    const { db, hold, letGo } = controlled()
    const keys = createKeyCache(db, () => new Date())
    const secret = await issueKey(database.db)
    hold()
    const before = keys.find(hashKey(secret), from)
    await turn()
    const changed = await database.db
      .updateTable('api_keys')
      .set({ disabled: true })
      .where('hash', '=', hashKey(secret))
      .returning('id')
      .executeTakeFirstOrThrow()
    keys.forget([changed.id])
    const after = when === 'at once' ? keys.find(hashKey(secret), from) : before
    letGo()
    await before
    if (when === 'at once') expect(await after).toMatchObject({ disabled: true })
    expect(await keys.find(hashKey(secret), from)).toMatchObject({ disabled: true })
    await keys.close()
  },
)

test('while the database hangs, look-ups share one query and do not pile up without bound', async () => {
  const { db, queries, hold, letGo } = controlled()
  const keys = createKeyCache(db, () => new Date())
  hold()
  const found = Array.from({ length: 13_000 }, async () => keys.find(hashKey(mintKey()), from))
  const settled = Promise.allSettled(found)
  await turn()
  expect(queries()).toBeLessThanOrEqual(2)
  letGo()
  const refused = (await settled).filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(900)
  for (const { reason } of refused as PromiseRejectedResult[])
    expect(isDatabaseUnavailable(reason)).toBe(true)
  await keys.close()
})

test('whoever sends a key is looked up at once, however many others have sent theirs', async () => {
  const { db, queries, hold, letGo } = controlled()
  const keys = createKeyCache(db, () => new Date())
  const hashes = Array.from({ length: 10_001 }, () => hashKey(mintKey()))
  await sql`
    insert into api_keys (name, preview, hash, plan, scopes, created_at)
    select 'One of many', 'pet_live_…', hash, 'Free', '{read}', now()
    from unnest(${hashes}::text[]) as hash`.execute(database.db)
  const [last = '', ...others] = hashes
  await Promise.all(others.map((hash, i) => keys.find(hash, `address ${i}`)))
  const guess = async () => keys.find(hashKey(mintKey()), 'who guesses')
  await Promise.all(Array.from({ length: 10 }, guess))
  hold()
  const before = queries()
  const asked = [keys.find(last, 'another address'), guess()]
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(queries() - before).toBe(2) // one for the key, one for what may be guesses
  letGo()
  expect(await Promise.all(asked)).toEqual([expect.objectContaining({ hash: last }), undefined])
  await keys.close()
})

test('a known key is good for ten minutes without a database, and no longer', async () => {
  let time = Date.now()
  const { db, cut } = controlled()
  const keys = createKeyCache(db, () => new Date(time))
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
  const keys = createKeyCache(db, () => new Date(time))
  const hash = hashKey(await issueKey(database.db))
  const use = async (milliseconds: number) => {
    time += milliseconds
    return (await keys.find(hash, from))?.disabled
  }
  for (let second = 0; second < 12; second++) expect(await use(1_000)).toBe(false)
  expect(queries()).toBe(3)
  await database.db.updateTable('api_keys').set({ disabled: true }).where('hash', '=', hash).execute()
  expect(await use(5_000)).toBe(true)
  await keys.close()
})

test('keys that are read anew at once share a query', async () => {
  let time = Date.now()
  const { db, queries } = controlled()
  const keys = createKeyCache(db, () => new Date(time))
  const hashes = await Promise.all(
    Array.from({ length: 20 }, async () => hashKey(await issueKey(database.db))),
  )
  const findAll = () => Promise.all(hashes.map(hash => keys.find(hash, from)))
  await findAll()
  const before = queries()
  time += 60_000
  expect((await findAll()).map(key => key?.hash)).toEqual(hashes)
  expect(queries() - before).toBe(1)
  await keys.close()
})

test('while the database hangs, what is known goes on after a second', async () => {
  let time = Date.now()
  const { db, hold, letGo } = controlled()
  const keys = createKeyCache(db, () => new Date(time))
  const hash = hashKey(await issueKey(database.db))
  await keys.find(hash, from)
  time += 60_000
  hold()
  expect(await keys.find(hash, from)).toMatchObject({ hash })
  letGo()
  await keys.close()
})

test('a key that is used again before its time of last use is written waits for that once', async () => {
  let time = Date.now()
  let writes = 0
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'UpdateQueryNode') writes++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const cache = createKeyCache(db, () => new Date(time))
  const hash = hashKey(await issueKey(database.db))
  const key = await cache.find(hash, from)
  if (!key) throw new Error('The key is not found')
  const keys = [key, ...Array.from({ length: 2_499 }, (_, i) => ({ ...key, id: key.id + 1_000 + i }))]
  for (let minute = 0; minute < 4; minute++) {
    time += 60_000
    for (const one of keys) cache.use(one)
  }
  await cache.close()
  expect(writes).toBe(3) // of 1,000 keys each
  const { last_used_at: lastUsed } = await database.db
    .selectFrom('api_keys')
    .select('last_used_at')
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
  expect(lastUsed?.getTime()).toBe(Math.floor(time / 60_000) * 60_000)
})
