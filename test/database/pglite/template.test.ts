import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { type OpenDatabase, openDatabase } from '../../../src/database/connect.ts'
import { migrationStatus } from '../../../src/database/migrate.ts'
import { makeTemplate, templateDatabase } from '../../../src/database/template.ts'
import { insertCategory } from '../../../src/store/categories.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const root = temporaryDirectory()
const cache = join(root, 'cache')
let template: string
const opened: OpenDatabase[] = []
beforeAll(async () => {
  // What a process left here that was killed, and what another one is making.
  mkdirSync(join(cache, 'killed', 'postgres'), { recursive: true })
  utimesSync(join(cache, 'killed'), 0, 0)
  mkdirSync(join(cache, 'busy'))
  const [first, second] = await Promise.all([makeTemplate(cache), makeTemplate(cache)])
  expect(second).toBe(first)
  template = first
})
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})
afterAll(() => rmSync(root, { recursive: true }))

async function open(name: string) {
  const database = await openDatabase({
    kind: 'embedded',
    dataDir: join(root, name),
    source: templateDatabase(cache),
  })
  opened.push(database)
  return database.db
}

test('several at once make one, which is whole, and clean up after those that were killed only', () => {
  expect(readdirSync(cache).map(name => join(cache, name))).toEqual(
    expect.arrayContaining([template, join(cache, 'busy')]),
  )
  expect(readdirSync(cache)).toHaveLength(2)
  expect(existsSync(join(template, 'PG_VERSION'))).toBe(true)
})

test('a new database is a migrated copy that shares no row with the others', async () => {
  const made = statSync(template).ino
  const [one, other] = [await open('one'), await open('other')]
  const steps = await migrationStatus(one)
  expect(steps.map(({ name }) => name)).toEqual(Object.keys(migrations))
  expect(steps.every(({ takenAt }) => takenAt)).toBe(true)
  await insertCategory(one, { name: 'Dogs' })
  const names = (db: typeof one) => db.selectFrom('categories').select('name').execute()
  expect(await names(one)).toEqual([{ name: 'Dogs' }])
  expect(await names(other)).toEqual([])
  expect(await names(await open('third'))).toEqual([])
  expect(statSync(template).ino).toBe(made)
})

test('a database that is there already is left alone', async () => {
  await insertCategory(await open('known'), { name: 'Cats' })
  for (const { close } of opened.splice(0)) await close()
  const rows = await (await open('known')).selectFrom('categories').select('name').execute()
  expect(rows).toEqual([{ name: 'Cats' }])
})

test('where no template can be kept there is no copy, and nothing is left of the attempt', async () => {
  writeFileSync(join(root, 'file'), '')
  const source = templateDatabase(join(root, 'file', 'cache'))
  expect(await source.copyTo(join(root, 'nothing'))).toBe(false)
  expect(existsSync(join(root, 'nothing'))).toBe(false)
})

test('a template that can’t be opened is thrown away, and PGlite makes the database', async () => {
  writeFileSync(join(template, 'global', 'pg_control'), 'garbage'.repeat(1_000))
  const db = await open('damaged')
  expect(await db.introspection.getTables()).toEqual([])
  expect(existsSync(template)).toBe(false)
})
