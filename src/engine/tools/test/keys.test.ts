import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { runCommand } from 'spec-served-lab/support/command'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { isWellFormed } from 'spec-served-lab/support/keys'
import { operate } from 'spec-served-lab/support/operate'
import { failToStart, startProcess } from 'spec-served-lab/support/petstore'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

let DATA_DIR: string
beforeAll(async () => {
  DATA_DIR = await dataDirectory()
})
afterAll(() => rm(DATA_DIR, { recursive: true }))

/** In this process, as each start of another takes longer than what it does. */
function runOn(dataDir: string, args: string[]) {
  vi.stubEnv('DATA_DIR', dataDir)
  return runCommand(args).finally(() => vi.unstubAllEnvs())
}
const run = (...args: string[]) => runOn(DATA_DIR, args)
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

test('keys are administered from a shell, whether or not a server runs on the embedded database', async () => {
  const made = await operate(
    { DATA_DIR },
    'keys',
    'create',
    '--name',
    'Shop',
    '--scopes',
    'read,admin',
    '--json',
  )
  const { secret, id } = JSON.parse(made.stdout)
  expect(isWellFormed(secret)).toBe(true)
  expect((await run('keys', 'list')).stdout).toMatch(/^\d+ +Shop +Free +\S+ +read,admin +never +active$/m)
  expect((await run('keys', 'show', String(id))).stdout).toMatch(/^scopes +read,admin$/m)

  const API_KEY_PEPPER_FILE = join(DATA_DIR, 'pepper')
  await writeFile(API_KEY_PEPPER_FILE, `${'pepper'.repeat(8)}\n`)
  const server = await startProcess({ DATA_DIR, API_KEY_PEPPER_FILE })
  const statusOf = async (key: string) =>
    (await fetch(`${server.url}/pets/1`, { headers: { 'x-api-key': key } })).status
  expect(await statusOf(secret)).toBe(200)

  expect((await run('keys', 'update', String(id), '--plan', 'Enterprise')).stderr).toMatch(
    /^--minute and --day are needed for the plan Enterprise/,
  )
  const quotas = ['--plan', 'Enterprise', '--minute', '5', '--day', '50']
  expect(await json('keys', 'update', String(id), ...quotas)).toMatchObject({
    quotas: { minute: 5, day: 50 },
  })
  const many = ['--plan', 'Enterprise', '--minute', '51', '--day', '50']
  expect((await run('keys', 'update', String(id), ...many)).stderr).toMatch(/^--minute must be <= the quota/)
  expect((await run('keys', 'rotate', String(id))).stdout).toContain('shown this once')
  const rotated = await json('keys', 'rotate', String(id))
  expect(await statusOf(secret), 'the server knows of a change at once').toBe(401)
  expect(await statusOf(rotated.secret)).toBe(200)

  const later = (await run('keys', 'create', '--name', 'Later')).stdout
  expect(later).toMatch(/^secret +\S+\n\nThe secret is shown this once: keep it now\.$/m)
  expect(await json('keys', 'pepper'), 'with the pepper of the server').toEqual({ peppered: 0 })

  const calls = (await run('deprecations')).stdout
  expect(calls).toMatch(/^getPet \(GET \/pets\/\{petId\}\): .*; use listPets\n {2}key 1 \(Shop\): 2 calls/)
  expect(await json('deprecations')).toContainEqual(
    expect.objectContaining({
      operationId: 'getPet',
      callers: [expect.objectContaining({ calls: 2 })],
    }),
  )
  expect(await run('migrate', 'down')).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it') })
  expect((await run('migrate', 'status')).stdout).not.toContain('not taken')

  await server.stop('SIGKILL')
  expect(await readFile(join(DATA_DIR, 'socket')).catch(error => error.code)).not.toBe('ENOENT') // it is left behind
  const { code, output } = await failToStart({ DATA_DIR })
  expect([code, output]).toEqual([
    1,
    expect.stringContaining('2 API keys are hashed with a pepper: set API_KEY_PEPPER'),
  ])
  expect(await run('keys', 'revoke', String(id))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('last one'),
  })
  await run('keys', 'create', '--name', 'Other', '--scopes', 'admin')
  const revoked = await run('keys', 'revoke', String(id))
  expect(revoked).toMatchObject({ code: 0, stderr: '' })
  expect(revoked.stdout).toMatch(new RegExp(`^Key ${id} \\(Shop, \\S+\\) is revoked: its calls get 401\\.$`))
  expect(await json('keys', 'show', String(id))).toMatchObject({ code: 'not_found', status: 404 })
})

test.each([
  'keys list',
  'keys show 1',
  'keys revoke 1',
  'migrate status',
  'migrate plan',
  'migrate down',
  'deprecations',
  'backup DIRECTORY',
])('%s creates no database where there is none, and says what to do', async line => {
  const place = join(temporaryDirectory(), 'misspelt')
  const { code, stderr } = await runOn(place, line.replace('DIRECTORY', `${place}-copy`).split(' '))
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^There is no database in \S+misspelt: set DATA_DIR to .*, or create it there with `npx spec-served migrate up`/,
  )
  expect(stderr).not.toContain('\n')
  expect(existsSync(place)).toBe(false)
})
