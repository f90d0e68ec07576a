import { type Kysely, sql } from 'kysely'

/**
 * The counts of windows, noted every second. A row holds many windows, which costs a tenth of changing the row of each.
 * The notes stay until `limit_windows` has their counts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table limit_notes (
      id bigint generated always as identity primary key,
      counters text[] not null,
      counts integer[] not null,
      -- of each window, in milliseconds since 1970
      ends_at bigint[] not null,
      last_ends_at timestamptz not null
    )`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table limit_notes`.execute(db)
}
