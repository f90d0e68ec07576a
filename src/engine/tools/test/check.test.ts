import { writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
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

test('npm run check --json gives each step to programs', async () => {
  const { stdout } = await runScript('check', ['--fast', '--json'], project)
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ step: 'own', command: 'true', passed: true }),
  )
})

test('an error of the compiler in a handler takes three lines: where, which property, and how it differs', async () => {
  const place = sharedDirectory()
  const compilerOptions = { strict: true, types: [], skipLibCheck: true }
  writeFileSync(join(place, 'package.json'), '{}')
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['handler.ts'] }))
  writeFileSync(
    join(place, 'handler.ts'),
    `type Reply = { status: 200; body: { id: number } } | { status: 404 }
const made = async () => ({ status: 200 as const, body: { id: 'one' } })
export const handler: () => Promise<Reply> = made\n`,
  )
  vi.stubEnv('PATH', [resolve('node_modules/.bin'), process.env.PATH].join(delimiter))
  const { stdout } = await runScript('check', ['--fast'], place).finally(() => vi.unstubAllEnvs())
  const [, types = ''] = /^FAILED {2}types .*\n((?: {8}.*\n)+)/m.exec(stdout) ?? []
  const lines = types.trimEnd().split('\n')
  expect(lines[0]).toMatch(/handler\.ts\(3,14\): error TS2322/)
  expect(lines.at(-1)).toMatch(/Type 'string' is not assignable to type 'number'/)
  expect(lines).toHaveLength(3)
})
