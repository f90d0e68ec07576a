import { type Kysely, sql } from 'kysely'
import type { Steps } from './step.ts'

/** A step that was taken. */
interface TakenStep {
  name: string
  /** the step that a program must know to work with the database from then on; null: nobody has said so */
  worksFrom: string | null
}

/** The steps that were taken, in their order; the migrator takes ten times as long to tell. */
export async function readTaken<T>(db: Kysely<T>): Promise<TakenStep[]> {
  const { rows: tables } = await sql<{ name: string | null }>`
    select to_regclass('kysely_migration')::text as name
  `.execute(db)
  if (!tables[0]?.name) return []
  // The column is missing where all steps are older than it.
  const { rows } = await sql<TakenStep>`
    select name, to_jsonb(kysely_migration)->>'works_from' as "worksFrom"
    from kysely_migration order by timestamp, name
  `.execute(db)
  return rows
}

/** Notes beside the steps that were taken which programs can still work, for those that do not know these steps. */
export async function noteNeeds<T>(db: Kysely<T>, steps: Steps): Promise<void> {
  const taken = await readTaken(db)
  const open = taken.filter(({ name, worksFrom }) => Object.hasOwn(steps, name) && worksFrom === null)
  if (open.length === 0) return
  const [first] = Object.keys(steps)
  const names = open.map(({ name }) => name)
  const needs = names.map(name => steps[name]?.needs ?? first)
  await sql`alter table kysely_migration add column if not exists works_from text`.execute(db)
  await sql`
    update kysely_migration set works_from = noted.step
    from unnest(${names}::text[], ${needs}::text[]) as noted (name, step)
    where kysely_migration.name = noted.name`.execute(db)
}

/**
 * Lets a program work with a database that has steps which it does not know, where these say that it can: the release
 * before goes on, and is started again, while servers are replaced by the next one.
 * @throws Error that names a step which asks for a newer program
 */
export function refuseNewer(taken: readonly TakenStep[], steps: Steps): void {
  const knows = (name: string) => Object.hasOwn(steps, name)
  const isBehind = Object.keys(steps).some(name => !taken.some(step => step.name === name))
  const tooNew = taken.find(
    ({ name, worksFrom }) => !knows(name) && (isBehind || worksFrom === null || !knows(worksFrom)),
  )
  if (tooNew)
    throw new Error(
      `The database is newer than this program: it has the step ${tooNew.name}, which this program does not know`,
    )
}
