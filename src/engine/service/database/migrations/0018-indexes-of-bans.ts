import { type Kysely, sql } from 'kysely'

/** Bans go on being written while their indexes are made. */
export const isOutsideTransaction = true

/** Processes read the bans that are new by one index, and the removal of those that have ended by the other. */
const indexes = {
  address_bans_changed_at: ['changed_at', 'address'],
  address_bans_banned_until: ['banned_until'],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, columns] of Object.entries(indexes)) {
    // One that was cut off is left behind, and not valid.
    const { rows } = await sql`
      select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(db)
    if (rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(db)
    await sql`
      create index concurrently if not exists ${sql.id(name)}
      on address_bans (${sql.join(columns.map(column => sql.ref(column)))})`.execute(db)
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const name of Object.keys(indexes))
    await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db)
}
