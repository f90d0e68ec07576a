import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runCommand } from 'spec-served-lab/support/command'
import { describe, expect, test, vi } from 'vitest'

describe('a wrong use of an operator’s command', () => {
  test.each([
    [['keys'], 'Name a command'],
    [['frob'], 'no command frob\n'],
    [['keys', 'craete'], 'no command craete: did you mean create?'],
    [['migrate', 'sideways'], 'no command sideways: there are status, plan, up, down'],
    [['keys', 'list', '--nmae', 'x'], "Unknown option '--nmae': there are --json, --help"],
    [['keys', 'create', '--nmae', 'x'], "Unknown option '--nmae': did you mean --name?"],
    [['keys', 'show'], 'Give the id of a key'],
    [['keys', 'create'], /^--name is required$/m],
    [['keys', 'create', '--name', 'x', '--plan', 'Gold'], /^--plan must be one of Free, .*Enterprise$/m],
    [['keys', 'create', '--name', 'x', '--plan', 'por'], /^--plan must be one of .*: did you mean Pro\?$/m],
    [['keys', 'update', '1', '--scopes', 'read,wirte'], /^Each of --scopes .*: did you mean write\?$/m],
    [['keys', 'update', '1', '--expires', 'soon'], /^--expires must be a date-time$/m],
    [['keys', 'update', '1', '--minute', '5'], '--minute and --day go together'],
    [['keys', 'rotate', '1', '--overlap-hours', '2'], /^--overlap-hours must be one of 0, 1, 24, 168/m],
    [['keys', 'update', '1', '--disable', '--enable'], 'exclude one another'],
    [['keys', '__proto__'], 'no command __proto__'],
    [['completion', 'fish'], 'Name a shell, bash or zsh'],
  ])('a wrong use (%j) is explained, and nothing is opened', async (args, message) => {
    const result = await runCommand(args)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    expect(result.stderr).toMatch(/\n`npx spec-served .*--help` lists .*\.$/)
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })
})

test('a failure is shown in words, with --json as JSON, and no stack', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1:1/x')
  const words = await runCommand(['keys', 'list'])
  const json = await runCommand(['deprecations', '--json'])
  const misuse = await runCommand(['keys', 'show', 'x', '--json'])
  vi.unstubAllEnvs()
  expect(words).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^PostgreSQL at .*$/) })
  expect(json).toMatchObject({ code: 1, stderr: '' })
  expect(JSON.parse(json.stdout)).toMatchObject({
    code: 'failed',
    message: expect.stringContaining('PostgreSQL'),
  })
  expect(misuse).toMatchObject({ code: 2, stderr: '' })
  expect(JSON.parse(misuse.stdout)).toMatchObject({ code: 'misuse' })
})

test('--help lists the commands of a command, its options and the exit codes', async () => {
  const [all, keys, create] = await Promise.all([
    runCommand(['--help']),
    runCommand(['keys', '--help']),
    runCommand(['keys', 'create', '--help']),
  ])
  expect([all.code, keys.code, create.code]).toEqual([0, 0, 0])
  expect(all.stdout).toMatch(/Exit codes: 0 done; 1 refused or failed; 2 wrong use/)
  expect(keys.stdout).toMatch(/^ {2}rotate {2}replaces the secret/m)
  expect(create.stdout).toMatch(/^ {2}--plan PLAN +Free, Pro, Business, Enterprise$/m)
})

test('bash completes commands, options and their values, and zsh reads the same', async () => {
  const [bash, zsh] = await Promise.all([
    runCommand(['completion', 'bash']),
    runCommand(['completion', 'zsh']),
  ])
  const asked = [
    'k',
    'keys ro',
    'keys create --pl',
    'keys create --plan E',
    'keys rotate --overlap-hours ""',
    'migrate ""',
  ]
  const ask = `${bash.stdout}
    ask() { COMP_WORDS=(spec-served "$@"); COMP_CWORD=$#; _spec_served; echo "\${COMPREPLY[*]}"; }
    ${asked.map(words => `ask ${words}`).join('\n')}`
  const { stdout } = await promisify(execFile)('bash', ['-c', ask])
  expect(stdout.split('\n')).toEqual([
    'keys',
    'rotate',
    '--plan',
    'Enterprise',
    '0 1 24 168',
    'status plan up down --json --help',
    '',
  ])
  expect(zsh.stdout).toMatch(/bashcompinit\n/)
  expect(zsh.stdout.endsWith(bash.stdout)).toBe(true)
})
