import { type Kysely, sql } from 'kysely'

/**
 * Notes changed keys, so that processes that cache keys can reload just these. Changes by the previous release and by
 * an operator's SQL are noted, too. New keys are not noted, because no process caches them. The time of last use is not
 * noted, because it decides nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_key_changes (
      transaction xid8 not null default pg_current_xact_id(),
      key_id bigint not null,
      at timestamptz not null default now(),
      primary key (transaction, key_id)
    )`.execute(db)
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  // The role that changes keys may have no right to the notes, and another search path.
  await sql`
    create function note_api_key_change() returns trigger
    language plpgsql security definer set search_path to ${sql.id(rows[0]?.schema ?? 'public')}, pg_temp as $$
    begin
      insert into api_key_changes (key_id) values (old.id) on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger api_keys_note_change after delete or update
      of hash, previous_hash, previous_expires_at, plan, quotas, scopes, disabled, expires_at, banned_until
    on api_keys for each row execute function note_api_key_change()`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger api_keys_note_change on api_keys`.execute(db)
  await sql`drop function note_api_key_change`.execute(db)
  await sql`drop table api_key_changes`.execute(db)
}
