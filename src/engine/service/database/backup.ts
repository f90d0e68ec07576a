import { constants } from 'node:fs'
import { copyFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { sql } from 'kysely'
import type { Database, Db } from './tables.ts'

/** The number of rows by table. */
export type Rows = Record<string, number>

export interface Content {
  rows: Rows
  /** a checksum of each table's rows, whatever their order; a change of any value changes it */
  checksums: Readonly<Record<string, string>>
}

/** Reads all rows of every table, whichever migrations have run. */
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

/** the number of backups that are made of a database */
const underWay = new WeakMap<Db, number>()

/** Whether the write-ahead log is to be kept, as a backup needs it. */
export const isBackingUp = (db: Db): boolean => (underWay.get(db) ?? 0) > 0

/**
 * Copies the files of the embedded database into `postgres` of a directory, while it goes on being used. What the files
 * miss of their last moment is in the write-ahead log, which is copied at the end: who opens the copy first finds all that
 * was committed when the copying ended. Source: PostgreSQL, Making a Base Backup Using the Low Level API.
 * @returns how long queries had to wait, in ms
 */
export async function copyDatabase(db: Database, dataDir: string, directory: string) {
  const [from, to] = [join(dataDir, 'postgres'), join(directory, 'postgres')]
  const logs = 'pg_wal'
  underWay.set(db, (underWay.get(db) ?? 0) + 1)
  try {
    let begun = performance.now()
    await sql`select pg_backup_start('backup', true)`.execute(db)
    let waitedMs = performance.now() - begun
    const copying = copyDirectory(from, to, path => path === logs || path === 'postmaster.pid')
    await copying.catch(() => {}) // the backup ends also if it fails
    begun = performance.now()
    const { rows } = await sql<{ labelfile: string }>`select labelfile from pg_backup_stop(false)`.execute(db)
    waitedMs += performance.now() - begun
    await copying
    await copyDirectory(join(from, logs), join(to, logs), () => false)
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '', { mode: 0o600 })
    return { waitedMs: Math.round(waitedMs) }
  } finally {
    underWay.set(db, (underWay.get(db) ?? 1) - 1)
  }
}

/** Copies a directory file by file. Files that go meanwhile are needed no more. @param isLeft gets paths within `from` */
async function copyDirectory(from: string, to: string, isLeft: (path: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true, recursive: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 })
    else if (!isLeft(path) && !isLeft(path.split(sep)[0] ?? ''))
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE).catch(error => {
        if (error.code !== 'ENOENT') throw error
      })
  }
}

/** Copies a directory. If the file system can, files share their blocks until one of them changes. */
export const copyFiles = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
