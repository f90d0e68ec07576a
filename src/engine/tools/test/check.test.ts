import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript } from 'spec-served-lab/support/command'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { afterEach, expect, test, vi } from 'vitest'

/** A project with nothing but a check of its own, where all others fail at once. */
const project = sharedDirectory()
writeFileSync(join(project, 'package.json'), JSON.stringify({ 'spec-served': { checks: { own: 'true' } } }))
const { isTTY } = process.stderr
afterEach(() => Object.assign(process.stderr, { isTTY }))

const quick = ['document', 'generated files', 'handlers are written', 'changes for clients', 'types', 'own']

/** The steps that stand behind a word at the beginnings of lines. */
const stepsAfter = (word: RegExp, text: string) =>
  text.split('\n').flatMap(line => (word.test(line) ? [line.replace(word, '').replace(/ \(.*/, '')] : []))

test('npm run check --fast runs the steps that start neither the service nor a database', async () => {
  const { code, stdout, stderr } = await runScript('check', ['--fast'], project)
  expect(stepsAfter(/^(ok|FAILED) +/, stdout).sort()).toEqual(quick.toSorted())
  expect(stdout).toMatch(/^ok {6}own \(true, /m)
  expect(code).toBe(1)
  expect(stepsAfter(/^begins +/, stderr)).toEqual(quick)
})

test('npm run check shows the steps under way in one line of a terminal', async () => {
  process.stderr.isTTY = true
  const written: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation(text => written.push(String(text)) > 0)
  const { stderr, stdout } = await runScript('check', ['--fast'], project).finally(() => spy.mockRestore())
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^ok {6}own/m)
  expect(written.filter(text => text.includes('\n'))).toEqual([])
  expect(written.some(text => /^\r\S+\d+ s: .*\bdocument\b/.test(text))).toBe(true)
})

test('npm run check --json tells each step to programs', async () => {
  const { stdout } = await runScript('check', ['--fast', '--json'], project)
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ step: 'own', command: 'true', passed: true }),
  )
})
