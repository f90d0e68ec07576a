import type { QueryId } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Db } from '../../src/database/tables.ts'
import type { Caller } from '../../src/engine/access/caller.ts'
import { openBans } from '../../src/engine/limits/bans.ts'
import { createKeyCache } from '../../src/store/key-cache.ts'
import { banStore } from '../../src/store/limits.ts'
import { freshDatabase } from '../support/database.ts'
import { shared } from '../support/fixtures.ts'

const minute = 60_000
let time = Date.now()
const now = () => new Date(time)
const database = shared(freshDatabase)
// The bans of addresses are read by an interval; a test says when.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const stranger = (address: string): Caller => ({
  kind: 'address',
  address,
  counter: `address:${address}`,
  plan: 'Free',
  quotas: {},
  bannedUntil: null,
})
const quarter = () => new Date(time + 15 * minute)
const open = (db: Db) => openBans(15 * minute, banStore(db, createKeyCache(db, now)), now)

/** A database whose readings wait, between what they read and what they answer, until they are let go. */
function holding() {
  let gate: PromiseWithResolvers<void> | undefined
  const reached = Promise.withResolvers<void>()
  const readings = new WeakSet<QueryId>()
  const db = database.db.withPlugin({
    transformQuery({ node, queryId }) {
      if (node.kind === 'SelectQueryNode') readings.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (!gate || !readings.has(queryId)) return result
      reached.resolve()
      await gate.promise
      return result
    },
  })
  return {
    db,
    hold: () => {
      gate = Promise.withResolvers()
    },
    reached: reached.promise,
    letGo: () => {
      gate?.resolve()
      gate = undefined
    },
  }
}

test('a ban that is set while bans are being read stays in force', async () => {
  const { db, hold, reached, letGo } = holding()
  const bans = await open(db)
  hold()
  vi.advanceTimersByTime(4_000)
  await reached
  await bans.ban(stranger('203.0.113.1'), quarter())
  expect(bans.ofAddress('203.0.113.1')).toEqual(quarter())
  letGo()
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(bans.ofAddress('203.0.113.1')).toEqual(quarter())
  await bans.close()
})

test('a ban that another process sets or lifts counts with the next reading', async () => {
  const [here, there] = [await open(database.db), await open(database.db)]
  await there.ban(stranger('203.0.113.2'), quarter())
  expect(here.ofAddress('203.0.113.2')).toBeNull()
  vi.advanceTimersByTime(4_000)
  await expect.poll(() => here.ofAddress('203.0.113.2')).toEqual(quarter())
  await database.db.deleteFrom('address_bans').execute()
  vi.advanceTimersByTime(4_000)
  await expect.poll(() => there.ofAddress('203.0.113.2')).toBeNull()
  await here.close()
  await there.close()
})

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
  await bans.ban(stranger('203.0.113.3'), quarter())
  const key: Caller = { ...stranger(''), kind: 'key', keyId: 1, scopes: [], counter: 'key:1' }
  await bans.ban(key, quarter())
  vi.advanceTimersByTime(4_000)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect([bans.ofAddress('203.0.113.3'), bans.ofHolder(1, null)]).toEqual([quarter(), quarter()])
  isAway = false
  await bans.close()
  const next = await open(database.db)
  expect(next.ofAddress('203.0.113.3')).toEqual(quarter())
  await next.close()
})

test('a clock that is set back an hour makes no ban longer, and none comes back', async () => {
  const bans = await open(database.db)
  await bans.ban(stranger('203.0.113.4'), quarter())
  const stored = quarter()
  time -= 60 * minute
  for (const end of [bans.ofAddress('203.0.113.4'), bans.ofHolder(5, stored)]) expect(end).toEqual(quarter())
  time += 15 * minute
  vi.advanceTimersByTime(4_000)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect([bans.ofAddress('203.0.113.4'), bans.ofHolder(5, stored)]).toEqual([null, null])
  expect(bans.ofHolder(5, quarter())).toEqual(quarter()) // another ban is another
  await bans.close()
})
