import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(import.meta.resolve('spec-served/cli'))

/** The commands of this program that run in a session, by process. */
const runningIn = (session: number) =>
  execFileSync('ps', ['-e', '-o', 'sess=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.trim().startsWith(`${session} `) && line.includes('cli.js'))

test('a check that is ended ends its steps, and says so', async () => {
  const check = spawn(process.execPath, [program, 'check'], { detached: true })
  const { pid } = check
  if (pid === undefined) throw new Error('The check did not start')
  onTestFinished(() => {
    if (runningIn(pid).length > 0) process.kill(-pid, 'SIGKILL')
  })
  let output = ''
  check.stdout.on('data', text => {
    output += text
  })
  await once(check.stderr, 'data')
  await expect.poll(() => runningIn(pid).length, { timeout: 30_000 }).toBeGreaterThan(5)
  check.kill('SIGTERM')
  expect(await once(check, 'close')).toEqual([143, null])
  expect(output).toContain('Ended by SIGTERM')
  await expect.poll(() => runningIn(pid), { timeout: 30_000 }).toEqual([])
})
