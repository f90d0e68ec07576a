import type { Db } from '../database/tables.ts'

/** The count of one caller in one window. */
export interface StoredWindow {
  count: number
  endsAt: Date
}

/** The windows that have not ended yet, by counter; those that have are removed. */
export async function loadWindows(db: Db, now: Date): Promise<Map<string, StoredWindow>> {
  await db.deleteFrom('limit_windows').where('ends_at', '<=', now).execute()
  const rows = await db.selectFrom('limit_windows').selectAll().execute()
  return new Map(rows.map(row => [row.counter, { count: row.count, endsAt: row.ends_at }]))
}

/** Writes windows, all or none. */
export async function saveWindows(db: Db, windows: ReadonlyMap<string, StoredWindow>): Promise<void> {
  if (windows.size === 0) return
  const rows = [...windows].map(([counter, { count, endsAt }]) => ({ counter, count, ends_at: endsAt }))
  await db
    .insertInto('limit_windows')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .column('counter')
        .doUpdateSet(eb => ({ count: eb.ref('excluded.count'), ends_at: eb.ref('excluded.ends_at') })),
    )
    .execute()
}

/** The addresses that are banned now, with the end of each ban. */
export async function loadAddressBans(db: Db, now: Date): Promise<Map<string, Date>> {
  await db.deleteFrom('address_bans').where('banned_until', '<=', now).execute()
  const rows = await db.selectFrom('address_bans').selectAll().execute()
  return new Map(rows.map(row => [row.address, row.banned_until]))
}

export async function banAddress(db: Db, address: string, until: Date): Promise<void> {
  await db
    .insertInto('address_bans')
    .values({ address, banned_until: until })
    .onConflict(conflict => conflict.column('address').doUpdateSet({ banned_until: until }))
    .execute()
}
