import { sql } from 'kysely'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { describe, expect, test } from 'vitest'
import { isFaultOfData } from '../../database/failures.ts'
import { countDeprecatedCalls } from '../../lifecycle/lifecycle.ts'
import { counterOf, openMemoryStore } from '../../limits/memory-store.ts'
import { joinSharedMemory } from '../../limits/shared-memory.ts'
import { removeEndedWindows, windowStore } from '../../limits/windows.ts'
import { type BatchWriterOptions, createBatchWriter, silent } from '../../runtime/batch-writer.ts'

const database = shared(freshDatabase)

const dayMs = 86_400_000

/** A log that a test can read. */
function collect() {
  const lines: string[] = []
  return {
    lines,
    log: { warn: (_: object, text: string) => lines.push(text), info: (text: string) => lines.push(text) },
  }
}

const fail = () => {
  throw new Error('The database is away')
}

/** Sums that are written when the test says so. */
function sums(options: Partial<BatchWriterOptions<string, number>>) {
  const written = new Map<string, number>()
  /** called before each write; what it throws the write fails with */
  const before = { write() {} }
  const behind = createBatchWriter<string, number>({
    what: 'Sums',
    everyMs: 60_000,
    merge: (earlier, later) => earlier + later,
    async write(batch) {
      before.write()
      for (const [key, value] of batch) written.set(key, (written.get(key) ?? 0) + value)
    },
    isFaultOfData: () => false,
    log: silent,
    ...options,
  })
  return { ...behind, written, before }
}

async function insertKey(name: string): Promise<number> {
  const { id } = await database.db
    .insertInto('api_keys')
    .values({ name, preview: '', hash: name, plan: 'Free', scopes: ['read'], created_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

test('a value that the database refuses is dropped alone, and the rest of its batch is written', async () => {
  const { lines, log } = collect()
  const quotas = createBatchWriter<string, { count: number; endsAt: number }>({
    what: 'Quotas',
    everyMs: 60_000,
    merge: (_, later) => later,
    write: batch => windowStore(database.db).save(batch),
    isFaultOfData,
    log,
    batchSize: 50,
  })
  const endsAt = Date.now() + dayMs
  for (let i = 0; i < 200; i++) quotas.note(`sane ${i}`, { count: i === 77 ? 2 ** 40 : i, endsAt })
  await quotas.flush()
  const rows = await database.db
    .selectFrom('limit_windows')
    .select('counter')
    .where('counter', 'like', 'sane %')
    .execute()
  expect(rows).toHaveLength(199)
  expect(lines).toEqual(['Quotas that the database refuses are dropped.'])
  await quotas.close()
})

test('any number of stored windows is read in parts, and handed over in parts to the process that counts', async () => {
  await using filled = await freshDatabase()
  let most = 0
  const db = filled.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      most = Math.max(most, result.rows.length)
      return result
    },
  })
  const many = 20_000
  await sql`
    insert into limit_windows (counter, count, ends_at)
    select '{address:' || i || '}:day', i, now() + i * interval '1 second' - interval '1 minute'
    from generate_series(1, ${many}::int) as i`.execute(filled.db)
  const limits = { windows: [{ name: 'day', seconds: dayMs / 1_000 }] }
  const memory = await openMemoryStore(limits, windowStore(db))
  const countOf = (i: number) => memory.look(counterOf(`address:${i}`, 'day'), dayMs).current
  expect([1, 1_000, 10_000, many].map(countOf)).toEqual([0, 1_000, 10_000, many])
  await memory.close()
  expect(most).toBe(5_000)

  const parts: number[] = []
  const counting = {
    count: async () => [],
    async begin(load: () => AsyncIterable<unknown[]>) {
      for await (const { length } of load()) parts.push(length)
    },
    onSave() {},
    async flush() {},
  }
  await joinSharedMemory(limits, counting, windowStore(db), Date.now)
  expect(parts.reduce((sum, length) => sum + length)).toBeGreaterThan(many - 200)
  expect(Math.max(...parts)).toBe(5_000)
})

test('calls counted during an outage are added up, not overwritten', async () => {
  const id = await insertKey('x')
  const calls = countDeprecatedCalls(database.db, {}, Date.now)
  calls.note(`key:${id}`, 'getPet')
  await sql`alter table deprecated_calls rename to away`.execute(database.db)
  await expect(calls.of(`key:${id}`)).rejects.toThrow()
  calls.note(`key:${id}`, 'getPet')
  calls.note(`key:${id}`, 'getPet')
  await sql`alter table away rename to deprecated_calls`.execute(database.db)
  expect(await calls.of(`key:${id}`)).toEqual(new Map([['getPet', 3]]))
  await calls.close()
})

test('calls before and after midnight are counted on their own days, although they are written together', async () => {
  const id = await insertKey('y')
  let clock = '2026-03-01T23:59:59.999Z'
  const calls = countDeprecatedCalls(database.db, {}, () => Date.parse(clock))
  calls.note(`key:${id}`, 'getPet')
  calls.note(`key:${id}`, 'getPet')
  clock = '2026-03-02T00:00:00Z'
  calls.note(`key:${id}`, 'getPet')
  calls.note(`key:${id}`, 'listPets')
  await calls.close()
  const rows = await database.db
    .selectFrom('deprecated_calls')
    .select(['operation_id', 'calls', sql<string>`day::text`.as('day')])
    .where('key_id', '=', id)
    .orderBy('day')
    .orderBy('operation_id')
    .execute()
  expect(rows).toEqual([
    { operation_id: 'getPet', calls: 2, day: '2026-03-01' },
    { operation_id: 'getPet', calls: 1, day: '2026-03-02' },
    { operation_id: 'listPets', calls: 1, day: '2026-03-02' },
  ])
})

describe('background writes', () => {
  test('a background write runs alone, and callers during one share the next', async () => {
    let underWay = 0
    let most = 0
    let writes = 0
    const behind = sums({
      everyMs: 1,
      async write() {
        most = Math.max(most, ++underWay)
        writes++
        await new Promise(resolve => setTimeout(resolve, 20))
        underWay--
      },
    })
    behind.note('a', 1)
    const first = behind.flush()
    await new Promise(setImmediate)
    behind.note('b', 1)
    await Promise.all([first, ...Array.from({ length: 50 }, () => behind.flush())])
    expect([most, writes]).toEqual([1, 2])
    await behind.close()
  })

  test('background values are kept through an outage, within a bound, and logged once', async () => {
    const { lines, log } = collect()
    const { written, before, ...behind } = sums({ capacity: 3, log })
    before.write = fail
    for (const key of ['a', 'b', 'c']) behind.note(key, 1)
    for (let tried = 0; tried < 3; tried++) await expect(behind.flush()).rejects.toThrow()
    expect(lines).toEqual(['Sums can’t be stored: they are kept, and tried again.'])
    for (const key of ['a', 'd', 'e']) behind.note(key, 1)
    before.write = () => {}
    await behind.flush()
    expect(Object.fromEntries(written)).toEqual({ a: 2, b: 1, c: 1 })
    behind.note('a', 1)
    await behind.close()
    expect(lines.slice(1)).toEqual(['Sums are stored again; 2 were dropped.'])
  })

  test('a background write retries after an outage in its midst, without the values written before', async () => {
    const { written, before, ...behind } = sums({ batchSize: 2 })
    let writes = 0
    before.write = () => {
      if (++writes === 2) fail()
    }
    for (const key of ['a', 'b', 'c', 'd', 'e']) behind.note(key, 1)
    await expect(behind.flush()).rejects.toThrow()
    behind.note('a', 1)
    await behind.close()
    expect(Object.fromEntries(written)).toEqual({ a: 2, b: 1, c: 1, d: 1, e: 1 })
  })

  test('the end waits for many batches, each of which finishes in time', async () => {
    const { lines, log } = collect()
    const written: string[] = []
    const behind = sums({
      log,
      batchSize: 1,
      closeWithinMs: 400,
      async write(batch) {
        await new Promise(resolve => setTimeout(resolve, 100))
        written.push(...batch.keys())
      },
    })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const name of names) behind.note(name, 1)
    await behind.close()
    expect([written, lines]).toEqual([names, []])
  })

  test('a background write does not delay the end while the database hangs', async () => {
    const { lines, log } = collect()
    const behind = sums({ log, write: () => new Promise(() => {}), closeWithinMs: 50 })
    behind.note('a', 1)
    await behind.close()
    expect(lines).toEqual(['Sums could not be stored before the end.'])
  })
})

test('windows that have ended are removed, and the table is read few times for any number of them', async () => {
  const { db } = database
  const many = 12_000
  await sql`
    insert into limit_windows (counter, count, ends_at)
    select 'ended ' || i, 1, to_timestamp(case when i % 4 = 0 then 4102444800 else 0 end)
    from generate_series(1, ${many}::int) as i`.execute(db)
  const read = await db.transaction().execute(async trx => {
    await removeEndedWindows(trx, new Date())
    const { rows } = await sql<{ count: number }>`
      select pg_stat_get_xact_tuples_returned('limit_windows'::regclass) as count`.execute(trx)
    return rows[0]?.count
  })
  const left = await db
    .selectFrom('limit_windows')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('counter', 'like', 'ended %')
    .executeTakeFirstOrThrow()
  expect(left.count).toBe(many / 4)
  expect(read).toBeLessThan(4 * many)
})
