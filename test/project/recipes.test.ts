import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkPackages } from '../support/copy.ts'
import { apply, commandsOf, stepsOf, writtenIn } from '../support/recipes.ts'

const recipes = stepsOf(await readFile('spec/recipes.md', 'utf8'))
const readme = await readFile('README.md', 'utf8')
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))
const ofContract = /^(npm run|npx spec-served) (add|deprecate|generate|lint:spec|release)\b/

let copy: string
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'petstore-recipes-'))
  const left = new Set(['node_modules', '.git', 'data', 'test/.output', 'src/engine/lab/bench/.peers'])
  await cp('.', copy, { recursive: true, filter: name => !left.has(relative('.', name)) })
  linkPackages(copy)
})
afterAll(() => rm(copy, { recursive: true }))

/** Runs a command in the copy, as npm would, whose own start takes longer than most commands. */
async function run(command: string): Promise<{ code: number; output: string }> {
  const [, name = '', rest = ''] = /^npm run ([\w:-]+)(?: --)?(.*)$/.exec(command) ?? []
  const line = name ? `${scripts[name]}${rest}` : command
  const foreign = Object.entries(process.env).filter(
    ([variable]) => !/^(VITEST|TEST$|NODE_ENV)/.test(variable),
  )
  const env = {
    ...Object.fromEntries(foreign),
    PATH: `${join(copy, 'node_modules/.bin')}:${process.env.PATH}`,
  }
  return new Promise(done =>
    execFile('sh', ['-c', line], { cwd: copy, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      done({ code: error ? 1 : 0, output: `${command}\n${stdout}${stderr}` }),
    ),
  )
}

const passes = async (command: string) => {
  const { code, output } = await run(command)
  expect(code, output).toBe(0)
}

/** The parts of the check that a change of the contract can break; the rest is for `npm run test:newcomer`. */
const checks = [
  'npm run lint:spec',
  'npm run generate -- --check',
  'npm run readme -- --check',
  'spec-served check:written',
  'spec-served check:database',
  'npx spec-served check:breaking',
  'tsc --noEmit',
  'biome ci --error-on-warnings src/handlers src/store src/engine/service/database test/operations migrations',
]

test('README’s recipes hold: each command and each change, one after the other, in a copy of the project', {
  timeout: 600_000,
}, async () => {
  for (const step of recipes) {
    if (step.kind === 'diff') await apply(step, copy)
    else
      for (const command of commandsOf(step))
        if (command === 'npm run check') for (const check of checks) await passes(check)
        else if (command === 'npm test')
          await passes('vitest run --project pglite test/operations/suppliers.test.ts')
        else {
          expect(command).toMatch(ofContract)
          await passes(command)
          if (!command.startsWith('npm run add -- GET')) continue
          const { code, output } = await run('spec-served check:written')
          expect(code).toBe(1)
          expect(output).toMatch(/src\/handlers\/animals\.ts:\d+ listBirthdays is not written yet/)
        }
  }
  await passes('npx spec-served check:breaking')
  expect(await readFile(join(copy, 'spec/released/CHANGELOG.md'), 'utf8')).toContain('listBirthdays')
})

test('a new operation with a required parameter takes 25 lines at most', () => {
  const steps = recipes.filter(({ kind, heading }) => kind === 'diff' && heading === 'An operation')
  expect(steps.map(step => step.text).join('')).toContain('required: true')
  expect(steps.reduce((sum, step) => sum + writtenIn(step), 0)).toBeLessThanOrEqual(25)
})

test('README leads to the recipes, and has no command for the contract that they do not have', () => {
  expect(readme).toContain('](spec/recipes.md)')
  const listed = recipes.filter(({ kind }) => kind === 'sh').flatMap(commandsOf)
  const shown = stepsOf(readme).filter(({ kind }) => kind === 'sh')
  const commands = shown.flatMap(commandsOf).filter(command => ofContract.test(command))
  expect(commands.length).toBeGreaterThan(1)
  for (const command of commands) expect(listed).toContain(command)
  const named = [...readme.matchAll(/`(npm run (?:petstore -- )?(?:add|deprecate|generate|release))`/g)].map(
    match => match[1] ?? '',
  )
  for (const command of named)
    expect(
      listed.some(candidate => candidate.startsWith(command)),
      command,
    ).toBe(true)
})
