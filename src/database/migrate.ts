import { type Kysely, sql } from 'kysely'
import { type MigrationResultSet, Migrator } from 'kysely/migration'
import { migrations } from '../../migrations/index.ts'
import { withoutDeadline } from './deadline.ts'

// The steps know tables that the types of today may have no more: they take any database.
function migratorOf<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

/** A step may take longer than any statement of a request, and so may the wait for another process's steps. */
function withoutStatementTimeout<T>(
  db: Kysely<T>,
  run: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<MigrationResultSet> {
  return db.connection().execute(async connection => {
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      return await withoutDeadline(() => run(migratorOf(connection)))
    } finally {
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

function outcome({ error, results = [] }: MigrationResultSet): string[] {
  const unknownStep =
    error instanceof Error && /previously executed migration (\S+) is missing/.exec(error.message)?.[1]
  if (unknownStep)
    throw new Error(
      `The database is newer than this program: it has the step ${unknownStep}, which this program does not know`,
      { cause: error },
    )
  if (error) throw error
  return results.map(result => result.migrationName)
}

/** Whether exactly the steps that this code knows have been taken, in their order; the migrator takes ten times as long to tell. */
async function isLatest<T>(db: Kysely<T>): Promise<boolean> {
  const { rows: tables } = await sql<{ name: string | null }>`
    select to_regclass('kysely_migration')::text as name
  `.execute(db)
  if (!tables[0]?.name) return false
  const { rows: taken } = await sql<{ name: string }>`
    select name from kysely_migration order by timestamp, name
  `.execute(db)
  return taken.map(({ name }) => name).join() === Object.keys(migrations).join()
}

/**
 * Brings the database to the form that this code needs. Safe when several processes start at once.
 * @returns the names of the steps taken
 * @throws Error when a step fails, or when the database has steps that this code does not know
 */
export async function migrateToLatest<T>(db: Kysely<T>): Promise<string[]> {
  if (await isLatest(db)) return []
  return outcome(await withoutStatementTimeout(db, migrator => migrator.migrateToLatest()))
}

/** Takes back the last steps, with the data that they hold. */
export async function migrateDown<T>(db: Kysely<T>, steps = 1): Promise<string[]> {
  const taken: string[] = []
  for (let step = 0; step < steps; step++)
    taken.push(...outcome(await withoutStatementTimeout(db, migrator => migrator.migrateDown())))
  return taken
}

/** Each step, and when it was taken. */
export async function migrationStatus<T>(
  db: Kysely<T>,
): Promise<{ name: string; takenAt: Date | undefined }[]> {
  const steps = await migratorOf(db).getMigrations()
  return steps.map(step => ({ name: step.name, takenAt: step.executedAt }))
}
