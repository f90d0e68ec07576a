import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { service, startProcess } from 'spec-served-lab/support/petstore'
import { openStore } from 'spec-served-lab/support/tables'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMigrated } from '../../../database/connect.ts'
import { createOrOpen } from '../../../database/directory.ts'
import { DirectoryInUse, lockDirectory } from '../../../database/directory-lock.ts'
import { copyTemplate, templateFor } from '../../../database/template.ts'
import { temporaryDirectory } from '../../../testing/temporary.ts'

let root: string
let dataDir: string
const children: ChildProcess[] = []
beforeEach(() => {
  root = temporaryDirectory()
  dataDir = join(root, 'nested', 'data')
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  rmSync(root, { recursive: true })
})

const open = () => openStore({ kind: 'embedded', dataDir })

/** Another process that runs a program of the tests on the directory; gives its lines. */
function start(program: string): { child: ChildProcess; lines: AsyncIterator<string> } {
  const file = join(import.meta.dirname, program)
  const child = spawn(process.execPath, [file, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  if (!child.stdout) throw new Error('No output to read')
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('a new directory belongs to its owner alone, and its data are found again', async () => {
  const first = await open()
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  await first.db.schema.createTable('notes').addColumn('text', 'text').execute()
  await first.close()
  const second = await open()
  expect((await second.db.introspection.getTables()).map(table => table.name)).toContain('notes')
  await second.close()
})

test('a second opening in the same process is refused until the first is closed', async () => {
  mkdirSync(dataDir, { recursive: true })
  const { unlock } = lockDirectory(dataDir)
  await expect(open()).rejects.toThrow(DirectoryInUse)
  unlock()
  lockDirectory(dataDir).unlock()
})

test('another process hears which directory is in use and by whom; the lock ends with its holder, even when killed', async () => {
  const { child, lines } = start('hold-lock.ts')
  expect(await lines.next()).toEqual({ done: false, value: 'locked' })
  const refusal = await open().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DirectoryInUse)
  expect(String(refusal)).toContain(dataDir)
  expect(String(refusal)).toContain(`process ${child.pid}`)
  await kill(child)
  lockDirectory(dataDir).unlock()
})

test('a fault other than a lock does not pass for one', () => {
  mkdirSync(join(dataDir, 'lock'), { recursive: true })
  let fault: unknown
  try {
    lockDirectory(dataDir).unlock()
  } catch (error) {
    fault = error
  }
  expect(fault).toBeInstanceOf(Error)
  expect(fault).not.toBeInstanceOf(DirectoryInUse)
})

describe('a place that can’t hold a database is refused with its name and a remedy:', () => {
  const refusal = async (directory: string) =>
    String(
      await openMigrated({ kind: 'embedded', dataDir: directory }, service.migrations).catch(
        (error: unknown) => error,
      ),
    )

  test.each([
    ['a file', 'file', 'it is a file'],
    ['a place below a file', 'file/below', 'a part of its path is a file'],
    ['a file system without directories', '/proc/nope/below', 'its file system takes no directories'],
  ])('%s', async (_, place, reason) => {
    writeFileSync(join(root, 'file'), '')
    const message = await refusal(resolve(root, place))
    expect(message).toContain(`${resolve(root, place)} can't be made: ${reason}. Set DATA_DIR`)
  })

  test('a directory with a lock that is no lock is refused', async () => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'lock'), 'garbage'.repeat(1_000))
    const message = await refusal(dataDir)
    expect(message).toContain(`${join(dataDir, 'lock')} can't be written: file is not a database`)
    expect(message).toContain('remove that file')
    rmSync(join(dataDir, 'lock'))
    lockDirectory(dataDir).unlock() // nothing held the refused one
  })

  test.each([
    ['a database without its PG_VERSION', (database: string) => rmSync(join(database, 'PG_VERSION'))],
    [
      'a database whose control file is garbage',
      (database: string) => writeFileSync(join(database, 'global', 'pg_control'), 'garbage'.repeat(1_000)),
    ],
    ['a database of another version', (database: string) => writeFileSync(join(database, 'PG_VERSION'), '9')],
    [
      'files that are no database',
      (database: string) => {
        rmSync(database, { recursive: true })
        mkdirSync(database)
        writeFileSync(join(database, 'notes'), '')
      },
    ],
    [
      'a file in place of the database',
      (database: string) => {
        rmSync(database, { recursive: true })
        writeFileSync(database, '')
      },
    ],
  ])('%s', async (_, damage) => {
    await dataDirectory(dataDir)
    damage(join(dataDir, 'postgres'))
    const before = readdirSync(dataDir, { recursive: true }).length
    const message = await refusal(dataDir)
    expect(message).toMatch(`The embedded database in ${join(dataDir, 'postgres')} can't be opened (`)
    expect(message).toContain('set DATA_DIR to another directory')
    // Nothing was made over it but the lock.
    expect(readdirSync(dataDir, { recursive: true }).length - before).toBeLessThanOrEqual(3)
  })
})

/** The file or directory in the place of a database, which is made there if it is missing. */
async function contentOf(directory: string): Promise<string[] | string> {
  if (existsSync(directory)) return readdirSync(directory)
  mkdirSync(directory)
  return 'nothing'
}

test('a database that was killed while it was made is made again', async () => {
  mkdirSync(dataDir, { recursive: true })
  const attempt = createOrOpen(dataDir, async directory => {
    mkdirSync(directory)
    writeFileSync(join(directory, 'PG_VERSION'), '17')
    throw new Error('killed')
  })
  await expect(attempt).rejects.toThrow('killed')
  expect(await createOrOpen(dataDir, contentOf)).toBe('nothing')
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  await dataDirectory(dataDir)
  expect(await createOrOpen(dataDir, contentOf)).toContain('PG_VERSION')
})

test('a new database is a copy of the template, unless the code of a migration has changed', async () => {
  mkdirSync(dataDir, { recursive: true })
  const template = templateFor(service.migrations)
  const copyOf = (origin: string) => async (place: string) => void copyTemplate(origin, place)
  expect(await createOrOpen(dataDir, contentOf, copyOf(template))).toEqual(readdirSync(template))
  const { migrations } = service
  const changed = { ...migrations, '0001-store': { up: async () => {} } }
  expect(templateFor({ ...migrations })).toBe(templateFor(migrations))
  expect(templateFor(changed)).not.toBe(templateFor(migrations))
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  expect(await createOrOpen(dataDir, contentOf, copyOf(templateFor(changed)))).toBe('nothing')
})

test('a process that makes a database takes no more memory than one that opens it', async () => {
  const peak = async () => Number((await start('open-new.ts').lines.next()).value)
  const [making, opening] = [await peak(), await peak()]
  expect(making).toBeLessThan(1.5 * opening)
})

test('no acknowledged write is lost when the process is killed', async () => {
  await dataDirectory(dataDir)
  for (let round = 1; round <= 3; round++) {
    const { child, lines } = start('insert-endlessly.ts')
    const acknowledged: number[] = []
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      acknowledged.push(Number(line.value))
      if (acknowledged.length === 200) child.kill('SIGKILL')
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(200)
    const { db, close } = await open()
    const rows = await db.selectFrom('categories').select('id').execute()
    await close()
    const stored = new Set(rows.map(row => row.id))
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
  }
})

test('a server whose lock file is removed stops, and loses nothing that it or the next one acknowledged', async () => {
  const first = await startProcess({ DATA_DIR: dataDir })
  const key = readFileSync(join(dataDir, 'api-key'), 'utf8').trim()
  const acknowledged: string[] = []
  const addTo = async (url: string): Promise<number> => {
    const name = crypto.randomUUID()
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/categories`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    })
    if (reply.status === 201) acknowledged.push(name)
    return reply.status
  }
  const ended = once(first.child, 'exit')
  let isOver = false
  const calling = (async () => {
    while (!isOver) await addTo(first.url).catch(() => {})
  })()
  await expect.poll(() => acknowledged.length).toBeGreaterThan(5)
  rmSync(join(dataDir, 'lock'))
  const second = await startProcess({ DATA_DIR: dataDir })
  for (let i = 0; i < 20; i++) expect(await addTo(second.url)).toBe(201)
  const [code] = await ended
  isOver = true
  await calling
  expect(code).toBe(1)
  expect(first.output()).toContain(`${join(dataDir, 'lock')} was removed or replaced`)
  expect(await second.stop()).toBe(0)
  const { db, close } = await open()
  const rows = await db.selectFrom('categories').select('name').execute()
  await close()
  const stored = new Set(rows.map(({ name }) => name))
  expect(acknowledged.filter(name => !stored.has(name))).toEqual([])
})

test('a server whose whole directory is removed acknowledges nothing more, and stops', async () => {
  const server = await startProcess({ DATA_DIR: dataDir })
  const headers = {
    'x-api-key': readFileSync(join(dataDir, 'api-key'), 'utf8').trim(),
    'content-type': 'application/json',
  }
  const ended = once(server.child, 'exit')
  const add = async () => {
    const body = JSON.stringify({ name: crypto.randomUUID() })
    const reply = await fetch(`${server.url}/categories`, { method: 'POST', headers, body })
    return reply.status
  }
  expect(await add()).toBe(201)
  rmSync(dataDir, { recursive: true, force: true })
  await new Promise(done => setTimeout(done, 200)) // a look counts for half of that
  expect(await add().catch(() => 'no reply')).not.toBe(201)
  expect((await ended)[0]).toBe(1)
})
