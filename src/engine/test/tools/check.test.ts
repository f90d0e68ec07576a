import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { runScript } from '../support/command.ts'
import { sharedDirectory } from '../support/fixtures.ts'

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
  expect([code, stderr]).toEqual([1, ''])
})

test('npm run check shows each step as it begins, but only on a terminal', async () => {
  process.stderr.isTTY = true
  const { stderr } = await runScript('check', ['--fast'], project)
  expect(stepsAfter(/^begins +/, stderr)).toEqual(quick)
})
