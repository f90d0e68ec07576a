import { type Kysely, sql } from 'kysely'
import type { Migrations } from './migration.ts'

/** A migration that the database has. */
interface Applied {
  name: string
  /** the migration that a program must know to work with the database from then on; null: none was noted */
  worksFrom: string | null
}

/** The migrations that the database has, in their order; Kysely's migrator takes ten times as long to tell. */
export async function readApplied<T>(db: Kysely<T>): Promise<Applied[]> {
  const { rows: tables } = await sql<{ name: string | null }>`
    select to_regclass('kysely_migration')::text as name
  `.execute(db)
  if (!tables[0]?.name) return []
  // The column is missing where all migrations are older than it.
  const { rows } = await sql<Applied>`
    select name, to_jsonb(kysely_migration)->>'works_from' as "worksFrom"
    from kysely_migration order by timestamp, name
  `.execute(db)
  return rows
}

/** Notes which programs can work with the database after its migrations, for programs that do not know these. */
export async function noteNeeds<T>(db: Kysely<T>, migrations: Migrations): Promise<void> {
  const applied = await readApplied(db)
  const names = applied.flatMap(({ name, worksFrom }) =>
    Object.hasOwn(migrations, name) && worksFrom === null ? [name] : [],
  )
  if (names.length === 0) return
  const [first] = Object.keys(migrations)
  const needs = names.map(name => migrations[name]?.needs ?? first)
  await sql`alter table kysely_migration add column if not exists works_from text`.execute(db)
  await sql`
    update kysely_migration set works_from = noted.needs
    from unnest(${names}::text[], ${needs}::text[]) as noted (name, needs)
    where kysely_migration.name = noted.name`.execute(db)
}

/**
 * Lets a program work with a database that has migrations which it does not know, where these say that it can: the
 * release before goes on, and starts again, while servers are replaced by the next one.
 * @throws Error that names a migration which needs a newer program
 */
export function refuseNewer(applied: readonly Applied[], migrations: Migrations): void {
  const knows = (name: string) => Object.hasOwn(migrations, name)
  const isBehind = Object.keys(migrations).some(name => !applied.some(each => each.name === name))
  const tooNew = applied.find(
    ({ name, worksFrom }) => !knows(name) && (isBehind || worksFrom === null || !knows(worksFrom)),
  )
  if (tooNew)
    throw new Error(
      `The database is newer than this program: it has the migration ${tooNew.name}, which this program does not know`,
    )
}
