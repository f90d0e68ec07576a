import { type Kysely, sql } from 'kysely'

/** Processes read the bans that are new. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table address_bans add column changed_at timestamptz not null default now()`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table address_bans drop column changed_at`.execute(db)
}
