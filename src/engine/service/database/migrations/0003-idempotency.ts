import { type Kysely, sql } from 'kysely'

/** The replies to requests with an Idempotency-Key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotent_replies (
      scope text not null,
      key text not null,
      fingerprint text not null,
      reply text not null,
      created_at timestamptz not null,
      primary key (scope, key)
    )`.execute(db)
  await sql`create index on idempotent_replies (created_at)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table idempotent_replies`.execute(db)
}
