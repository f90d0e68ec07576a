import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { OpenDatabase } from '../../src/database/connect.ts'
import { openMigrated } from '../../src/database/open.ts'

/**
 * A migrated embedded database without a row, which is gone when it is closed. It is a copy of the one that the service
 * begins with: to make another in memory would take longer than most that is done with it.
 */
export async function emptyDatabase(): Promise<OpenDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'petstore-check-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const database = await openMigrated({ kind: 'embedded', dataDir: directory })
    await sql`set synchronous_commit = off`.execute(database.db)
    return { ...database, close: () => database.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
