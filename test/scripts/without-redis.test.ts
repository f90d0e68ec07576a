import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const url = JSON.stringify(new URL('../../scripts/local/redis.ts', import.meta.url).href)
const run = (program: string, env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: '/nowhere', ...env },
  })

test('without redis-server, tests that need it say that they are skipped, and how to get it', () => {
  const { status, stderr } = run(`await import(${url})`)
  expect(status).toBe(0)
  expect(stderr).toMatch(/Tests that need Redis are skipped.*apt-get install redis-server/)
})

test('without redis-server, a scenario that needs it fails and says how to get it', () => {
  const { status, stderr } = run(`await (await import(${url})).startRedis()`)
  expect(status).toBe(1)
  expect(stderr).toMatch(/Error: redis-server is not in the PATH: .*apt-get install redis-server/)
})

test('without redis-server, tests in CI fail', () => {
  const { status, stderr } = run(`await import(${url})`, { CI: 'true' })
  expect(status).toBe(1)
  expect(stderr).toContain('CI has to test with it')
})
