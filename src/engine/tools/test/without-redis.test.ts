import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const { NODE_OPTIONS } = process.env
const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, {
    encoding: 'utf8',
    env: { PATH: '/nowhere', NODE_OPTIONS, GITHUB_ACTIONS: 'true' },
  })
const evaluate = (code: string) => run(process.execPath, '--input-type=module', '-e', code)
const urlOf = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href)

test('without programs of others, tests that need them are skipped, and say how to get them', () => {
  const { stdout } = evaluate(
    `console.log((await import(${urlOf('src/engine/lab/support/programs.ts')})).skipped())`,
  )
  expect(stdout).toContain('Tests that need redis-server, haproxy, promtool are skipped')
  expect(stdout).toContain('apt-get install redis-server haproxy prometheus')
})

test('without redis-server, tests that need it fail and say how to get it', () => {
  const { status, stderr } = evaluate(
    `await (await import(${urlOf('src/engine/tools/local/redis.ts')})).startRedis()`,
  )
  expect(status).toBe(1)
  expect(stderr).toMatch(/Error: redis-server is not in the PATH: .*apt-get install redis-server/)
})

test('without programs of others, .ci/run installs nothing: it asks for them, and fails where a change is judged', () => {
  const { status, stderr } = run('/bin/bash', '.ci/run')
  expect(status).toBe(1)
  expect(stderr).toContain('apt-get install redis-server haproxy prometheus')
})
