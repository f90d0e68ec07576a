import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { reachableFrom } from './imports.ts'
import { withoutDeadLinks } from './links.ts'
import { copyTo, type Newcomer } from './place.ts'
import { nameOf, newTexts, withName } from './texts.ts'
import type { Division } from './trade.ts'

/** Runs a program of the project. @returns what it has said, and whether it went well */
function run(program: string, ...args: string[]): { isRight: boolean; output: string } {
  const path = `${join(process.cwd(), 'node_modules/.bin')}:${process.env.PATH}`
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: path, FORCE_COLOR: '0' },
  })
  return { isRight: status === 0, output: stdout + stderr }
}

/** The files that git knows, and those that it would. */
export function projectFiles(): string[] {
  const { isRight, output } = run('git', 'ls-files', '--cached', '--others', '--exclude-standard')
  return isRight ? output.split('\n').filter(file => file !== '' && existsSync(file)) : []
}

/** What was changed and is not committed; undefined where there is no git to bring anything back. */
export function uncommitted(but: Iterable<string>): string[] | undefined {
  const { isRight, output } = run('git', 'status', '--porcelain', '--untracked-files=all')
  if (!isRight) return undefined
  const own = new Set(but)
  return output.split('\n').filter(line => line !== '' && !own.has(line.slice(3)))
}

/** Removes files, and the folders that are left empty. */
function remove(files: Iterable<string>): void {
  for (const file of files) {
    rmSync(file, { force: true })
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
      if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
  }
}

/**
 * Puts a document in the place of the project's and takes away what only that one needed.
 * @param told is handed each step, for who waits
 * @returns the handlers that were left out, as they do not compile with the document
 * @throws Error with what a program has said
 */
export async function take(
  { model, files }: Newcomer,
  { gone, kept }: Division,
  told: (step: string) => void,
): Promise<string[]> {
  const expect = (program: string, ...args: string[]) => {
    const { isRight, output } = run(program, ...args)
    if (!isRight) throw new Error(`${[program, ...args].join(' ')}:\n${output}`)
  }
  told('puts the document in its place')
  await copyTo('.', files)
  remove(gone)
  const steps = readFileSync('migrations/index.ts', 'utf8')
  writeFileSync('migrations/index.ts', withoutSteps(steps))
  let hasKeys = kept.includes('src/handlers/api-keys.ts')
  writeNew(model, hasKeys)

  told('generates, and compiles')
  expect('node', 'scripts/generate.ts')
  // A handler for an operation of the same name and path may still be about other fields.
  const misfits = kept.filter(file => compiled().includes(file))
  if (misfits.length > 0) {
    remove(misfits)
    if (misfits.includes('src/handlers/api-keys.ts')) {
      hasKeys = false
      writeNew(model, hasKeys)
    }
    expect('node', 'scripts/generate.ts')
  }

  told('removes what nothing leads to any more')
  remove(unreached())
  renameSync('scripts/petstore.ts', `scripts/${nameOf(model)}.ts`)
  rewrite(nameOf(model), model.document)
  expect('node', 'scripts/readme.ts')
  // All else is as it was, and formatted.
  expect('biome', 'check', '--write', '--error-on-warnings', '--no-errors-on-unmatched', ...changed())
  return misfits
}

/** The files that differ from what is committed, those that git does not know yet too. */
function changed(): string[] {
  const { output } = run('git', 'ls-files', '--modified', '--others', '--exclude-standard')
  return output.split('\n').filter(file => /\.(ts|js|json)$/.test(file) && existsSync(file))
}

function writeNew(model: Newcomer['model'], hasKeys: boolean): void {
  for (const [file, text] of newTexts(model, hasKeys)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

let faults: string | undefined
/** What the compiler says of the service. */
function compiled(): string {
  faults ??= run('tsc', '--noEmit', '-p', 'scripts/dev/tsconfig.json').output
  return faults
}

/** The table of migrations without those whose files are gone. */
function withoutSteps(text: string): string {
  const imports = [...text.matchAll(/^import \* as (\w+) from '(\.\/[^']+)'$/gm)]
  const lost = imports.filter(([, , file = '']) => !existsSync(join('migrations', file)))
  return text
    .split('\n')
    .filter(
      line => !lost.some(([whole, name = '']) => line === whole || new RegExp(`: ${name},$`).test(line)),
    )
    .join('\n')
}

/** Code of the trade and helpers of tests that nothing leads to. */
function unreached(): string[] {
  const all = projectFiles()
  const commands = all.filter(file => /^scripts\/[^/]+\.ts$|^scripts\/dev\/|^vitest\.config\.ts$/.test(file))
  const tests = all.filter(file =>
    /^test\/.*(\.test\.ts|-setup\.ts|support\/(browser|longest-first)\.ts)$/.test(file),
  )
  const reached = reachableFrom([
    'src/main.js',
    'src/compile-cache.js',
    'migrations/index.ts',
    ...commands,
    ...tests,
  ])
  return all.filter(
    file =>
      /^(src\/(handlers|store|commands)|test\/(support|engine))\/.*\.ts$/.test(file) && !reached.has(file),
  )
}

/** The service's own name instead of the pet store's, and no link to what is gone. */
function rewrite(name: string, document: Newcomer['model']['document']): void {
  for (const file of ['package.json', 'package-lock.json'])
    writeFileSync(file, withName(readFileSync(file, 'utf8'), name, document))
  const isText = /\.(ts|js|json|ya?ml|md|cfg)$|^Dockerfile$|^\.ci\/run$/
  const others = /^(spec|src\/generated|scripts\/document)\/|^package-lock\.json$/
  for (const file of projectFiles()) {
    if (!isText.test(file) || others.test(file)) continue
    const before = readFileSync(file, 'utf8')
    let text = before.replaceAll('petstore', name).replaceAll('pet_live_', `${name.slice(0, 3)}_live_`)
    if (file.endsWith('.md')) text = withoutDeadLinks(text, file)
    if (file === '.ci/run') text = text.replace(/^npm run test:faults.*\n/m, '')
    if (text !== before) writeFileSync(file, text)
  }
  for (const file of projectFiles().filter(
    one => one.startsWith('test/support/') && one.includes('petstore'),
  ))
    renameSync(file, join(dirname(file), file.slice(dirname(file).length + 1).replaceAll('petstore', name)))
}
