import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { runCommand } from 'spec-served-lab/support/command'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { operate } from 'spec-served-lab/support/operate'
import { startProcess } from 'spec-served-lab/support/petstore'
import { openStore } from 'spec-served-lab/support/tables'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { copyDatabase } from '../../../database/backup.ts'
import { temporaryDirectory } from '../../../testing/temporary.ts'

let directory: string
let DATA_DIR: string
beforeAll(async () => {
  directory = temporaryDirectory()
  DATA_DIR = await dataDirectory(join(directory, 'data'))
})
afterAll(() => rmSync(directory, { recursive: true }))

/** In this process, as each start of another takes longer than what it does. */
function run(env: Record<string, string>, ...args: string[]) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  return runCommand(args).finally(() => vi.unstubAllEnvs())
}

const taken = () => join(directory, 'taken')
const restored = () => join(directory, 'restored')

test('a backup of a running store is whole, and a restored store serves what was acknowledged before', async () => {
  const server = await startProcess({ DATA_DIR })
  const key = (await readFile(join(DATA_DIR, 'api-key'), 'utf8')).trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const acknowledged: number[] = []
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      const body = JSON.stringify({ name: `Rex ${acknowledged.length}`, categoryId: 1 })
      const reply = await fetch(`${server.url}/pets`, { method: 'POST', headers, body })
      if (reply.status === 201) acknowledged.push(Number(reply.headers.get('location')?.split('/').at(-1)))
    }
  })()
  while (acknowledged.length < 20) await new Promise(resolve => setTimeout(resolve, 10))
  const before = acknowledged.length
  const backup = await operate({ DATA_DIR }, 'backup', taken(), '--json')
  isOver = true
  await writing
  await server.stop()
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  const { rows, waitedMs } = JSON.parse(backup.stdout)
  expect(rows.pets).toBeGreaterThanOrEqual(before)
  expect(waitedMs).toBeGreaterThanOrEqual(0)
  expect(readdirSync(taken()).sort()).toEqual(['backup.json', 'postgres'])

  const again = await run({ DATA_DIR }, 'backup', taken())
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('overwrites nothing') })

  expect(await run({ DATA_DIR: restored() }, 'restore', taken())).toMatchObject({ code: 0, stderr: '' })
  const twice = await run({ DATA_DIR: restored() }, 'restore', taken())
  expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('overwrites nothing') })
  const { db, close } = await openStore({ kind: 'embedded', dataDir: restored() })
  const pets = await db.selectFrom('pets').select('id').execute()
  expect(pets).toHaveLength(rows.pets)
  expect(new Set(pets.map(({ id }) => id))).toEqual(
    new Set([...pets.map(({ id }) => id), ...acknowledged.slice(0, before)]),
  )
  await close()
})

test('an incomplete backup is not restored, and leaves nothing behind', async () => {
  const broken = join(directory, 'broken')
  cpSync(taken(), broken, { recursive: true })
  const label = JSON.parse(readFileSync(join(broken, 'backup.json'), 'utf8'))
  label.rows.pets++
  writeFileSync(join(broken, 'backup.json'), JSON.stringify(label))
  const place = join(directory, 'none')
  const wrong = await run({ DATA_DIR: place }, 'restore', broken)
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/pets has \d+ rows for \d+/) })
  expect(readdirSync(place)).not.toContain('postgres')

  truncateSync(join(broken, 'postgres', 'global', 'pg_control'), 100)
  const damaged = await run({ DATA_DIR: place }, 'restore', broken)
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
  expect(readdirSync(place)).not.toContain('postgres')

  rmSync(join(broken, 'backup.json'))
  const unlabelled = await run({ DATA_DIR: place }, 'restore', broken)
  expect(unlabelled).toMatchObject({ code: 1, stderr: expect.stringContaining('no whole backup') })
})

test('a backup with changed rows is not restored, even if their number is the same', async () => {
  const changed = join(directory, 'changed')
  cpSync(taken(), changed, { recursive: true })
  const { db, close } = await openStore({ kind: 'embedded', dataDir: changed })
  await sql`update pets set name = name || '!' where id = (select min(id) from pets)`.execute(db)
  await close()
  const place = join(directory, 'unchanged')
  const wrong = await run({ DATA_DIR: place }, 'restore', changed)
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('pets has other values') })
  expect(readdirSync(place)).not.toContain('postgres')
})

test('on PostgreSQL the commands name its own tools', async () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x' }
  const results = [await run(env, 'backup', taken()), await run(env, 'restore', taken())]
  expect(results.map(({ code }) => code)).toEqual([1, 1])
  expect(results[0]?.stderr).toMatch(/pg_dump .* pg_basebackup/)
  expect(results[1]?.stderr).toContain('pg_restore')
})

test('a backup holds nothing that a transaction has not committed', async () => {
  const dataDir = await dataDirectory(join(directory, 'open'))
  const { db, close } = await openStore({ kind: 'embedded', dataDir })
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async trx => {
    await sql`insert into categories (name, name_key) values ('a', 'a')`.execute(trx)
    begun.resolve()
    await release.promise
    throw new Error('rolled back')
  })
  await begun.promise
  mkdirSync(join(directory, 'copy'))
  const copying = copyDatabase(db, dataDir, join(directory, 'copy'))
  release.resolve()
  await expect(transaction).rejects.toThrow('rolled back')
  await copying
  await close()
  const copy = await openStore({ kind: 'embedded', dataDir: join(directory, 'copy') })
  expect(await copy.db.selectFrom('categories').select('id').execute()).toEqual([])
  await copy.close()
})

test('calls go on during a backup, which holds all that was stored when it began', async () => {
  const dataDir = await dataDirectory(join(directory, 'busy'))
  const { db, close } = await openStore({ kind: 'embedded', dataDir })
  const stored: number[] = []
  const store = async () => {
    const name = crypto.randomUUID()
    const values = { name, name_key: name, description: null }
    stored.push(
      (await db.insertInto('categories').values(values).returning('id').executeTakeFirstOrThrow()).id,
    )
  }
  await store()
  await db
    .updateTable('categories')
    .set({ description: 'a'.repeat(200) })
    .execute()
  const place = join(directory, 'busy-copy')
  mkdirSync(place)
  let isOver = false
  const copying = copyDatabase(db, dataDir, place).finally(() => {
    isOver = true
  })
  const before = stored.length
  while (!isOver) await store()
  await copying
  await close()
  expect(stored.length - before).toBeGreaterThan(10)
  const copy = await openStore({ kind: 'embedded', dataDir: place })
  const kept = await copy.db.selectFrom('categories').select('id').orderBy('id').execute()
  await copy.close()
  expect(kept.length).toBeGreaterThanOrEqual(before)
  expect(kept.map(({ id }) => id)).toEqual(stored.slice(0, kept.length)) // what came later is missing from the end on
})
