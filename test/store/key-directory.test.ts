import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashKey, mintKey } from '../../src/keys/api-key.ts'
import { isDatabaseUnavailable } from '../../src/store/failures.ts'
import { createKeyDirectory } from '../../src/store/key-directory.ts'
import { freshDatabase, type TestDatabase } from '../support/database.ts'
import { issueKey } from '../support/store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

const from = () => '203.0.113.1'

/** The database, whose answers wait while they are held, and which fails when told. */
function controlled() {
  let gate: PromiseWithResolvers<void> | undefined
  let isAway = false
  let queries = 0
  let questions = 0
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') queries++
      else if (node.kind === 'RawNode') questions++
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
    /** what has changed, above all */
    questions: () => questions,
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
    const directory = createKeyDirectory(db, () => new Date())
    const secret = await issueKey(database.db)
    hold()
    const before = directory.find(hashKey(secret), from)
    await turn()
    const changed = await database.db
      .updateTable('api_keys')
      .set({ disabled: true })
      .where('hash', '=', hashKey(secret))
      .returning('id')
      .executeTakeFirstOrThrow()
    directory.forget([changed.id])
    const after = when === 'at once' ? directory.find(hashKey(secret), from) : before
    letGo()
    await before
    if (when === 'at once') expect(await after).toMatchObject({ disabled: true })
    expect(await directory.find(hashKey(secret), from)).toMatchObject({ disabled: true })
    await directory.close()
  },
)

test('while the database hangs, look-ups share one query and do not pile up without bound', async () => {
  const { db, queries, hold, letGo } = controlled()
  const directory = createKeyDirectory(db, () => new Date())
  hold()
  const found = Array.from({ length: 13_000 }, async () => directory.find(hashKey(mintKey()), from))
  const settled = Promise.allSettled(found)
  await turn()
  expect(queries()).toBeLessThanOrEqual(2)
  letGo()
  const refused = (await settled).filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(900)
  for (const { reason } of refused as PromiseRejectedResult[])
    expect(isDatabaseUnavailable(reason)).toBe(true)
  await directory.close()
})

test('whoever sends a key is looked up at once, however many others have sent theirs', async () => {
  const { db, queries, hold, letGo } = controlled()
  const directory = createKeyDirectory(db, () => new Date())
  const hashes = Array.from({ length: 10_001 }, () => hashKey(mintKey()))
  await sql`
    insert into api_keys (name, preview, hash, plan, scopes, created_at)
    select 'One of many', 'pet_live_…', hash, 'Free', '{read}', now()
    from unnest(${hashes}::text[]) as hash`.execute(database.db)
  const [last = '', ...others] = hashes
  await Promise.all(others.map((hash, i) => directory.find(hash, () => `address ${i}`)))
  const guess = async () => directory.find(hashKey(mintKey()), () => 'who guesses')
  await Promise.all(Array.from({ length: 10 }, guess))
  hold()
  const before = queries()
  const asked = [directory.find(last, () => 'another address'), guess()]
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(queries() - before).toBe(2) // one for the key, one for what may be guesses
  letGo()
  expect(await Promise.all(asked)).toEqual([expect.objectContaining({ hash: last }), undefined])
  await directory.close()
})

test('a known key is good for ten minutes without a database, and no longer', async () => {
  let time = Date.now()
  const { db, cut } = controlled()
  const directory = createKeyDirectory(db, () => new Date(time))
  const secret = await issueKey(database.db)
  await directory.find(hashKey(secret), from)
  cut()
  time += 599_000
  expect(await directory.find(hashKey(secret), from)).toBeDefined()
  time += 2_000
  await expect(directory.find(hashKey(secret), from)).rejects.toThrow()
  await directory.close()
})

test('a key that is used all the time is read once, until somebody changes it', async () => {
  let time = Date.now()
  const { db, queries, questions } = controlled()
  const directory = createKeyDirectory(db, () => new Date(time))
  const hash = hashKey(await issueKey(database.db))
  /** Uses it for so long, and waits until changes have been asked for since. */
  const use = async (milliseconds: number) => {
    time += milliseconds
    const before = questions()
    const key = await directory.find(hash, from)
    await expect.poll(questions).toBeGreaterThan(before)
    await turn()
    return key
  }
  await use(0)
  expect(queries()).toBe(1)
  await use(4_001) // what was read before the first question is read once more
  expect(queries()).toBe(2)
  for (let i = 0; i < 3; i++) expect(await use(3_000)).toMatchObject({ disabled: false })
  expect(queries()).toBe(2)
  await database.db.updateTable('api_keys').set({ disabled: true }).where('hash', '=', hash).execute()
  expect(await use(0)).toMatchObject({ disabled: false })
  expect(await use(0)).toMatchObject({ disabled: true })
  expect(queries()).toBe(3)
  await directory.close()
})

test('after a pause one question tells of all keys together; only those that have changed are read', async () => {
  let time = Date.now()
  const { db, queries, questions, hold, letGo } = controlled()
  const directory = createKeyDirectory(db, () => new Date(time))
  const hashes = await Promise.all(
    Array.from({ length: 20 }, async () => hashKey(await issueKey(database.db))),
  )
  const findAll = () => Promise.all(hashes.map(async hash => directory.find(hash, from)))
  /** How many queries for keys it takes to find all of them after a pause. */
  const findLater = async () => {
    const before = queries()
    time += 60_000
    await findAll()
    return queries() - before
  }
  await findAll()
  await expect.poll(findLater).toBe(0) // once that was asked for the first time, and each was read since
  const [changed = ''] = hashes
  await database.db.updateTable('api_keys').set({ disabled: true }).where('hash', '=', changed).execute()
  const asked = questions()
  expect(await findLater()).toBe(1)
  expect(questions()).toBeGreaterThan(asked)
  expect((await findAll()).map(key => key?.disabled)).toEqual(hashes.map(hash => hash === changed))
  time += 60_000
  hold() // what is known does while the question hangs
  expect((await findAll()).map(key => key?.hash)).toEqual(hashes)
  letGo()
  await directory.close()
})

test('nothing is asked of the database while no key is used', async () => {
  const { db, questions } = controlled()
  const directory = createKeyDirectory(db, () => new Date())
  await directory.find(hashKey(mintKey()), from)
  await expect.poll(questions).toBe(1)
  await new Promise(resolve => setTimeout(resolve, 2_200))
  expect(questions()).toBe(1)
  await directory.close()
})

test('a key that is used again before its time of last use is written waits for that once', async () => {
  let time = Date.now()
  let writes = 0
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'RawNode' && node.sqlFragments.join('').includes('set last_used_at')) writes++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const directory = createKeyDirectory(db, () => new Date(time))
  const hash = hashKey(await issueKey(database.db))
  const key = await directory.find(hash, from)
  if (!key) throw new Error('The key is not found')
  const keys = [key, ...Array.from({ length: 2_499 }, (_, i) => ({ ...key, id: key.id + 1_000 + i }))]
  for (let minute = 0; minute < 4; minute++) {
    time += 60_000
    for (const one of keys) directory.use(one)
  }
  await directory.close()
  expect(writes).toBe(3) // of 1,000 keys each
  const { last_used_at: lastUsed } = await database.db
    .selectFrom('api_keys')
    .select('last_used_at')
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
  expect(lastUsed?.getTime()).toBe(Math.floor(time / 60_000) * 60_000)
})
