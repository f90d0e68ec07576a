import { type Kysely, sql } from 'kysely'

/** Keys get no identifier beyond 2^53 − 1, which JSON can't carry exactly. A sequence that is beyond counts as used up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    select setval(pg_get_serial_sequence('api_keys', 'id'), 9007199254740991)
    from api_keys_id_seq where last_value > 9007199254740991`.execute(db)
  await sql`alter table api_keys alter column id set maxvalue 9007199254740991`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys alter column id set no maxvalue`.execute(db)
}
