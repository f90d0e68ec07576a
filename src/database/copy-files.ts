import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** A file system may give several writes one time: what was changed so lately may have been again, in ms. */
const sameTime = 2_000

/** The files that a directory has had copied, by their path in it. */
export type Copied = ReadonlyMap<string, { changedAt: number; size: number; isSettled: boolean }>

/**
 * Makes one directory the same as another. A second call, with what the first has given, copies only what has changed
 * since, and what is gone is removed. Where the file system can, files share their blocks until one of them changes.
 * @param to is made where it is missing
 */
export async function copyFiles(from: string, to: string, before: Copied = new Map()): Promise<Copied> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const named = entries.map(entry => ({ entry, path: relative(from, join(entry.parentPath, entry.name)) }))
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const { entry, path } of named)
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
  const copied = new Map<string, { changedAt: number; size: number; isSettled: boolean }>()
  await Promise.all(
    named.map(async ({ entry, path }) => {
      if (!entry.isFile()) return
      try {
        const { mtimeMs: changedAt, size } = await stat(join(from, path))
        const isSettled = Date.now() - changedAt > sameTime
        copied.set(path, { changedAt, size, isSettled })
        const known = before.get(path)
        if (known?.isSettled && known.changedAt === changedAt && known.size === size) return
        await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // it was removed meanwhile
        copied.delete(path)
      }
    }),
  )
  for (const path of before.keys()) if (!copied.has(path)) await rm(join(to, path), { force: true })
  return copied
}
