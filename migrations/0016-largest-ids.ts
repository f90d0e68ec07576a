import { type Kysely, sql } from 'kysely'

const tables = ['categories', 'pets', 'orders']

/** Records get no identifier beyond 2^53 − 1, which JSON can't carry exactly. A sequence that is beyond counts as used up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, 'id'), 9007199254740991)
      from ${sql.table(`${table}_id_seq`)} where last_value > 9007199254740991`.execute(db)
    await sql`alter table ${sql.table(table)} alter column id set maxvalue 9007199254740991`.execute(db)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of tables)
    await sql`alter table ${sql.table(table)} alter column id set no maxvalue`.execute(db)
}
