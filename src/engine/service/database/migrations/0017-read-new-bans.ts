import { type Kysely, sql } from 'kysely'

/** Processes read the bans that are new, and removal finds those that have ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table address_bans add column changed_at timestamptz not null default now()`.execute(db)
  await sql`create index address_bans_changed_at on address_bans (changed_at, address)`.execute(db)
  await sql`create index address_bans_banned_until on address_bans (banned_until)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index address_bans_banned_until, address_bans_changed_at`.execute(db)
  await sql`alter table address_bans drop column changed_at`.execute(db)
}
