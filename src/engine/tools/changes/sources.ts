import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DocumentRefused, type Fault } from 'spec-served-document/reading/fault'
import type { ReadDocument } from 'spec-served-document/reading/read'
import { readWithOverlays } from '../project-document.ts'
import { compareVersions, isVersion } from './version.ts'

const run = promisify(execFile)

/**
 * Reads a document as it was at a git ref (a commit, branch or tag). `REF:PATH` names it, and each file that it refers
 * to.
 * @throws DocumentRefused as `readDocument` does
 * @throws Error when there is no such ref
 */
export async function readFromGit(ref: string, file: string): Promise<ReadDocument> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-base-'))
  try {
    const top = (await git(['rev-parse', '--show-toplevel'])).trim()
    const options = { cwd: top, env: { ...process.env, GIT_INDEX_FILE: join(directory, '.index') } }
    await git(['read-tree', `${ref}^{tree}`], options)
    await git(['checkout-index', '--all', `--prefix=${directory}/`], options)
    const path = relative(top, resolve(file))
    if (path.startsWith('..')) throw new Error(`${file} is not in ${top}`)
    const nameOf = (copy: string) => `${ref}:${relative(directory, resolve(copy))}`
    const named = (fault: Fault) => ({ ...fault, file: nameOf(fault.file) })
    const read = await readWithOverlays(join(directory, path)).catch((error: unknown) => {
      throw error instanceof DocumentRefused ? new DocumentRefused(error.faults.map(named)) : error
    })
    return {
      ...read,
      files: read.files.map(nameOf),
      faultAt: (...place) => named(read.faultAt(...place)),
      notes: () => read.notes().map(named),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** @throws Error with what git says, in one line */
async function git(args: string[], options: object = {}): Promise<string> {
  try {
    const { stdout } = await run('git', args, options)
    return String(stdout)
  } catch (error) {
    const { code, stderr = '' }: { code?: unknown; stderr?: string } = Object(error)
    if (code === 'ENOENT')
      throw new Error('There is no git here: install it, or give --base FILE', { cause: error })
    const [said = ''] = stderr.replace(/^fatal: /, '').split('\n')
    throw new Error(`git: ${said}. Give --base-ref a commit, branch or tag of this repository.`, {
      cause: error,
    })
  }
}

/** The files of the released versions, oldest first. */
export async function releasedFiles(directory: string): Promise<string[]> {
  const files = await readdir(directory).catch(() => [])
  return files
    .filter(file => file.endsWith('.yaml') && isVersion(basename(file, '.yaml')))
    .sort((a, b) => compareVersions(basename(a, '.yaml'), basename(b, '.yaml')))
    .map(file => join(directory, file))
}
