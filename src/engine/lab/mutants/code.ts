import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { endWithUs } from 'spec-served-cli/internal/local/process'
import { linkPackages } from '../support/petstore.ts'
import { type CodeFault, faultsIn, someOf, withFault } from './code-faults.ts'
import { testsOf } from './code-tests.ts'

/** The tests of `npm test`, by the projects of vitest. */
const projects = ['tools', 'postgres', 'docs'].flatMap(name => ['--project', name])
/** How many test files run at first and afterwards, and how long, in ms. */
const rounds = [
  { files: 6, within: 120_000 },
  { files: 16, within: 300_000 },
]

/**
 * Puts faults into the code of a folder, one at a time, in a copy of the project. Tells those that neither the tests near it
 * nor the compiler see.
 * @returns how many survived
 */
export async function tryCode(folder: string, count: number, seed: number): Promise<number> {
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
  const copy = temporaryDirectory()
  try {
    for (const name of tracked) cpSync(name, join(copy, name))
    linkPackages(copy)
    const isCode = (name: string) =>
      name.startsWith(`${folder}/`) &&
      /\.ts$/.test(name) &&
      !/\/(test|generated|migrations|page)\//.test(name)
    const all = tracked.filter(isCode).flatMap(name => faultsIn(name, readFileSync(name, 'utf8')))
    const tests = testsListed(copy, folder)
    const faults = someOf(all, count, seed)
    console.log(`${faults.length} of ${all.length} faults in ${folder}`)
    let survived = 0
    for (const [index, fault] of faults.entries()) {
      const seenBy = await verdict(copy, fault, testsOf(fault.file, tests))
      if (seenBy === undefined) survived++
      const { file, line, was, is } = fault
      const change = `${was} → ${is}`.replaceAll(/\s+/g, ' ').slice(0, 160)
      console.log(
        `${index + 1}/${faults.length} ${seenBy ? 'seen    ' : 'SURVIVED'} ${file}:${line}  ${change}`,
      )
      if (seenBy) console.log(`    by ${seenBy}`)
    }
    console.log(`Score: ${faults.length - survived} of ${faults.length}`)
    return survived
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** The test files of `npm test`; those of the page only for code of the page, as a browser takes long. */
function testsListed(copy: string, folder: string): string[] {
  const args = ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', ...projects]
  const listed = execFileSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  const names = [...listed.matchAll(/\] (\S+\.test\.ts)$/gm)].map(([, name = '']) => name)
  return names.filter(name => folder.includes('docs') || !name.startsWith('src/engine/docs/test/'))
}

/** test files that fail without any fault: they tell nothing */
const broken = new Set<string>()
const sound = new Set<string>()

/** Returns the test, or the compiler, that sees a fault; undefined if none does. */
async function verdict(
  copy: string,
  fault: CodeFault,
  tests: readonly string[],
): Promise<string | undefined> {
  const file = join(copy, fault.file)
  const text = readFileSync(fault.file, 'utf8')
  let from = 0
  try {
    for (const { files, within } of rounds) {
      const some = tests.filter(name => !broken.has(name)).slice(from, from + files)
      from += files
      for (;;) {
        writeFileSync(file, withFault(text, fault))
        const failed = await failing(
          copy,
          some.filter(test => !broken.has(test)),
          within,
        )
        if (failed === undefined) break
        const name = failed.file
        if (name === undefined || sound.has(name)) return failed.told
        writeFileSync(file, text)
        if ((await failing(copy, [name], within)) === undefined) {
          sound.add(name)
          return failed.told
        }
        broken.add(name)
      }
    }
    writeFileSync(file, withFault(text, fault))
    return (await run(copy, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'], 300_000)) === 0
      ? undefined
      : 'the compiler'
  } finally {
    writeFileSync(file, text)
  }
}

/** Runs test files until one fails. */
async function failing(copy: string, files: readonly string[], within: number) {
  if (files.length === 0) return undefined
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const options = ['--bail', '1', '--reporter', 'json', '--outputFile', report, '--passWithNoTests']
  const code = await run(
    copy,
    ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...options, ...files],
    within,
  )
  if (code === 0) return undefined
  if (code === null) return { told: 'a time-out', file: undefined }
  return failureIn(report)
}

function failureIn(report: string) {
  interface Report {
    testResults: {
      name: string
      status: string
      message: string
      assertionResults: { status: string; fullName: string }[]
    }[]
  }
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report // by vitest
    // Files that were cut off by the first failure count as failed, too, and say nothing.
    const isTold = ({ message, assertionResults }: Report['testResults'][number]) =>
      message !== '' || assertionResults.some(({ status }) => status === 'failed')
    const failedFile = testResults.find(isTold)
    const name = failedFile?.name.replace(/^.*?\/(?=(test|src\/engine\/test)\/)/, '')
    const test =
      failedFile?.assertionResults.find(({ status }) => status === 'failed')?.fullName ??
      failedFile?.message.slice(0, 80)
    return { told: `${name}: ${test}`, file: name }
  } catch {
    return { told: 'a run without a report', file: undefined }
  }
}

/** Returns the exit code of a program in the copy; null if it took too long. */
function run(cwd: string, args: readonly string[], within: number): Promise<number | null> {
  const child = endWithUs(spawn(process.execPath, args, { cwd, stdio: 'ignore', detached: false }))
  const timer = setTimeout(() => child.kill('SIGTERM'), within)
  return new Promise(done =>
    child.once('exit', code => {
      clearTimeout(timer)
      done(code)
    }),
  )
}
