import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type CommandResult, perform } from 'spec-served/internal/command/run'
import { root } from 'spec-served-cli'
import { vi } from 'vitest'

/** Runs an operator's command, which prints nothing itself. */
export const runCommand = (args: readonly string[]): Promise<CommandResult> => perform(root, args)

/** The option by which Node runs the packages of this repository from their sources. */
export const fromSources = '--conditions=spec-served-source'

/** The program `spec-served` of this repository, for a shell in any folder. */
export const programLine = `node ${fromSources} ${resolve('src/engine/service/cli.js')}`

let runs = 0

/** The commands behind `npm run NAME`. */
const { scripts } = JSON.parse(await readFile('package.json', 'utf8'))

/**
 * The same for a line that a reader would write: `npm run generate -- --check`, `node src/engine/service/cli.js check:written`.
 * @returns undefined where it is none of our commands
 */
export function runLine(line: string, directory: string): ReturnType<typeof runScript> | undefined {
  const [, name = '', rest = ''] = /^npm run ([\w:-]+)(?: --)?(.*)$/.exec(line) ?? []
  const command = name ? `${scripts[name]} ${rest}` : line
  const [, script, args = ''] = /^(?:exec )?node ([\w./-]+\.[jt]s)(.*)$/.exec(command) ?? []
  if (script === undefined) return undefined
  const words = [...args.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
  return runScript(script, words, directory)
}

/**
 * Runs a command of the package, or a program by its path, to its end in the test's own process. A start may take longer
 * than the command. Commands are run one after the other: their arguments and their exit code belong to the process.
 * @param name of the command, or the path of the program
 * @param directory the one it runs in
 */
export async function runScript(
  name: string,
  args: readonly string[],
  directory = '.',
): Promise<{ code: number; stdout: string; stderr: string; output: string }> {
  const isProgram = name.includes('/')
  const program = isProgram ? name : 'src/engine/service/cli.js'
  const module = `${resolve(program)}?run=${++runs}` // a module runs once, so each run takes its own
  const printed: { kind: 'log' | 'error'; line: string }[] = []
  const textOf = (lines: typeof printed) => lines.map(({ line }) => line).join('')
  const [from, argv, code] = [process.cwd(), process.argv, process.exitCode]
  const spies = (['log', 'error'] as const).map(kind =>
    vi.spyOn(console, kind).mockImplementation(text => void printed.push({ kind, line: `${text}\n` })),
  )
  try {
    process.chdir(directory)
    process.argv = [process.execPath, program, ...(isProgram ? [] : [name]), ...args]
    process.exitCode = 0
    await import(module)
    return {
      code: Number(process.exitCode),
      stdout: textOf(printed.filter(({ kind }) => kind === 'log')),
      stderr: textOf(printed.filter(({ kind }) => kind === 'error')),
      output: textOf(printed),
    }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = code
    process.argv = argv
    process.chdir(from)
  }
}
