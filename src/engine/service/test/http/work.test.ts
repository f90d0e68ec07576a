import { sql } from 'kysely'
import { type Counted, startCounted } from 'spec-served-lab/bench/counts'
import { operations } from 'spec-served-lab/bench/operations'
import { ours } from 'spec-served-lab/bench/servers'
import { freshPostgres } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { ample, issueKey } from 'spec-served-lab/support/store'
import { beforeAll, expect, test } from 'vitest'

/**
 * The bounds of a request: the promises of one that comes alone, those of each of 64 that come at once and share statements,
 * and the own files that run. Lower them when the counts fall; `npm run bench -- --counts` prints these.
 */
const bounds: Readonly<Record<string, { promises: number; sharedPromises: number; files: number }>> = {
  read: { promises: 50, sharedPromises: 32, files: 19 },
  list: { promises: 50, sharedPromises: 34, files: 29 },
  order: { promises: 50, sharedPromises: 50, files: 25 },
  create: { promises: 52, sharedPromises: 52, files: 27 },
  keyed: { promises: 190, sharedPromises: 194, files: 35 },
}
/** On a busy machine fewer requests come in one turn, which share what they wait for. */
const whenBusy = 1.1
const animals = 1_000

const database = shared(freshPostgres)
const server = shared<Counted>(async () => {
  const env = { ...ours.env, DATABASE_URL: database.config.url }
  return startCounted({ ...ours, env }, await issueKey(database.db, ample))
})
beforeAll(async () => {
  await sql`insert into categories (name, name_key) values ('Kind', 'kind')`.execute(database.db)
  await sql`
    insert into pets (category_id, name, name_key, status, stock)
    select 1, 'Animal ' || i, 'animal ' || i, 'available', 1000000
    from generate_series(1, ${animals}::int) as i`.execute(database.db)
})

test.each(operations)('$title makes few promises and runs few files', async operation => {
  const work = await server.count({ ...operation, ...(operation.ids && { ids: animals }) })
  const most = bounds[operation.name]
  expect.soft(work.promises, 'promises').toBeLessThanOrEqual(most?.promises ?? 0)
  const mostShared = whenBusy * (most?.sharedPromises ?? 0)
  expect.soft(work.sharedPromises, 'shared promises').toBeLessThanOrEqual(mostShared)
  expect.soft(work.files.length, work.files.join('\n')).toBeLessThanOrEqual(most?.files ?? 0)
})
