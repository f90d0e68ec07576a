import { type Kysely, sql } from 'kysely'

/** How many rows of a table are read to learn how fast it can be read. */
const sample = 100_000

/** About how long it takes to read each table from end to end, in seconds, by its name. */
export async function measureReading<T>(db: Kysely<T>): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string; rows: number }>`
    select relname as name, reltuples::float8 as rows from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname not like 'kysely%'`.execute(
    db,
  )
  const seconds: Record<string, number> = {}
  for (const { name, rows } of tables) {
    const begun = performance.now()
    const { rows: counted } = await sql<{ rows: number }>`
      select count(*)::float8 as rows from (select * from ${sql.table(name)} limit ${sample}) as part`.execute(
      db,
    )
    const read = counted[0]?.rows ?? 0
    const share = read < sample ? 1 : Math.max(1, rows / read)
    seconds[name] = ((performance.now() - begun) / 1_000) * share
  }
  return seconds
}
