import { constants } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
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

/**
 * Copies the files of the embedded database into `postgres` of a directory, in a transaction. The database has one
 * connection, so nothing is written meanwhile. Changes that are not in the files yet are in the write-ahead log there.
 * @returns the content at that moment, and how long queries had to wait, in ms
 */
export async function copyDatabase(db: Database, dataDir: string, directory: string) {
  await sql`checkpoint`.execute(db)
  return db.transaction().execute(async trx => {
    const begun = performance.now()
    const content = await contentOf(trx)
    await copyFiles(join(dataDir, 'postgres'), join(directory, 'postgres'))
    return { ...content, waitedMs: Math.round(performance.now() - begun) }
  })
}

/** Copies a directory. If the file system can, files share their blocks until one of them changes. */
export const copyFiles = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
