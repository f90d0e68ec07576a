import { sql } from 'kysely'
import type { DependencyState } from '../contract/context.ts'
import type { Db } from '../database/tables.ts'

/** Asks the database for a sign of life; never throws. */
export async function askDatabase(db: Db): Promise<DependencyState> {
  try {
    await sql`select 1`.execute(db)
    return { name: 'database', status: 'ok' }
  } catch {
    return { name: 'database', status: 'unavailable', message: 'The database does not answer.' }
  }
}
