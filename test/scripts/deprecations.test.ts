import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataDirectory } from '../support/data-directory.ts'
import { startProcess } from '../support/process.ts'

let directory: string
beforeAll(async () => {
  directory = await dataDirectory()
})
afterAll(() => rm(directory, { recursive: true }))

test('npm run deprecations lists what ends when, and the keys that still call it', async () => {
  const env = { PATH: process.env.PATH, DATA_DIR: directory }
  const list = () => promisify(execFile)('node', ['scripts/deprecations.ts'], { env })
  expect((await list()).stdout).toMatch(
    /^getPet \(GET \/pets\/\{petId\}\): .*; use listPets\n {2}no key called it/,
  )
  const server = await startProcess({ DATA_DIR: directory })
  const headers = { 'x-api-key': (await readFile(join(directory, 'api-key'), 'utf8')).trim() }
  for (let i = 0; i < 4; i++) await fetch(`${server.url}/pets/1`, { headers })
  await expect(list()).rejects.toMatchObject({ stderr: expect.stringContaining('stop it first') })
  await server.stop()
  expect((await list()).stdout).toMatch(
    /key 1 \(First key\): 4 calls in the last 30 days, the last on \d{4}-/,
  )
}, 60_000)
