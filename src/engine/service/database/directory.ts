import fs from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { flushDirectory, flushTree, flushWithName } from './flush.ts'

/** The meaning of the system's errors for operators. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'its file system can only be read',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a directory',
  ENOENT: 'its file system takes no directories',
  ENOSPC: 'the disk is full',
}

export function reasonOf(error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException // absent on other values than Errors
  return reasons[code] ?? message
}

/** Creates the directory of the embedded database, for its owner alone. @throws Error with a remedy */
export async function makeDataDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory)
  } catch (error) {
    throw new Error(
      `The directory ${directory} can't be made: ${reasonOf(error)}. Set DATA_DIR to one that this process may write to`,
      { cause: error },
    )
  }
  const { uid } = fs.statSync(directory)
  const self = process.getuid?.() // absent on Windows
  if (self === undefined || uid === self) return
  throw new Error(
    `The directory ${directory} belongs to another user (${uid}) than this process (${self}): run ` +
      `\`chown -R ${userInfo().username} ${directory}\`, or set DATA_DIR to another directory`,
  )
}

// Node's own recursive mkdir never ends on a file system that takes no directories, such as /proc.
async function makeDirectory(directory: string): Promise<void> {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  if (!fs.existsSync(dirname(directory))) await makeDirectory(dirname(directory))
  fs.mkdirSync(directory, { mode: 0o700 })
  await flushDirectory(dirname(directory))
}

/**
 * Creates a new database where there is none. PGlite would create one over the files of a damaged database. It would
 * also take an unfinished database, left by a killed process, for a complete one.
 * @param open creates or opens the database in a directory; gets whether it is new
 * @param fill puts the files of a new database there, if it can
 * @throws Error with a remedy when the directory holds something else, or a database that can't be opened
 */
export async function createOrOpen<T>(
  dataDirectory: string,
  open: (directory: string, isNew: boolean) => Promise<T>,
  fill?: (directory: string) => Promise<void>,
) {
  const directory = join(dataDirectory, 'postgres')
  const unfinished = join(dataDirectory, 'unfinished')
  try {
    if (fs.existsSync(unfinished)) fs.rmSync(directory, { recursive: true, force: true })
    const isNew = !fs.existsSync(directory) || fs.readdirSync(directory).length === 0
    if (isNew) {
      fs.writeFileSync(unfinished, '')
      await flushWithName(unfinished)
      await fill?.(directory)
    } else if (!fs.existsSync(join(directory, 'PG_VERSION'))) throw new Error('PG_VERSION is missing')
    const database = await open(directory, isNew)
    if (isNew) {
      await flushTree(directory)
      fs.rmSync(unfinished, { force: true })
      await flushDirectory(dataDirectory) // what is served from now on must not be taken for unfinished
    }
    return database
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error // it is no fault of the database
    throw new Error(
      `The embedded database in ${directory} can't be opened (${reasonOf(error)}): it is damaged, of another ` +
        'version, or not writable. Bring it back from a copy, or set DATA_DIR to another directory',
      { cause: error },
    )
  }
}

/** A data directory without a database, and what to do. */
export class NoDatabase extends Error {
  /** whether a process has begun with the directory: it may be creating the database */
  readonly isBegun: boolean

  constructor(dataDirectory: string) {
    super(
      `There is no database in ${resolve(dataDirectory)}: set DATA_DIR to the directory that has it, or create it ` +
        'there with `npx spec-served migrate up` or a start of the server',
    )
    this.isBegun = fs.existsSync(join(dataDirectory, 'lock'))
  }
}

/** @throws NoDatabase */
export function needDatabase(dataDirectory: string): void {
  if (!fs.existsSync(join(dataDirectory, 'postgres', 'PG_VERSION'))) throw new NoDatabase(dataDirectory)
}

/** The service's files in a data directory or a backup, except its socket. */
const ours = /^(postgres|lock([.-].*)?|api-key|unfinished|backup\.json)$/

/** Denies others access to the service's files in a directory, and to the directory if it holds nothing else. */
export function makePrivate(directory: string): void {
  const names = fs.readdirSync(directory)
  if (names.every(name => ours.test(name) || name === 'socket')) mend(directory)
  for (const name of names.filter(candidate => ours.test(candidate))) {
    const path = join(directory, name)
    if (!mend(path)) continue
    for (const entry of fs.readdirSync(path, { withFileTypes: true, recursive: true }))
      mend(join(entry.parentPath, entry.name))
  }
}

/** @returns whether the path is a directory */
function mend(path: string): boolean {
  const entry = fs.lstatSync(path, { throwIfNoEntry: false })
  if (!entry || entry.isSymbolicLink()) return false // the target of a link belongs to others
  const mode = entry.isDirectory() ? 0o700 : 0o600
  if ((entry.mode & 0o777) !== mode) fs.chmodSync(path, mode)
  return entry.isDirectory()
}
