import { type Kysely, sql } from 'kysely'

/** Calls of deprecated operations by holders that are no API keys in the database. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table holder_calls (
      counter text not null,
      operation_id text not null,
      day date not null,
      calls integer not null,
      primary key (counter, operation_id, day)
    )`.execute(db)
  await sql`create index on holder_calls (operation_id, day)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table holder_calls`.execute(db)
}
