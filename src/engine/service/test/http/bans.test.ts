import { sql } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Caller } from '../../callers/caller.ts'
import { createKeyCache } from '../../callers/key-cache.ts'
import { DatabaseUnavailable } from '../../database/failures.ts'
import type { Db } from '../../database/tables.ts'
import { openBans } from '../../limits/bans.ts'
import { banStore } from '../../limits/windows.ts'

const minute = 60_000
const time = Date.now()
const now = () => new Date(time)
const database = shared(freshDatabase)
// The bans of addresses are read by an interval; a test says when.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const anonymous = (address: string): Caller => ({
  kind: 'address',
  address,
  counter: `address:${address}`,
  plan: 'Free',
  quotas: {},
  bannedUntil: null,
})
const quarter = () => new Date(time + 15 * minute)
const open = (db: Db) =>
  openBans(
    15 * minute,
    banStore(
      db,
      createKeyCache(db, () => time),
    ),
    now,
  )

test('a ban that could not be stored is in force, and stored when the database is back', async () => {
  let isAway = true
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      if (isAway && node.kind !== 'SelectQueryNode') throw new DatabaseUnavailable('Cut by the test')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const bans = await open(db)
  await bans.ban(anonymous('203.0.113.3'), quarter())
  const key: Caller = {
    ...anonymous(''),
    kind: 'key',
    scheme: 'ApiKey',
    keyId: 1,
    scopes: [],
    counter: 'key:1',
  }
  await bans.ban(key, quarter())
  vi.advanceTimersByTime(4_000)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect([bans.ofAddress('203.0.113.3'), bans.ofHolder('key:1', null)]).toEqual([quarter(), quarter()])
  isAway = false
  await bans.close()
  const next = await open(database.db)
  expect(next.ofAddress('203.0.113.3')).toEqual(quarter())
  await next.close()
})

test('any number of stored bans is read in parts, and after that only those that are new', async () => {
  await using filled = await freshDatabase()
  const counts = { statements: 0, rows: 0, most: 0 }
  const db = filled.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const { length } = result.rows
      counts.statements++
      counts.rows += length
      counts.most = Math.max(counts.most, length)
      return result
    },
  })
  const many = 300_000
  await sql`
    insert into address_bans (address, banned_until, changed_at)
    select 'stored ' || i, ${quarter()}::timestamptz, now() - interval '1 hour' + i * interval '1 ms'
    from generate_series(1, ${many}::int) as i`.execute(filled.db)
  const bans = await open(db)
  expect(bans.ofAddress(`stored ${many}`)).toEqual(quarter())
  expect(bans.ofAddress('stored 1')).toBeNull() // memory is for the latest
  expect(counts.rows).toBeLessThan(260_000)
  expect(counts.most).toBeLessThanOrEqual(5_000)

  Object.assign(counts, { statements: 0, rows: 0, most: 0 })
  for (let round = 0; round < 3; round++) {
    await filled.db
      .insertInto('address_bans')
      .values({ address: `new ${round}`, banned_until: quarter() })
      .execute()
    vi.advanceTimersByTime(4_000)
    await expect.poll(() => bans.ofAddress(`new ${round}`)).toEqual(quarter())
  }
  expect(counts.rows).toBeLessThan(50)
  expect(counts.statements).toBeLessThan(50)

  // One that is lifted ends, once a caller has met it.
  await sql`delete from address_bans where address = ${`stored ${many}`}`.execute(filled.db)
  expect(bans.ofAddress(`stored ${many}`)).toEqual(quarter())
  vi.advanceTimersByTime(4_000)
  await expect.poll(() => bans.ofAddress(`stored ${many}`)).toBeNull()
  await bans.close()
})

test('a ban that another process stores again has its last end', async () => {
  await using common = await freshDatabase()
  const [first, second] = [await open(common.db), await open(common.db)]
  for (const minutes of [5, 10]) {
    const until = new Date(time + minutes * minute)
    await second.ban(anonymous('203.0.113.9'), until)
    vi.advanceTimersByTime(4_000)
    await expect.poll(() => first.ofAddress('203.0.113.9')).toEqual(until)
  }
  await first.close()
  await second.close()
})
