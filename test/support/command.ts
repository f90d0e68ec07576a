import { resolve } from 'node:path'
import { vi } from 'vitest'

let runs = 0

/**
 * Runs a command of `scripts/` to its end in the test's own process, where a start would take longer than the command.
 * Commands are run one after the other: their arguments and their exit code belong to the process.
 * @param directory where it runs
 */
export async function runScript(
  name: string,
  args: readonly string[],
  directory = '.',
): Promise<{ code: number; output: string }> {
  const module = `${resolve('scripts', name)}.ts?run=${++runs}` // a module runs once, so each run takes its own
  const lines: string[] = []
  const [from, given, code] = [process.cwd(), process.argv, process.exitCode]
  const spies = (['log', 'error'] as const).map(kind =>
    vi.spyOn(console, kind).mockImplementation(text => void lines.push(`${text}\n`)),
  )
  try {
    process.chdir(directory)
    process.argv = [process.execPath, name, ...args]
    process.exitCode = 0
    await import(module)
    return { code: Number(process.exitCode), output: lines.join('') }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = code
    process.argv = given
    process.chdir(from)
  }
}
