import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { startProcess } from 'spec-served-lab/support/petstore'
import { cutPower, recording } from 'spec-served-lab/support/power-cut'
import { openStore } from 'spec-served-lab/support/tables'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../testing/temporary.ts'

let root: string
let DATA_DIR: string
beforeEach(() => {
  root = temporaryDirectory()
  DATA_DIR = join(root, 'data')
})
afterEach(() => rmSync(root, { recursive: true }))

test('the first start, its key and an acknowledged write are kept at a power cut', async () => {
  const first = await startProcess({ DATA_DIR, ...recording(DATA_DIR) })
  const body = JSON.stringify({ name: 'Kept' })
  const post = (url: string) => {
    const key = readFileSync(join(DATA_DIR, 'api-key'), 'utf8').trim()
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    return fetch(`${url}/categories`, { method: 'POST', headers, body })
  }
  expect((await post(first.url)).status).toBe(201)
  await first.stop('SIGKILL')
  cutPower(DATA_DIR)
  await using again = await startProcess({ DATA_DIR })
  expect((await post(again.url)).status).toBe(409) // the name is taken
})

test('no acknowledged write is lost at a power cut', async () => {
  await dataDirectory(DATA_DIR)
  const acknowledged: number[] = []
  for (let round = 1; round <= 2; round++) {
    const program = join(import.meta.dirname, 'insert-endlessly.ts')
    const env = { ...process.env, ...recording(DATA_DIR) }
    const child = spawn(process.execPath, [program, DATA_DIR], { stdio: ['ignore', 'pipe', 'inherit'], env })
    const ended = once(child, 'exit')
    let count = 0
    for await (const line of createInterface(child.stdout)) {
      acknowledged.push(Number(line))
      if (++count === 200) child.kill('SIGKILL')
    }
    await ended
    expect(count).toBeGreaterThanOrEqual(200)
    cutPower(DATA_DIR)
    const { db, close } = await openStore({ kind: 'embedded', dataDir: DATA_DIR })
    const rows = await db.selectFrom('categories').select('id').execute()
    await close()
    const stored = new Set(rows.map(row => row.id))
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
  }
})
