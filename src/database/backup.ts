import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { copyFiles } from './copy-files.ts'
import type { Database, Db } from './tables.ts'

/** How many rows each table has. */
export type Rows = Record<string, number>

/** Counts the rows of every table there is, whatever steps have been taken. */
export async function countRows(db: Db): Promise<Rows> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name
  `.execute(db)
  const counts: Rows = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: string }>`select count(*) as count from ${sql.table(name)}`.execute(
      db,
    )
    counts[name] = Number(rows[0]?.count)
  }
  return counts
}

/**
 * Copies the files of the embedded database, as they are at one moment: it has one connection, and while a transaction
 * has that, nothing is written. Queries wait meanwhile, but only until what has changed during a first copying is copied
 * again. What is not in the files yet is in the write-ahead log beside them.
 * @param directory gets the copy, in `postgres`
 * @returns the rows at that moment, and for how long queries had to wait, in ms
 */
export async function copyDatabase(
  db: Database,
  dataDir: string,
  directory: string,
): Promise<{ rows: Rows; waitedMs: number }> {
  const [from, to] = [join(resolve(dataDir), 'postgres'), join(directory, 'postgres')]
  await sql`checkpoint`.execute(db)
  const copied = await copyFiles(from, to)
  return db.transaction().execute(async trx => {
    const begun = performance.now()
    const rows = await countRows(trx)
    await copyFiles(from, to, copied)
    return { rows, waitedMs: Math.round(performance.now() - begun) }
  })
}
