import { execFile } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { runScript } from '../support/command.ts'

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    execFile('node', args, { env: { PATH, NODE_COMPILE_CACHE } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

/** Every command, with a wrong use of its own kind and what is said of it. */
const commands: [string, string[], string][] = [
  ['petstore', ['keys', 'list', 'all'], 'Unexpected argument "all"'],
  ['scripts/demo', ['--animals', 'many'], '--animals is a whole number'],
  ['readme', ['--file'], "Option '--file <value>' argument missing"],
  ['generate', ['--check', '--check'], '--check is given twice'],
  ['check', ['--fats'], "Unknown option '--fats': did you mean --fast?"],
  ['check-breaking', ['--format', 'xml'], '--format is one of'],
  ['check-contract', ['--seed', '1.5'], '--seed is a whole number'],
  ['check-database', ['x'], 'Unexpected argument "x"'],
  ['src/engine/test/mutants/run', ['--sample', '0'], '--sample is a whole number, 1 or more'],
  ['check-routes', ['x'], 'Unexpected argument "x"'],
  ['lint-spec', ['a', 'b'], 'Unexpected argument "b"'],
  ['release', ['--now', 'today'], '--now is a day'],
  ['src/engine/test/bench/run', ['--only', 'x'], '--only is a list of read, list, order, create'],
]

describe.each(commands)('%s', (name, wrong, message) => {
  test('a command explains a wrong use and does nothing', async () => {
    const [own, unknown] = [await runScript(name, wrong), await runScript(name, ['--frobnicate'])]
    expect(own).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("Unknown option '--frobnicate'"),
    })
    for (const { stderr } of [own, unknown]) {
      expect(stderr).toContain('Usage: ')
      expect(stderr).not.toMatch(/^\s+at /m)
    }
  })

  test('a command tells its usage when asked', async () => {
    expect(await runScript(name, ['--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: '),
      stderr: '',
    })
  })
})

test('a command ends its process with the exit code', async () => {
  expect(await run('src/engine/tools/lint-spec.ts', 'a', 'b')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Unexpected argument "b"'),
  })
})

test('the server takes no arguments, and says what sets it up', async () => {
  expect(await run('src/main.js', '--port', '4000')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('PORT'),
  })
})
