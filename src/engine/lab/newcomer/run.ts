import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { apply, commandsOf, linkPackages, type Step, stepsOf, writtenIn } from '../support/petstore.ts'

/** The most lines that a reader may have to write, by the recipe. */
const mostLines: Record<string, number> = { 'An operation': 25, 'A resource with a table': 120 }

/** Runs a command as a reader would; its output is shown when it fails. */
async function carryOut(command: string, directory: string): Promise<boolean> {
  const begun = performance.now()
  process.stdout.write(`  $ ${command}\n`)
  const child = spawn('sh', ['-c', command], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', data => (output += data))
  child.stderr.on('data', data => (output += data))
  const code = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail))
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  console.log(`    ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
  if (code !== 0) console.log(output.replace(/^/gm, '    '))
  return code === 0
}

async function follow(step: Step, directory: string, isTested: boolean): Promise<boolean> {
  if (step.kind === 'diff') {
    await apply(step, directory)
    console.log(`  ${writtenIn(step)} lines written by hand`)
    return true
  }
  for (const command of commandsOf(step))
    if (command === 'npm test' && !isTested) console.log('  $ npm test\n    left out')
    else if (!(await carryOut(command, directory))) return false
  return true
}

export async function run({
  from,
  link,
  untested,
  keep,
}: { from: string } & Record<'link' | 'untested' | 'keep', boolean>): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'petstore-newcomer-'))
  await chmod(root, 0o755) // PostgreSQL runs from there as a user of its own when the tests run as root
  const directory = join(root, 'petstore')
  console.log(`In ${directory}`)
  try {
    if (!(await carryOut(`git clone --quiet --no-hardlinks '${resolve(from)}' '${directory}'`, root)))
      return 1
    if (link) linkPackages(directory)
    else if (!(await carryOut('npm ci', directory))) return 1
    const [, recipes] =
      /\]\((spec\/recipes\.md)\)/.exec(await readFile(join(directory, 'README.md'), 'utf8')) ?? []
    if (recipes === undefined) throw new Error('README leads to no recipes')
    const steps = stepsOf(await readFile(join(directory, recipes), 'utf8'))
    let heading = ''
    const written: Record<string, number> = {}
    for (const step of steps) {
      if (step.heading !== heading) console.log(`${recipes}:${step.line} ${step.heading}`)
      heading = step.heading
      if (heading in mostLines && step.kind === 'diff')
        written[heading] = (written[heading] ?? 0) + writtenIn(step)
      if (!(await follow(step, directory, !untested))) return 1
    }
    const all = Object.entries(mostLines).map(([recipe, most]) => ({
      recipe,
      most,
      lines: written[recipe] ?? 0,
    }))
    for (const { recipe, lines, most } of all)
      console.log(`${recipe} took ${lines} lines by hand; ${most} at most are allowed.`)
    return all.every(({ lines, most }) => lines > 0 && lines <= most) ? 0 : 1
  } finally {
    if (!keep) await rm(root, { recursive: true, maxRetries: 3 })
  }
}
