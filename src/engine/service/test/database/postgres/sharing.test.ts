import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { freshPostgres, type PostgresConfig } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import type { Tables } from 'spec-served-lab/support/petstore'
import { type Database, type OpenStore, openStore } from 'spec-served-lab/support/tables'
import { startTcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isDatabaseUnavailable } from '../../../database/failures.ts'
import { type Arrays, type Parameter, rowsOf, statementsOn } from '../../../database/statements.ts'
import { OutcomeUnknown } from '../../../errors/api-error.ts'
import { Writes, writesOfRequest } from '../../../runtime/writes.ts'

const owner = renewed(freshPostgres)
let opened: OpenStore[]
beforeEach(async () => {
  opened = []
  await owner.db
    .insertInto('categories')
    .values(Array.from({ length: 20 }, (_, index) => ({ name: `Kind ${index}`, name_key: `kind ${index}` })))
    .execute()
})
afterEach(async () => {
  for (const database of opened) await database.close()
})

async function open(changes: Partial<PostgresConfig> = {}, onConnectionLost?: (error: Error) => void) {
  const database = await openStore({ ...owner.config, ...changes }, onConnectionLost)
  opened.push(database)
  return database.db
}

const find = (db: Database, id: number) =>
  db.selectFrom('categories').select('name').where('id', '=', id).executeTakeFirst()
const findMany = (db: Database, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => find(db, 1 + (index % 20))))
const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Kind ${index % 20}` }))
/** Each time another text, of which nobody knows how long it takes. */
const orders = (db: Database) =>
  db.selectFrom('orders').select('id').where('id', '>', sql.lit(texts++)).execute()
let texts = 0
const rename = (db: Database, id: number, name: string) =>
  db.updateTable('categories').set({ name }).where('id', '=', id).execute()

const columns = ['name', 'name_key'] as const
const { joinable } = statementsOn<Tables>()
type NewCategory = { name: string; name_key: string }
const insertion = joinable(
  (db, value: Parameter<NewCategory>) =>
    db
      .insertInto('categories')
      .values({ name: value('name'), name_key: value('name_key') })
      .returning('name'),
  (db, value: Parameter<Arrays<NewCategory>>) => {
    const rows = rowsOf<NewCategory, 'rows'>('rows', {
      name: { type: 'text', values: value('name') },
      name_key: { type: 'text', values: value('name_key') },
    })
    return db
      .insertInto('categories')
      .columns(columns)
      .expression(db.selectFrom(rows).select(columns))
      .returning('name')
  },
)
/** Inserts that go out as one statement where they are sent in one turn. */
const insertJoined = async (db: Database, name: string) => {
  const [row] = await insertion(db, { name, name_key: name.toLowerCase() })
  return row?.name
}
const insertAlone = (db: Database, name: string) =>
  db.insertInto('categories').values({ name, name_key: name.toLowerCase() }).execute()

/** The processes of the server whose last statement is about a table. */
async function backendsOf(table: string): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and query like ${`%"${table}"%`} and query !~ '^(insert|lock)'`.execute(owner.db)
  return rows.map(row => row.pid)
}

/** The processes of the server that wait to write to a table. */
async function writersOf(table: string): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like ${`insert into "${table}"%`}`.execute(owner.db)
  return rows.map(row => row.pid)
}

async function killed(table: string): Promise<void> {
  let pids: number[] = []
  while (pids.length === 0) pids = await backendsOf(table)
  await killAll(pids)
}

async function killAll(pids: number[]): Promise<void> {
  for (const pid of pids) await sql`select pg_terminate_backend(${pid}::int)`.execute(owner.db)
}

/** Holds a lock on a table that keeps even readers out. */
async function whileLocked<T>(table: string, run: () => Promise<T>): Promise<T> {
  return owner.db.transaction().execute(async trx => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx)
    return run()
  })
}

describe('reads', () => {
  test('reads of any number of callers travel on few connections, and each gets its own answer', async () => {
    const db = await open()
    expect(await findMany(db, 200)).toEqual(names(200))
    expect((await backendsOf('categories')).length).toBeLessThanOrEqual(2)
  })

  test('reads that are asked for after a change show it, even beside earlier ones', async () => {
    const db = await open()
    await findMany(db, 20)
    const before = Promise.all(Array.from({ length: 30 }, () => find(db, 1)))
    for (let tick = 0; tick < 50; tick++) await null
    // While another process changes it, the turn of the event loop goes on.
    const change = `update categories set name = 'Renamed' where id = 1`
    const program = `import pg from 'pg'
      const client = new pg.Client(process.argv[1])
      await client.connect()
      await client.query(process.argv[2])
      await client.end()`
    execFileSync(process.execPath, ['--input-type=module', '-e', program, owner.config.url, change])
    expect(await find(db, 1)).toEqual({ name: 'Renamed' })
    await before
  })

  test('a read that fails gets the server’s message, and no other read fails', async () => {
    const db = await open()
    const bad = sql`select name from categories where id = ${'x'}`.execute(db)
    const [found] = await Promise.all([
      findMany(db, 20),
      expect(bad).rejects.toMatchObject({ code: '22P02' }),
    ])
    expect(found).toEqual(names(20))
  })

  test('reads survive, however often the server forgets their statements', async () => {
    const db = await open({ poolSize: 1 })
    for (let round = 0; round < 5; round++) {
      expect(await findMany(db, 20)).toEqual(names(20))
      await sql`deallocate all`.execute(db)
    }
    await rename(db, 1, 'Renamed')
    await sql`deallocate all`.execute(db)
    await rename(db, 1, 'Renamed again')
    expect(await find(db, 1)).toEqual({ name: 'Renamed again' })
  })

  test('a read is repeated once when its connection is killed, whoever waits on it', async () => {
    const db = await open()
    const reading = whileLocked('orders', async () => {
      const reads = Promise.all([orders(db), findMany(db, 50)])
      await killed('orders')
      return { reads }
    })
    expect(await (await reading).reads).toEqual([[], names(50)])
  })

  test('fast reads are not held up by slow ones, on however many connections', async () => {
    const db = await open()
    const slow = await whileLocked('orders', async () => {
      const reads: Promise<unknown>[] = []
      for (let round = 0; round < 4; round++) {
        reads.push(orders(db))
        expect(await findMany(db, 20)).toEqual(names(20))
      }
      return reads
    })
    expect(await Promise.all(slow)).toEqual([[], [], [], []])
  })

  test('a read fails alone at the deadline when its backend hangs', async () => {
    const db = await open({ statementTimeoutMs: 200 })
    await find(db, 1)
    const [pid = 0] = await backendsOf('categories')
    process.kill(pid, 'SIGSTOP')
    try {
      const found = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => find(db, index + 1)))
      const failures = found.filter(outcome => outcome.status === 'rejected')
      expect(failures).toHaveLength(1)
      expect(failures[0]?.reason).toMatchObject({ code: 'ETIMEDOUT' })
      expect(await findMany(db, 20)).toEqual(names(20))
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test('a read that the server ends for taking too long fails alone', async () => {
    const db = await open({ statementTimeoutMs: 300 })
    await whileLocked('orders', async () => {
      const slow = orders(db)
      const [found] = await Promise.all([
        findMany(db, 20),
        expect(slow).rejects.toMatchObject({ code: '57014' }),
      ])
      expect(found).toEqual(names(20))
    })
  })

  test('pending reads are answered before the database closes', async () => {
    const { db, close } = await openStore(owner.config)
    const found = findMany(db, 50)
    await find(db, 1)
    await close()
    expect(await found).toEqual(names(50))
    await expect(find(db, 1)).rejects.toSatisfy(isDatabaseUnavailable)
  })

  test('reads share a single connection with transactions', async () => {
    const db = await open({ poolSize: 1, connectTimeoutMs: 3_000 })
    const renamed = Array.from({ length: 20 }, (_, index) =>
      db.transaction().execute(trx => rename(trx as unknown as Database, index + 1, `New ${index}`)),
    )
    await Promise.all([findMany(db, 100), ...renamed, findMany(db, 100)])
    expect(await findMany(db, 20)).toEqual(names(20).map((_, index) => ({ name: `New ${index}` })))
  })
})

describe('writes', () => {
  test('writes are never repeated, and a killed one leaves nothing behind', async () => {
    const db = await open()
    const failure = await whileLocked('categories', async () => {
      let isOver = false
      const write = rename(db, 1, 'Renamed').catch((error: unknown) => error)
      void write.then(() => {
        isOver = true
      })
      // It may move to another connection meanwhile.
      while (!isOver) {
        await killAll(await backendsOf('categories'))
        await sleep(10)
      }
      return write
    })
    expect(isDatabaseUnavailable(failure)).toBe(true)
    expect(await find(db, 1)).toEqual({ name: 'Kind 0' })
    expect(await rename(db, 1, 'Renamed')).toMatchObject([{ numUpdatedRows: 1n }])
  })

  test.each([
    ['alone', insertAlone],
    ['as one', insertJoined],
  ])(
    'writes of a killed backend, sent %s, fail and are not repeated, and acknowledged ones are there',
    async (...way) => {
      const db = await open()
      const counted = Array.from({ length: 60 }, (_, i) => `Counted ${i}`)
      const insert = (name: string): Promise<unknown> => way[1](db, name)
      await Promise.all(counted.slice(0, 30).map(insert))
      const later = await whileLocked('categories', async () => {
        let isLost = false
        const inserts = counted.slice(30).map(insert)
        for (const one of inserts)
          one.catch(() => {
            isLost = true
          })
        // Those that wait for the lock move to another connection meanwhile.
        while (!isLost) {
          await killAll(await writersOf('categories'))
          await sleep(10)
        }
        return { inserts: Promise.allSettled(inserts) }
      })
      const settled = await later.inserts
      const rows = await owner.db
        .selectFrom('categories')
        .select('name')
        .where('name', 'like', 'Counted %')
        .execute()
      const stored = new Set(rows.map(({ name }) => name))
      expect(stored.size).toBe(rows.length)
      expect([...stored]).toEqual(expect.arrayContaining(counted.slice(0, 30)))
      expect(settled.some(({ status }) => status === 'rejected')).toBe(true)
      for (const [i, outcome] of settled.entries())
        if (outcome.status === 'fulfilled') expect(stored).toContain(counted[30 + i])
        else expect(isDatabaseUnavailable(outcome.reason)).toBe(true)
    },
  )

  test('writes that wait for a row keep no reader waiting', async () => {
    const db = await open()
    const held = await owner.db.transaction().execute(async trx => {
      await sql`update categories set name = 'Held' where id = 1`.execute(trx)
      const writes = Promise.all([rename(db, 1, 'A'), rename(db, 1, 'B'), rename(db, 1, 'C')])
      expect(await findMany(db, 20)).toEqual(names(20))
      return { writes }
    })
    await held.writes
  })
})

describe('inserts that go out as one statement', () => {
  /** A database whose connections are open. Each of those that are not yet takes what comes first. */
  async function openAtWork(changes?: Partial<PostgresConfig>) {
    const db = await open(changes)
    await insertJoined(db, 'First')
    return db
  }

  test('inserts of one turn are one transaction, and each gets its own rows', async () => {
    const db = await openAtWork()
    const sent = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? `"A", ${i}` : `{A} ${i}`))
    expect(await Promise.all(sent.map(name => insertJoined(db, name)))).toEqual(sent)
    const { rows } = await sql<{ count: number }>`
      select count(distinct xmin::text)::int as count from categories where name like '%A%'`.execute(owner.db)
    expect(rows[0]?.count).toBe(1)
  })

  test('one that is refused is refused alone', async () => {
    const db = await openAtWork()
    const inserts = ['A', 'Kind 0', 'B', 'Kind 1'].map(name => insertJoined(db, name))
    expect(await Promise.allSettled(inserts)).toMatchObject([
      { value: 'A' },
      { reason: { code: '23505' } },
      { value: 'B' },
      { reason: { code: '23505' } },
    ])
  })

  test('one that waits for a lock keeps no other waiting', async () => {
    const db = await openAtWork()
    const held = await owner.db.transaction().execute(async trx => {
      await insertAlone(trx as unknown as Database, 'Held')
      const waiting = insertJoined(db, 'Held').catch((error: unknown) => error)
      expect(await Promise.all([insertJoined(db, 'A'), insertJoined(db, 'B')])).toEqual(['A', 'B'])
      return { waiting }
    })
    expect(await held.waiting).toMatchObject({ code: '23505' })
  })

  test('inserts in a transaction go with it alone', async () => {
    const db = await openAtWork()
    const failing = db.transaction().execute(async trx => {
      await insertJoined(trx as unknown as Database, 'Undone')
      throw new Error('Undo it')
    })
    const [outcome, added] = await Promise.allSettled([failing, insertJoined(db, 'Done')])
    expect([outcome.status, added]).toEqual(['rejected', { status: 'fulfilled', value: 'Done' }])
    const { rows } = await sql`select name from categories where name like '%one'`.execute(owner.db)
    expect(rows).toEqual([{ name: 'Done' }])
  })

  test('one whose request is refused before it is sent is not sent, and what came with it is', async () => {
    const db = await openAtWork()
    const writes = new Writes(() => false)
    const refused = writesOfRequest.run(writes, () => insertJoined(db, 'Refused'))
    const added = insertJoined(db, 'Added')
    for (let tick = 0; tick < 50; tick++) await null
    writes.refuse(new Error('Too late'))
    await expect(refused).rejects.toThrow('Too late')
    expect(await added).toBe('Added')
    expect(writes.areNone).toBe(true)
    const { rows } = await sql`select name from categories where name in ('Refused', 'Added')`.execute(
      owner.db,
    )
    expect(rows).toEqual([{ name: 'Added' }])
  })

  test('all fail at the deadline that one of them does not meet, and none is there', async () => {
    const db = await openAtWork({ statementTimeoutMs: 300 })
    const outcomes = await whileLocked('categories', () =>
      Promise.allSettled(['A', 'B'].map(name => insertJoined(db, name))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([insertJoined(db, 'A'), insertJoined(db, 'B')])).toEqual(['A', 'B'])
  })
})

describe('a transaction', () => {
  const insert = (db: Pick<Database, 'insertInto'>, name: string) =>
    db.insertInto('categories').values({ name, name_key: name.toLowerCase() }).execute()
  const isThere = async (name: string) =>
    (await owner.db.selectFrom('categories').select('id').where('name', '=', name).execute()).length > 0

  test('a transaction that can’t begin runs nothing, even when its first failure is ignored', async () => {
    const db = await open()
    // Kysely knows this level, PostgreSQL does not.
    const begin = () => db.transaction().setIsolationLevel('snapshot')
    for (let round = 0; round < 2; round++) {
      await expect(begin().execute(trx => insert(trx, 'One'))).rejects.toMatchObject({ code: '42601' })
      const stubborn = begin().execute(async trx => {
        await insert(trx, 'One').catch(() => {})
        await insert(trx, 'Two').catch(() => {})
      })
      await expect(stubborn).rejects.toMatchObject({ code: '42601' })
      await insert(db, `Known ${round}`) // from here on the server knows the statement
    }
    expect([await isThere('One'), await isThere('Two')]).toEqual([false, false])
  })

  test('a failed transaction is not taken for done', async () => {
    const db = await open()
    const failing = db.transaction().execute(async trx => {
      await insert(trx, 'B')
      await insert(trx, 'Kind 0').catch(() => {})
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await isThere('B')).toBe(false)
  })

  test('a transaction whose connection is killed fails, and keeps nothing', async () => {
    const db = await open()
    const failing = db.transaction().execute(async trx => {
      await insert(trx, 'A')
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where state = 'idle in transaction' and datname = current_database()`.execute(owner.db)
      await insert(trx, 'B')
    })
    await expect(failing).rejects.toSatisfy(isDatabaseUnavailable)
    expect(await isThere('A')).toBe(false)
    await db.transaction().execute(trx => insert(trx, 'C'))
    expect(await isThere('C')).toBe(true)
  })
})

describe('transactions that wait for the only connection', () => {
  /** Runs transactions at once that each add a category with a name. */
  const addEach = (db: Database, added: readonly string[]) =>
    Promise.allSettled(
      added.map(name => db.transaction().execute(trx => insertAlone(trx as unknown as Database, name))),
    )

  test('go out with the commit before them', async () => {
    const spoken: string[] = []
    const proxy = await startTcpProxy(
      new URL(owner.config.url),
      undefined,
      15,
      from => void spoken.push(from),
    )
    const url = new URL(owner.config.url)
    url.port = String(proxy.port)
    const db = await open({ url: url.href, poolSize: 1 })
    try {
      await addEach(db, ['First'])
      spoken.length = 0
      const fresh = Array.from({ length: 10 }, (_, i) => `New ${i}`)
      expect((await addEach(db, fresh)).map(({ status }) => status)).toEqual(fresh.map(() => 'fulfilled'))
      const trips = spoken.filter((from, i) => from === 'client' && spoken[i - 1] !== 'client').length
      expect(trips).toBeLessThan(fresh.length * 1.5)
    } finally {
      await proxy.stop()
    }
  })

  test('are carried out where the commit before them fails', async () => {
    await sql`alter table categories add constraint late unique (description) deferrable initially deferred`.execute(
      owner.db,
    )
    const db = await open({ poolSize: 1 })
    const failing = db.transaction().execute(async trx => {
      const same = (name: string) => ({ name, name_key: name.toLowerCase(), description: 'the same' })
      await (trx as unknown as Database)
        .insertInto('categories')
        .values([same('A'), same('B')])
        .execute()
    })
    const [[outcome], added] = await Promise.all([Promise.allSettled([failing]), addEach(db, ['C', 'D'])])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '23505' } })
    expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    const { rows } = await sql`select name from categories where char_length(name) = 1 order by name`.execute(
      owner.db,
    )
    expect(rows).toEqual([{ name: 'C' }, { name: 'D' }])
  })

  test('keep nothing where the connection is lost with the commit before them, and later ones are carried out', async () => {
    let sent = 0
    const proxy = await startTcpProxy(new URL(owner.config.url), undefined, 0, from => {
      if (from === 'client' && ++sent === 20) proxy.cut()
    })
    const url = new URL(owner.config.url)
    url.port = String(proxy.port)
    const db = await open({ url: url.href, poolSize: 1 })
    try {
      const fresh = Array.from({ length: 30 }, (_, i) => `New ${i}`)
      const added = await addEach(db, fresh)
      const { rows } = await sql<{
        name: string
      }>`select name from categories where name like 'New %'`.execute(owner.db)
      const stored = new Set(rows.map(({ name }) => name))
      for (const [i, outcome] of added.entries())
        if (outcome.status === 'fulfilled') expect(stored).toContain(fresh[i])
        else if (!(outcome.reason instanceof OutcomeUnknown)) expect(stored).not.toContain(fresh[i])
      expect(added.map(({ status }) => status)).toContain('rejected')
      expect((await addEach(db, ['Later'])).map(({ status }) => status)).toEqual(['fulfilled'])
    } finally {
      await proxy.stop()
    }
  })
})

test('a stream is refused, and leaves what follows alone', async () => {
  const db = await open()
  await expect(async () => {
    for await (const _ of db.selectFrom('categories').selectAll().stream());
  }).rejects.toThrow('stream')
  expect(await find(db, 1)).toEqual({ name: 'Kind 0' })
})
