import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runCommand } from './arguments.ts'

/** What must hold of every commit, each by the command that shows it alone. */
const steps = {
  document: 'node scripts/lint-spec.ts',
  'generated files': 'node scripts/generate.ts --check',
  'database and document': 'node scripts/check-database.ts',
  'handlers are written': 'node scripts/check-written.ts',
  'routes and document': 'node scripts/check-routes.ts',
  'service and document': 'node scripts/check-contract.ts',
  'changes for clients': 'node scripts/check-breaking.ts',
  'tables of the README': 'node scripts/readme.ts --check',
  // What was checked before is remembered: only what has changed, and what rests on it, is looked at anew.
  types: 'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo',
  'types of the docs page': 'tsc -p src/engine/docs',
  linter: 'biome ci --error-on-warnings --colors=off',
}

/** Runs a command; its output comes in one piece, when it ends. */
async function run(command: string): Promise<{ passed: boolean; output: string }> {
  const [program = '', ...args] = command.split(' ')
  const env = { ...process.env, FORCE_COLOR: '0' }
  return promisify(execFile)(program, args, { env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    // What execFile throws has these.
    ({ stdout, stderr, message }: { stdout: string; stderr: string; message: string }) => ({
      passed: false,
      output: stdout + stderr || message,
    }),
  )
}

const usage = `Usage: npm run check

Runs all that must hold of every commit, and shows what does not:
${Object.entries(steps)
  .map(([name, command]) => `  ${name.padEnd(22)}  ${command}`)
  .join('\n')}`

await runCommand({ usage }, async () => {
  const results = await Promise.all(
    Object.entries(steps).map(async ([name, command]) => {
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
