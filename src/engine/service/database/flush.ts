import { close, fsync, open } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The most files that are flushed at once. */
const atOnce = 8

/** Has the disk keep what a directory names: new files, and those that were renamed or removed. */
export async function flushDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return // its directories can't be opened, and need not be
  await flushFile(directory, 'r')
}

/** Has the disk keep a file, and that it is there. */
export async function flushWithName(file: string): Promise<void> {
  await flushFile(file)
  await flushDirectory(dirname(file))
}

/** Has the disk keep a file. By its descriptor: the handles of Yarn's Plug'n'Play can't flush. */
async function flushFile(file: string, flags = 'r+'): Promise<void> {
  const descriptor = await promisify(open)(file, flags)
  try {
    await promisify(fsync)(descriptor)
  } finally {
    await promisify(close)(descriptor)
  }
}

/** Has the disk keep a directory with all that is in it, and that it is there. */
export async function flushTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const flushing = files.values()
  const flushRest = async () => {
    for (const file of flushing) await flushFile(file)
  }
  await Promise.all(Array.from({ length: atOnce }, flushRest))
  for (const entry of entries)
    if (entry.isDirectory()) await flushDirectory(join(entry.parentPath, entry.name))
  await flushDirectory(directory)
  await flushDirectory(dirname(directory))
}
