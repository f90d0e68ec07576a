import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWellFormed } from '../../src/keys/api-key.ts'
import { dataDirectory } from '../support/data-directory.ts'
import { startProcess } from '../support/process.ts'

let directory: string
beforeAll(async () => {
  directory = await dataDirectory()
})
afterAll(() => rm(directory, { recursive: true }))

function keys(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const env = { PATH: process.env.PATH, DATA_DIR: directory }
    execFile('node', ['scripts/keys.ts', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

test('keys are made, listed, changed, rotated and revoked from a shell, and work in the server', async () => {
  const made = await keys('create', '--name', 'Shop', '--scopes', 'read,admin', '--json')
  const { secret, id } = JSON.parse(made.stdout)
  expect(isWellFormed(secret)).toBe(true)
  expect((await keys('list')).stdout).toContain('Shop')
  expect((await keys('update', String(id), '--plan', 'Enterprise')).stderr).toContain('/quotas')
  const updated = await keys(
    'update',
    String(id),
    '--plan',
    'Enterprise',
    '--minute',
    '5',
    '--day',
    '50',
    '--json',
  )
  expect(JSON.parse(updated.stdout)).toMatchObject({ plan: 'Enterprise', quotas: { minute: 5, day: 50 } })
  const rotated = JSON.parse((await keys('rotate', String(id), '--overlap-hours', '1', '--json')).stdout)

  const server = await startProcess({ DATA_DIR: directory })
  for (const text of [secret, rotated.secret]) {
    const reply = await fetch(`${server.url}/pets`, { headers: { 'x-api-key': text } })
    expect([reply.status, reply.headers.get('x-ratelimit-limit')]).toEqual([200, '5'])
  }
  const meanwhile = await keys('list')
  expect(meanwhile).toMatchObject({ code: 1, stderr: expect.stringContaining('/api-keys') })
  await server.stop()

  expect(await keys('revoke', String(id))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('last one'),
  })
  await keys('create', '--name', 'Other', '--scopes', 'admin')
  expect((await keys('revoke', String(id))).code).toBe(0)
  expect(await keys('show', String(id))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no API key'),
  })
}, 60_000)

test.each([
  [[], 'Name a command'],
  [['frob'], 'no command frob'],
  [['show'], 'needs the number of a key'],
  [['create'], '/name is required'],
  [['create', '--name', 'x', '--plan', 'Gold'], '/plan must be one of'],
])('wrong use (%j) is explained', async (args, message) => {
  expect(await keys(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
