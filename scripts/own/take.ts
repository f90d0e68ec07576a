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
import { basename, dirname, join } from 'node:path/posix'
import type { Model } from '../../src/document/model.ts'
import { withReferences } from './references.ts'
import { nameOf, newTexts, shownTables, withName, withoutDeadLinks } from './texts.ts'
import { type Division, leftOver } from './trade.ts'

/** Runs a program of the project. @returns what it has said, and whether it went well */
function run(program: string, ...args: string[]): { isRight: boolean; output: string } {
  const path = `${join(process.cwd(), 'node_modules/.bin')}:${process.env.PATH}`
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: path, FORCE_COLOR: '0' },
  })
  return { isRight: status === 0, output: stdout + stderr }
}

/** The same. @throws Error with what it has said, where it did not go well */
function expect(program: string, ...args: string[]): string {
  const { isRight, output } = run(program, ...args)
  if (!isRight) throw new Error(`${[program, ...args].join(' ')}:\n${output}`)
  return output
}

/** The files that git knows and that it would, of the project or only those that are changed. */
export function projectFiles(which = '--cached'): string[] {
  const { output } = run('git', 'ls-files', which, '--others', '--exclude-standard')
  return output.split('\n').filter(file => file !== '' && existsSync(file))
}

/**
 * What was changed and is not committed.
 * @throws Error where there is no git to bring anything back
 */
export function uncommitted(but: Iterable<string>): string[] {
  const { isRight, output } = run('git', 'status', '--porcelain', '--untracked-files=all')
  if (!isRight) throw new Error('This is no git repository: nothing could bring back what goes')
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

/** Writes a file over with what becomes of its text. */
function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8')
  const after = change(before)
  if (after !== before) writeFileSync(file, after)
}

/**
 * Puts a document in the place of the project's and takes away what only that one needed.
 * @param places of the document's files
 * @param told is handed each step, for who waits
 * @returns the handlers that were left out, as they do not compile with the document
 * @throws Error with what a program has said
 */
export async function take(
  model: Model,
  places: ReadonlyMap<string, string>,
  { gone, kept }: Division,
  told: (step: string) => void,
): Promise<string[]> {
  told('puts the document in its place')
  const texts = [...places].map(([from, to]) => [
    to,
    withReferences(readFileSync(from, 'utf8'), from, places),
  ])
  for (const [to = '', text = ''] of texts) {
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, text)
  }
  remove(gone)
  const steps = gone.filter(file => file.startsWith('migrations/')).map(file => basename(file, '.ts'))
  edit('migrations/index.ts', text =>
    text
      .split('\n')
      .filter(line => !steps.some(step => line.includes(step)))
      .join('\n'),
  )
  for (const [file, text] of newTexts(model)) writeFileSync(file, text)
  edit('scripts/document/rules.ts', text => text.replace(/ = 'full'$/m, " = 'limits'"))

  told('generates, and compiles')
  expect('node', 'scripts/generate.ts')
  // A handler for an operation of the same name may still be about other fields.
  const faults = kept.length > 0 ? run('tsc', '--noEmit', '-p', 'scripts/dev/tsconfig.json').output : ''
  const misfits = kept.filter(file => faults.includes(file))
  remove(misfits)
  if (misfits.length > 0) expect('node', 'scripts/generate.ts')
  writeFileSync('scripts/contract/tables.ts', shownTables(existsSync('src/handlers/api-keys.ts')))

  told('removes what nothing leads to any more')
  remove(leftOver(projectFiles()))
  rename(nameOf(model), model.document)
  expect('node', 'scripts/readme.ts')
  // All else is as it was, and formatted.
  const code = projectFiles('--modified').filter(file => /\.(ts|js|json)$/.test(file))
  expect('biome', 'check', '--write', '--error-on-warnings', '--no-errors-on-unmatched', ...code)
  return misfits
}

/** Puts the service's own name in the place of the pet store's, and takes away links to what is gone. */
function rename(name: string, document: Model['document']): void {
  for (const file of ['package.json', 'package-lock.json'])
    edit(file, text => withName(text, name, document, existsSync))
  for (const file of projectFiles().filter(one => /^(scripts|test\/support)\/[^/]*petstore/.test(one)))
    renameSync(file, file.replaceAll('petstore', name))
  const isText = /\.(ts|js|json|ya?ml|md|cfg)$|^Dockerfile$|^\.ci\/run$/
  const others = /^(spec|src\/generated|scripts\/document)\/|^package-lock\.json$/
  for (const file of projectFiles().filter(one => isText.test(one) && !others.test(one)))
    edit(file, before => {
      const text = before.replaceAll('petstore', name).replaceAll('pet_live_', `${name.slice(0, 3)}_live_`)
      if (file === '.ci/run') return text.replace(/^npm run test:faults.*\n/m, '')
      return file.endsWith('.md') ? withoutDeadLinks(text, file) : text
    })
}
