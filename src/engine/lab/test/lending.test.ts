import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { runScript } from '../support/command.ts'

const library = 'src/engine/lab/lending'

// `npm run lab -- test:lending` does the same on the packed package, and much more.
test.each([['lint'], ['generate', '--check'], ['check:written'], ['check:routes'], ['check:database']])(
  'the lending library passes %s',
  async (...[name, ...args]) => {
    // A process of its own ends with the memory of the compiler and of the database that a command takes.
    const command = [resolve('src/engine/service/cli.js'), name ?? '', ...args]
    const run = promisify(execFile)(process.execPath, command, { cwd: library })
    await expect(run).resolves.toHaveProperty('stderr', '')
  },
)

test('the check of a project without a compiler says what brings one', async () => {
  vi.stubEnv('PATH', dirname(process.execPath)) // Node alone
  const { code, output } = await runScript('check', ['--fast'], library).finally(() => vi.unstubAllEnvs())
  expect(code).toBe(1)
  expect(output).toContain('tsc is not installed: npm install --save-dev typescript@~5.9 @types/node@')
  expect(output.match(/^FAILED/gm)).toHaveLength(1)
})

test('the package README shows the lending library as it is', () => {
  const [, part = ''] = readFileSync('src/engine/service/GUIDE.md', 'utf8').split('## A whole project\n')
  const [section = ''] = part.split('\n## ')
  const sources = globSync(join(library, 'src/**/*.ts'))
  const code = sources.map(file => readFileSync(file, 'utf8'))
  const shown = section
    .split('```ts\n')
    .slice(1)
    .map(text => text.split('```', 1)[0] ?? '')
  expect(shown.length).toBeGreaterThan(1)
  expect(shown.filter(text => !code.some(whole => whole.includes(text)))).toEqual([])
  const named = [...section.matchAll(/`([a-z]+(?:\/[a-z]*)?(?:\.ts)?)`/g)].map(([, name = '']) => name)
  const files = named.filter(name => /\/|\.ts$/.test(name))
  expect(files.filter(name => !sources.some(file => file.includes(join('src', name))))).toEqual([])
})
