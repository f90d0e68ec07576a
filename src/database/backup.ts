import { closeSync, constants, fsyncSync, openSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { sql } from 'kysely'
import type { Database, Db } from './tables.ts'

/** How many rows each table has. */
export type Rows = Record<string, number>

/** What a database holds. */
export interface Content {
  rows: Rows
  /** a sum over the rows of each table, in whatever order they are, which another value in one of them changes */
  checksums: Readonly<Record<string, string>>
}

/** Reads all rows of every table there is, whatever steps have been taken. */
export async function contentOf(db: Db): Promise<Content> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name
  `.execute(db)
  const content = { rows: {} as Rows, checksums: {} as Record<string, string> } // filled here
  for (const { name } of tables) {
    const { rows } = await sql<{ count: string; sum: string }>`
      select count(*) as count, coalesce(sum(hashtextextended(each::text, 0)::numeric), 0)::text as sum
      from ${sql.table(name)} as each`.execute(db)
    content.rows[name] = Number(rows[0]?.count)
    content.checksums[name] = rows[0]?.sum ?? ''
  }
  return content
}

/**
 * Copies the files of the embedded database, as they are at one moment: it has one connection, and while a transaction
 * has that, nothing is written. Queries wait meanwhile, but only until what has changed during a first copying is copied
 * again. What is not in the files yet is in the write-ahead log beside them.
 * @param directory gets the copy, in `postgres`
 * @returns what it held at that moment, and for how long queries had to wait, in ms
 */
export async function copyDatabase(
  db: Database,
  dataDir: string,
  directory: string,
): Promise<Content & { waitedMs: number }> {
  const [from, to] = [join(resolve(dataDir), 'postgres'), join(directory, 'postgres')]
  await sql`checkpoint`.execute(db)
  const copied = await copyFiles(from, to)
  return db.transaction().execute(async trx => {
    const begun = performance.now()
    const content = await contentOf(trx)
    await copyFiles(from, to, copied)
    return { ...content, waitedMs: Math.round(performance.now() - begun) }
  })
}

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

/** Sees every file on the disk: a name may survive a power cut that its contents do not. */
export function writeThrough(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const file = openSync(join(entry.parentPath, entry.name), 'r+')
    fsyncSync(file)
    closeSync(file)
  }
}
