import { execFile } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Command, commandsOf, optionsOf } from 'spec-served/internal/command/command'
import { perform } from 'spec-served/internal/command/run'
import { rootWith } from 'spec-served/internal/command/tree'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { labCommands } from 'spec-served-lab/commands'
import { runScript } from 'spec-served-lab/support/command'
import { operate } from 'spec-served-lab/support/operate'
import { expect, test } from 'vitest'
import { root } from '../commands.ts'

/** Commands, with a wrong use of their own kind and what is said of it. */
const commands: [string, string[], string][] = [
  ['keys', ['list', 'all'], 'Unexpected argument "all"'],
  ['generate', ['--check', '--check'], '--check is given twice'],
  ['check', ['--fats'], "Unknown option '--fats': did you mean --fast?"],
  ['check:breaking', ['--format', 'jsn'], '--format must be one of text, json, github: did you mean json?'],
  ['check:contract', ['--operation', 'getPetss'], 'There is no operation getPetss: did you mean getPet?'],
  ['add', ['GET', '/pets/toys', '--reply', 'Pett'], ': did you mean Pet or Pets?'],
  ['add', ['GET', '/pets/toys', '--tag', 'Animal'], ': did you mean Animals?'],
  ['add', ['GET', '/pets/toys', '--stability', 'bet'], ': did you mean beta?'],
  ['add', ['DELETE', '/pets/toys', '--refusal', '404=NotFond'], ': did you mean NotFound?'],
  ['add', ['--resource', 'Pte'], ': did you mean NewPet or NewPets?'],
  ['deprecate', ['listPets', '--since', '2030-01-01'], 'the day of its end: --sunset 2030-06-30 or later'],
  ['mcp', ['--tools', 'Animal', '--spec', 'spec/openapi.yaml'], 'Did you mean Animals?'],
  ['docs', [], 'Name a folder for the docs: --out DIRECTORY'],
  ['docs', ['--out', 'x', '--server', 'here'], '--server is a URL'],
  ['mock', ['--webhooks', 'here'], '--webhooks is a URL'],
  ['check:contract', ['--seed', '1.5'], '--seed is a whole number'],
  ['check:database', ['x'], 'Unexpected argument "x"'],
  ['check:routes', ['x'], 'Unexpected argument "x"'],
  ['lint', ['a', 'b'], 'Unexpected argument "b"'],
  ['lint', ['a', '--spec', 'b'], 'Name one document'],
  ['init', [], 'Name the document'],
  ['deprecate', [], 'Give the operation that is to end'],
  ['client', [], 'Name a folder for the package: --out DIRECTORY'],
  ['client', ['--out', 'x', '--name', 'City Library'], 'as city-library or @city/library'],
  ['mock', ['--port', '99999'], '--port is a whole number from 0 to 65535'],
  ['mock', ['spec/openapi.yaml'], 'name the document as --spec spec/openapi.yaml'],
  ['check:contract', ['--requests', 'x'], '--requests is a whole number'],
  ['vendor', ['--host', 'https://api.example'], '--host is a name, with its port if needed'],
  ['mock', ['--latency', '800-200'], '--latency is a number of milliseconds'],
  ['mock', ['--errors', '5'], '--errors is a share from 0 to 1'],
  ['release', ['--now', 'today'], '--now is a day'],
]

/** The same of the engine's own commands. */
const own: [string, string[], string][] = [
  ['readme', ['--file'], "Option '--file <value>' argument missing"],
  ['check:mutants', ['--sample', '0'], '--sample is a whole number, 1 or more'],
  ['bench', ['--only', 'x'], '--only is a list of read, list, order, create'],
  ['test:faults', ['--only', 'kilsl'], 'did you mean kills?'],
  ['try:schemas', [], 'DIRECTORY is missing'],
  ['try:mocks', ['.', '--seconds', '0'], '--seconds is a whole number, 1 or more'],
  ['cluster', ['--port', '70000'], '--port is a number from 1 to 65535'],
]

const all = rootWith({ commands: { ...root.commands, ...labCommands } })

test.each([...commands, ...own])(
  '%s %j is explained as a wrong use, and nothing is done',
  async (name, args, why) => {
    for (const [given, message] of [
      [args, why],
      [['--frobnicate'], "Unknown option '--frobnicate'"],
    ] as const) {
      const told = await perform(all, [name, ...given])
      expect(told).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
      expect(told.stderr.split('\n').slice(1)).toEqual([
        expect.stringMatching(
          `^.npx spec-served ${name}( list)? --help. lists (what it takes|the commands)[.]$`,
        ),
      ])
      expect(told.stderr).not.toMatch(/^\s+at /m)
    }
  },
)

test.each([
  ['client', ['--out', 'package.json'], 'package.json: this is there already: name another, or remove it'],
  [
    'mock',
    ['--port', '0', '--seed', 'gone.json'],
    'gone.json: there is no such file or folder: check the name',
  ],
  ['mock', ['--port', '0', '--host', '192.0.2.1'], 'this machine has no such address; correct --host'],
  [
    'check:breaking',
    ['--base-ref', 'nowhere'],
    'Give --base-ref a commit, branch or tag of this repository.',
  ],
])('%s %j fails in one line that says what to do', async (name, args, message) => {
  const failed = await perform(all, [name, ...args])
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  expect(failed.stderr.split('\n')).toHaveLength(1)
})

test('every command has --help and completion, and those with data have --json', async () => {
  const helpOfAll = async (command: Command, path: string[]): Promise<void> => {
    const told = await perform(all, [...path, '--help'])
    expect(told, path.join(' ')).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toMatch(/^Usage: npx spec-served\b/)
    for (const name of command.commands ? [] : Object.keys(optionsOf(command)))
      expect(told.stdout).toContain(`--${name}`)
    const { example } = command
    if (example !== undefined) expect(told.stdout).toContain(`\nExample: npx spec-served ${path[0]}`)
    for (const [name, below] of Object.entries(await commandsOf(command)))
      await helpOfAll(below, [...path, name])
  }
  await helpOfAll(all, [])
})

test('help lists each command of the package once, in groups, and each has an example', async () => {
  const { stdout } = await perform(root, ['--help'])
  const headings = stdout.match(/^\S.*:$/gm)
  expect(headings).toEqual([
    'Begin and write:',
    'Check:',
    'Use the document:',
    'Operate the service:',
    'Others:',
  ])
  const names = Object.keys(await commandsOf(root))
  expect((stdout.match(/^ {2}[\w:]+ {2}/gm) ?? []).map(name => name.trim()).sort()).toEqual(names.sort())
  for (const [name, command] of Object.entries(await commandsOf(root)))
    if (!command.commands) expect(command.example, name).toContain(name)
})

test('an unknown command is explained in two lines', async () => {
  for (const [word, reason] of [
    ['generat', 'There is no command generat: did you mean generate?'],
    ['frobnicate', 'There is no command frobnicate'],
  ] as const)
    expect((await perform(root, [word])).stderr).toBe(
      `${reason}\n\`npx spec-served --help\` lists the commands.`,
    )
})

test('a file that can’t be read is a failure of every command, and with --json one that programs read', async () => {
  const missing = 'no/such.yaml'
  for (const args of [
    ['lint', missing],
    ['generate', '--spec', missing, '--out', 'x'],
    ['check:breaking', '--spec', missing],
    ['check:breaking', '--base', missing],
    ['release', '--spec', missing, '--released', 'no/such'],
    ['mock', '--spec', missing],
    ['client', '--spec', missing, '--out', 'x'],
    ['mcp', '--spec', missing],
    ['init', missing],
  ]) {
    const { code, output } = await runScript(args[0] ?? '', args.slice(1))
    expect([code, output], args.join(' ')).toEqual([1, expect.stringContaining(missing)])
  }
  const { code, stdout } = await perform(root, ['check:breaking', '--spec', missing, '--json'])
  expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ code: 'failed' })])
})

test('--help loads neither the document’s reader nor the service', async () => {
  const { PATH, NODE_OPTIONS } = process.env
  const place = temporaryDirectory()
  const env = { PATH, NODE_OPTIONS, NODE_V8_COVERAGE: place } // by which Node writes down each module that it has loaded
  const { stdout } = await promisify(execFile)('node', ['src/engine/service/cli.js', 'mock', '--help'], {
    env,
  })
  expect(stdout).toContain('Usage: ')
  const texts = await Promise.all((await readdir(place)).map(name => readFile(join(place, name), 'utf8')))
  const loaded: string[] = texts.flatMap(text =>
    JSON.parse(text).result.map((item: { url: string }) => item.url),
  )
  expect(loaded.some(url => url.endsWith('/commands.ts'))).toBe(true)
  expect(
    loaded.filter(url =>
      /node_modules|service\/(?!runtime|command|operate\/(program|tree|leaf)|cli)/.test(url),
    ),
  ).toEqual([])
  await rm(place, { recursive: true })
})

test('a command ends its process with the exit code', async () => {
  expect(await operate({}, 'lint', 'a', 'b')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Unexpected argument "b"'),
  })
})

test('the server takes no arguments, and says what sets it up', async () => {
  const started = promisify(execFile)('node', ['src/main.js', '--port', '4000'])
  await expect(started).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('PORT') })
})
