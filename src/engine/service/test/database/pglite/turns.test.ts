import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../database/connect.ts'

const statements = 300

test('sockets are looked at while many statements wait, so that new connections are accepted', async () => {
  const { db, close } = await openDatabase({ kind: 'embedded', dataDir: null })
  let looks = 0
  let isOver = false
  const look = () => {
    looks++
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const begun = performance.now()
  const work = sql`select count(*) from generate_series(1, 5000)`
  await Promise.all(Array.from({ length: statements }, () => work.execute(db)))
  const took = performance.now() - begun
  isOver = true
  await close()
  // Those that take long have a look each; the others share one every few milliseconds.
  expect(looks).toBeGreaterThan(Math.min(statements / 10, took / 50))
})
