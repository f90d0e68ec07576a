import { type Kysely, sql } from 'kysely'
import * as keyChanges from './0007-key-changes.ts'
import * as limitNotes from './0010-limit-notes.ts'

/** Tables that the previous release writes: windows and changes of keys. */
export const unused = ['limit_notes', 'api_key_changes']
/** A program that does not know this migration would still write there. */
export const needs = '0013-one-write-path'

/**
 * Windows are stored in rows of their own alone, and keys are read again every few seconds. The notes of both go once
 * `limit_windows` has the noted counts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into limit_windows (counter, count, ends_at)
    select counter, max(count), to_timestamp(max(noted.ends_at) / 1000.0)
    from limit_notes, unnest(counters, counts, limit_notes.ends_at) as noted (counter, count, ends_at)
    group by counter
    on conflict (counter) do update
    set count = greatest(limit_windows.count, excluded.count), ends_at = greatest(limit_windows.ends_at, excluded.ends_at)
  `.execute(db)
  await sql`drop table limit_notes`.execute(db)
  await sql`drop trigger api_keys_note_change on api_keys`.execute(db)
  await sql`drop function note_api_key_change`.execute(db)
  await sql`drop table api_key_changes`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await keyChanges.up(db)
  await limitNotes.up(db)
}
