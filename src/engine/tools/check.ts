import { execFile } from 'node:child_process'
import { constants } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { exitCodes, type Outcome } from 'spec-served/internal/command/command'
import { projectSettings } from 'spec-served/internal/command/project'
import { onSignal } from 'spec-served/internal/process/stopping'
import { versionOf } from './versions.ts'

/** The command line of one of these commands. */
const command = (name: string) => ['node', relative('.', program), name].join(' ')
const program = fileURLToPath(import.meta.resolve('spec-served/cli'))

/** The steps that start the service or a database. */
const slow = {
  'database and document': command('check:database'),
  'routes and document': command('check:routes'),
  'service and document': command('check:contract'),
}

/** Returns the rules for every commit, each with the command that shows it alone. */
const stepsOf = (): Record<string, string> => ({
  document: command('lint'),
  'generated files': command('generate --check'),
  'handlers are written': command('check:written'),
  ...slow,
  'changes for clients': command('check:breaking'),
  // The cache lets the compiler look again only at changed files and at those that rest on them.
  types: 'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo',
  ...projectSettings().checks,
})

/** Runs a step; its output comes in one piece, when it ends. @param signal ends it before */
async function carryOut(line: string, signal: AbortSignal): Promise<{ passed: boolean; output: string }> {
  const [executable = '', ...args] = line.split(' ')
  const env = { ...process.env, FORCE_COLOR: '0' }
  return promisify(execFile)(executable, args, { env, maxBuffer: 1e8, signal }).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    // The errors of execFile have these properties.
    ({ stdout, stderr, message, code }: Record<'stdout' | 'stderr' | 'message' | 'code', string>) => ({
      passed: false,
      output: stdout + stderr || (code === 'ENOENT' ? notInstalled(executable) : message),
    }),
  )
}

/**
 * The compiler's output without the steps between an error and its reason: the last two lines of each say which property
 * differs, and how.
 */
const withoutSteps = (output: string) =>
  output.replace(/(: error TS\d+: .*\n)(?: {2,}.*\n)+?((?: {2,}.*\n){2})(?! )/g, '$1$2')

const notInstalled = (executable: string) =>
  executable === 'tsc'
    ? `tsc is not installed: npm install --save-dev typescript@${versionOf('typescript')} @types/node@${versionOf('@types/node')}\n`
    : `${executable} is not installed\n`

/** Runs all steps, and shows each as it begins and ends. */
export async function run({ fast, json }: { fast: boolean; json: boolean }): Promise<Outcome> {
  const due = Object.entries(stepsOf()).filter(([name]) => !fast || !(name in slow))
  const progress = showProgress()
  const ending = new AbortController()
  let signal: NodeJS.Signals | undefined
  onSignal(by => {
    signal = by
    ending.abort()
  })
  const steps = await Promise.all(
    due.map(async ([name, line]) => {
      const begun = performance.now()
      progress.begins(name)
      const { passed, output } = await carryOut(line, ending.signal)
      const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1))
      progress.ends(name)
      if (!json && !(signal && !passed)) {
        console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${line}, ${seconds.toFixed(1)} s)`)
        if (!passed) console.log(withoutSteps(output).replace(/^/gm, '        '))
      }
      return { step: name, command: line, passed, seconds, ...(!passed && { output }) }
    }),
  ).finally(progress.close)
  if (signal)
    return {
      json: steps,
      lines: [`Ended by ${signal}, and with it the steps that were running.`],
      code: codeOf(signal),
    }
  const code = steps.every(({ passed }) => passed) ? exitCodes.done : exitCodes.failed
  return { json: steps, lines: [], code }
}

/** The exit code of a program that a signal has ended. */
const codeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal]

/** Shows the steps under way: on a terminal in one line that moves, else in a line for each that begins. */
function showProgress() {
  const { stderr } = process
  const begun = performance.now()
  const running = new Set<string>()
  const wipe = '\r\u001b[K'
  const draw = () => {
    const line = `${((performance.now() - begun) / 1_000).toFixed(0)} s: ${[...running].join(', ')}`
    stderr.write(wipe + line.slice(0, (stderr.columns ?? 80) - 1))
  }
  const timer = stderr.isTTY ? setInterval(draw, 1_000) : undefined
  return {
    begins(name: string) {
      running.add(name)
      if (timer) draw()
      else console.error(`begins  ${name}`)
    },
    ends(name: string) {
      running.delete(name)
      if (timer) stderr.write(wipe) // the line of its end takes the place
    },
    close() {
      clearInterval(timer)
      if (timer) stderr.write(wipe)
    },
  }
}
