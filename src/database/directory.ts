import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the system's refusals mean for who runs the service. */
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

/** A refusal of the system in words. */
export function reasonOf(error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException // absent on what is no Error
  return reasons[code] ?? message
}

/**
 * Makes the directory of the embedded database, for its owner alone.
 * @throws Error with a remedy
 */
export function makeDataDirectory(directory: string): void {
  try {
    makeDirectory(directory)
  } catch (error) {
    throw new Error(
      `The directory ${directory} can't be made: ${reasonOf(error)}. Set DATA_DIR to one that this process may write to`,
      { cause: error },
    )
  }
}

// Node's own recursive mkdir never ends where a file system takes no directories, such as /proc.
function makeDirectory(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  if (!existsSync(dirname(directory))) makeDirectory(dirname(directory))
  mkdirSync(directory, { mode: 0o700 })
}

/** Where a new database comes from, other than from PGlite. */
export interface Source {
  /** @returns false when it has none */
  copyTo(directory: string): Promise<boolean>
  /** It has given one that can't be opened. */
  discard(): void
}

/**
 * Makes a new database where there is none. PGlite would make one over the files of a damaged database, and would take
 * for a whole one what it had not finished when it was killed.
 * @param create makes or opens the database in the directory given
 * @param source saves making a new one
 * @throws Error with a remedy when the directory holds something else, or a database that can't be opened
 */
export async function createOrOpen<T>(
  dataDirectory: string,
  create: (directory: string) => Promise<T>,
  source?: Source,
): Promise<T> {
  const directory = join(dataDirectory, 'postgres')
  const unfinished = join(dataDirectory, 'unfinished')
  try {
    if (existsSync(unfinished)) rmSync(directory, { recursive: true, force: true })
    const isNew = !existsSync(directory) || readdirSync(directory).length === 0
    if (isNew) writeFileSync(unfinished, '')
    else if (!existsSync(join(directory, 'PG_VERSION'))) throw new Error('PG_VERSION is missing')
    const database =
      (isNew && source && (await copied(source, directory, create))) || (await create(directory))
    rmSync(unfinished, { force: true })
    return database
  } catch (error) {
    throw new Error(
      `The embedded database in ${directory} can't be opened (${reasonOf(error)}): it is damaged, of another ` +
        'version, or not writable. Bring it back from a copy, or set DATA_DIR to another directory',
      { cause: error },
    )
  }
}

/** Opens a copy; undefined where there is none that can be opened. */
async function copied<T>(
  source: Source,
  directory: string,
  open: (directory: string) => Promise<T>,
): Promise<T | undefined> {
  if (!(await source.copyTo(directory))) return undefined
  try {
    return await open(directory)
  } catch {
    source.discard()
    rmSync(directory, { recursive: true, force: true })
    return undefined
  }
}
