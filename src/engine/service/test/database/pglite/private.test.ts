import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { renewedDirectory } from 'spec-served-lab/support/fixtures'
import { operate } from 'spec-served-lab/support/operate'
import { startProcess } from 'spec-served-lab/support/petstore'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../database/connect.ts'

const root = renewedDirectory()
let DATA_DIR: string
beforeEach(() => {
  DATA_DIR = join(root, 'data')
})

/** Returns the paths that others than the owner may read, write or enter. */
function open(directory: string): string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(name =>
    join(directory, name),
  )
  return [directory, ...paths].filter(path => (lstatSync(path).mode & 0o077) !== 0)
}

async function addCategory(url: string): Promise<void> {
  const key = readFileSync(join(DATA_DIR, 'api-key'), 'utf8').trim()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: crypto.randomUUID() })
  expect((await fetch(`${url}/categories`, { method: 'POST', headers, body })).status).toBe(201)
}

test('an existing directory, its database and its backup become the owner’s alone, whatever their modes were', async () => {
  mkdirSync(DATA_DIR)
  chmodSync(DATA_DIR, 0o777)
  const first = await startProcess({ DATA_DIR })
  await addCategory(first.url)
  expect(open(DATA_DIR)).toEqual([])
  await first.stop()
  for (const path of [DATA_DIR, ...readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })]) {
    const whole = path === DATA_DIR ? path : join(DATA_DIR, path)
    chmodSync(whole, lstatSync(whole).isDirectory() ? 0o777 : 0o666)
  }
  const again = await startProcess({ DATA_DIR })
  await addCategory(again.url)
  expect(open(DATA_DIR)).toEqual([])
  const copy = join(root, 'copy')
  expect(await operate({ DATA_DIR }, 'backup', copy)).toMatchObject({ code: 0 })
  await again.stop()
  expect(open(copy)).toEqual([])
  const restored = join(root, 'restored')
  expect(await operate({ DATA_DIR: restored }, 'restore', copy)).toMatchObject({ code: 0 })
  expect(open(restored)).toEqual([])
})

test('a directory that holds other things stays as it is, but not the database in it', async () => {
  mkdirSync(DATA_DIR)
  writeFileSync(join(DATA_DIR, 'notes'), '')
  chmodSync(join(DATA_DIR, 'notes'), 0o644)
  chmodSync(DATA_DIR, 0o755)
  await (await openDatabase({ kind: 'embedded', dataDir: DATA_DIR })).close()
  expect(lstatSync(DATA_DIR).mode & 0o777).toBe(0o755)
  expect(lstatSync(join(DATA_DIR, 'notes')).mode & 0o777).toBe(0o644)
  expect(lstatSync(join(DATA_DIR, 'postgres')).mode & 0o777).toBe(0o700)
})

test('a directory of another user is refused, with what to do', async () => {
  let foreign = '/usr'
  if (process.getuid?.() === 0) {
    foreign = DATA_DIR
    mkdirSync(foreign)
    chownSync(foreign, 65_534, 65_534)
  }
  const refused = openDatabase({ kind: 'embedded', dataDir: foreign })
  await expect(refused).rejects.toThrow(/belongs to another user .* run `chown -R \S+ .*`, or set DATA_DIR/)
  expect(readdirSync(foreign)).not.toContain('lock')
})

test.each([
  ['a link that somebody left', (file: string, other: string) => symlinkSync(other, file)],
  ['a link to nothing', (file: string, other: string) => symlinkSync(`${other}-missing`, file)],
  [
    'a file that everybody may read',
    (file: string) => {
      writeFileSync(file, 'old')
      chmodSync(file, 0o666)
    },
  ],
])('the first key takes the place of %s, and is the owner’s alone', async (_, leave) => {
  mkdirSync(DATA_DIR)
  const other = join(root, 'other')
  writeFileSync(other, 'not mine')
  const file = join(DATA_DIR, 'api-key')
  leave(file, other)
  const server = await startProcess({ DATA_DIR })
  await server.stop()
  expect(lstatSync(file).isFile()).toBe(true)
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toMatch(/^pet_live_/)
  expect(readFileSync(other, 'utf8')).toBe('not mine')
  expect(readdirSync(root)).not.toContain('other-missing')
  expect(readdirSync(DATA_DIR).filter(name => name.startsWith('api-key'))).toEqual(['api-key'])
})
