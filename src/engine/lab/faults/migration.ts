import { type Kysely, sql } from 'kysely'
import { openDatabase, roomToMigrate } from 'spec-served/internal/database/connect'
import { migrateToLatest } from 'spec-served/internal/database/migrate'
import type { Migrations } from 'spec-served/internal/database/migration'
import { effectsOf } from 'spec-served/internal/migration-plan/effects'
import { service as petstore } from '../support/petstore.ts'
import { type Calling, keepCalling } from './calling.ts'
import type { Scenario } from './scenario.ts'
import { type Service, startService } from './service.ts'

const { migrations } = petstore

/** Callers who read, list, order and create, each without a pause. */
const callers = 8
/** Rows that a step changes at a time: who orders one of them waits for all. */
const part = 2_000

/** A new property with an index and a rule, as a release would bring it. */
function release(rows: number): Migrations {
  const statement = (text: string) => (db: Kysely<unknown>) =>
    sql
      .raw(text)
      .execute(db)
      .then(() => {})
  return {
    ...migrations,
    '9000-column': { up: statement('alter table pets add column last_seen date') },
    '9001-fill': {
      isOutsideTransaction: true,
      async up(db) {
        for (let first = 1; first <= rows; first += part)
          await sql`
            update pets set last_seen = date '2020-01-01' + (id % 2000)::int
            where id between ${first} and ${first + part - 1}`.execute(db)
      },
    },
    '9002-index': {
      isOutsideTransaction: true,
      up: statement('create index concurrently if not exists pets_last_seen on pets (last_seen, id)'),
    },
    '9003-rule': {
      up: statement(`alter table pets add constraint seen check (last_seen > '1980-01-01') not valid`),
    },
    '9004-rule-for-all': { up: statement('alter table pets validate constraint seen') },
  }
}

export const migration: Scenario = {
  name: 'migration',
  description: 'a large table gets a column, its values, an index and a rule while callers read and write',
  databases: ['postgres'],
  async run({ short, progress }) {
    const rows = short ? 50_000 : 1_000_000
    await using service = await startService('postgres')
    const url = await fill(service, rows)
    progress(`${rows} animals`)
    const steps = release(rows)
    const faults = (await effectsOf(Object.keys(migrations), steps)).flatMap(effect => effect.faults)
    const place = {
      kind: 'postgres',
      url,
      poolSize: 4,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 0,
    } as const
    const { db, close } = await openDatabase(roomToMigrate(place))
    const before = await service.send('GET', '/pets/1')
    const calls = callWhile(service, rows)
    await new Promise(resolve => setTimeout(resolve, 3_000))
    progress(`${calls.met().answered} answers before`)
    const begun = performance.now()
    try {
      for (const name of Object.keys(steps).slice(Object.keys(migrations).length)) {
        const upTo = Object.entries(steps).slice(0, Object.keys(steps).indexOf(name) + 1)
        await migrateToLatest(db, Object.fromEntries(upTo))
        progress(`${name}, ${calls.met().answered} answers`)
      }
    } catch (error) {
      await calls.end()
      throw error
    } finally {
      await close()
    }
    const seconds = (performance.now() - begun) / 1_000
    const { answered, failures, longest } = await calls.end()
    faults.push(...failures)
    const after = await service.send('GET', '/pets/1')
    if (after.text !== before.text) faults.push(`GET /pets/1 is ${after.text}, and was ${before.text}`)
    // The release before, which does not know the new steps.
    await service.kill()
    await service.start()
    const again = await service.send('GET', '/pets/1')
    if (again.text !== before.text) faults.push(`GET /pets/1 is ${again.text} after a restart`)
    progress('the server of the release before has crashed, and serves again')
    return {
      figures: {
        'animals in the table': rows,
        'seconds that the steps took': seconds.toFixed(1),
        'requests answered meanwhile': answered,
        'of these failed': failures.length,
        'longest wait for an answer, ms': Math.round(longest),
      },
      faults,
    }
  },
}

/** @returns the URL of the database */
async function fill({ postgres }: Service, rows: number): Promise<string> {
  if (!postgres) throw new Error('This is for PostgreSQL')
  const url = `${postgres.url}/petstore`
  const { db, close } = await openDatabase({
    kind: 'postgres',
    url,
    poolSize: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 600_000,
  })
  await sql`insert into categories (name, name_key) values ('Kind', 'kind')`.execute(db)
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select (select id from categories), 'Animal ' || i, 'animal ' || i, 'available', 1000000
    from generate_series(1, ${rows}::int) as i`.execute(db)
  await sql`vacuum (analyze) pets`.execute(db)
  await close()
  return url
}

/** Reads, orders and adds animals all the time. */
function callWhile({ send }: Service, rows: number): Calling {
  return keepCalling(
    Array.from({ length: callers }, () => send),
    (caller, turn) => {
      const petId = 1 + ((caller * 7_919 + turn * 104_729) % rows)
      switch (turn % 4) {
        case 0:
          return ['GET', `/pets/${petId}`]
        case 1:
          return ['GET', '/pets?status=available&limit=20']
        case 2:
          return ['POST', '/store/orders', { petId, quantity: 1 }]
        default:
          return ['POST', '/pets', { name: `New ${caller} ${turn}`, categoryId: 1 }]
      }
    },
  )
}
