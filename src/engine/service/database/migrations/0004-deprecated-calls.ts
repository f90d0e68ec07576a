import { type Kysely, sql } from 'kysely'

/** Calls of deprecated operations by key, operation and day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deprecated_calls (
      key_id bigint not null constraint deprecated_calls_key_exists references api_keys (id) on delete cascade,
      operation_id text not null,
      day date not null,
      calls integer not null,
      primary key (key_id, operation_id, day)
    )`.execute(db)
  await sql`create index on deprecated_calls (operation_id, day)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table deprecated_calls`.execute(db)
}
