import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Caller } from '../../service/callers/caller.ts'
import { createKeyCache } from '../../service/callers/key-cache.ts'
import type { Db } from '../../service/database/tables.ts'
import { openBans } from '../../service/limits/bans.ts'
import { banStore } from '../../service/limits/windows.ts'
import { freshDatabase } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'

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
      if (isAway && node.kind !== 'SelectQueryNode') throw new Error('Connection terminated')
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
