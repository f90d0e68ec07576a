import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { promisify } from 'node:util'
import { aligned, flag, runCommand } from './command/arguments.ts'
import { moduleBeside, projectSettings } from './command/project.ts'

/** The command that a module beside this one is. */
const command = (name: string, ...args: string[]) =>
  ['node', relative('.', moduleBeside(`./${name}`, import.meta)), ...args].join(' ')

/** The steps that start the service or a database. */
const slow = {
  'database and document': command('check-database'),
  'routes and document': command('check-routes'),
  'service and document': command('check-contract'),
}

/** The rules for every commit, each with the command that shows it alone. */
const steps = {
  document: command('lint-spec'),
  'generated files': command('generate', '--check'),
  'handlers are written': command('check-written'),
  ...slow,
  'changes for clients': command('check-breaking'),
  // The cache lets the compiler look again only at changed files and at those that rest on them.
  types: 'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo',
  ...projectSettings().checks,
}

/** Runs a command; its output comes in one piece, when it ends. */
async function run(command: string): Promise<{ passed: boolean; output: string }> {
  const [program = '', ...args] = command.split(' ')
  const env = { ...process.env, FORCE_COLOR: '0' }
  return promisify(execFile)(program, args, { env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    // The errors of execFile have these properties.
    ({ stdout, stderr, message }: { stdout: string; stderr: string; message: string }) => ({
      passed: false,
      output: stdout + stderr || message,
    }),
  )
}

const usage = `Usage: npm run check -- [OPTIONS]

Runs all that must hold of every commit, and shows what does not:
${aligned(Object.entries(steps)).join('\n')}
`

const options = { fast: flag(`leave out what takes longest: ${Object.keys(slow).join(', ')}`) }

await runCommand({ usage, options }, async ({ fast }) => {
  const due = Object.entries(steps).filter(([name]) => !fast || !(name in slow))
  const results = await Promise.all(
    due.map(async ([name, command]) => {
      if (process.stderr.isTTY) console.error(`begins  ${name}`)
      const started = performance.now()
      const { passed, output } = await run(command)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name} (${command}, ${seconds} s)`)
      if (!passed) console.log(output.replace(/^/gm, '        '))
      return passed
    }),
  )
  return results.every(Boolean) ? 0 : 1
})
