import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../src/database/connect.ts'
import { DirectoryInUse, lockDirectory } from '../../../src/database/lock.ts'
import { dataDirectory } from '../../support/data-directory.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

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

const open = () => openDatabase({ kind: 'embedded', dataDir })

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

test('a directory that is not there is made for its owner alone, and what was stored is found again', async () => {
  const first = await open()
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  await first.db.schema.createTable('notes').addColumn('text', 'text').execute()
  await first.close()
  const second = await open()
  expect((await second.db.introspection.getTables()).map(table => table.name)).toEqual(['notes'])
  await second.close()
})

test('a second opening in the same process is refused until the first is closed', async () => {
  mkdirSync(dataDir, { recursive: true })
  const unlock = lockDirectory(dataDir)
  await expect(open()).rejects.toThrow(DirectoryInUse)
  unlock()
  lockDirectory(dataDir)()
})

test('another process is told which directory is in use and by whom; the lock ends with its holder, even when killed', async () => {
  const { child, lines } = start('hold-lock.ts')
  expect(await lines.next()).toEqual({ done: false, value: 'locked' })
  const refusal = await open().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DirectoryInUse)
  expect(String(refusal)).toContain(dataDir)
  expect(String(refusal)).toContain(`process ${child.pid}`)
  await kill(child)
  lockDirectory(dataDir)()
})

test('a fault other than a lock does not pass for one', () => {
  mkdirSync(join(dataDir, 'lock'), { recursive: true })
  let fault: unknown
  try {
    lockDirectory(dataDir)()
  } catch (error) {
    fault = error
  }
  expect(fault).toBeInstanceOf(Error)
  expect(fault).not.toBeInstanceOf(DirectoryInUse)
})

test('nothing that was acknowledged is lost when the process is killed', async () => {
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
