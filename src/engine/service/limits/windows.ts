import { sql } from 'kysely'
import { setTimes } from '../callers/api-keys.ts'
import type { KeyCache } from '../callers/key-cache.ts'
import { isFaultOfData } from '../database/failures.ts'
import { removeRows } from '../database/statements.ts'
import type { Db } from '../database/tables.ts'
import type { BanStore, WindowStore } from '../parts.ts'

export function windowStore(db: Db): WindowStore {
  return {
    async load(now, longest) {
      const latest = new Date(now.getTime() + longest)
      await db.updateTable('limit_windows').set({ ends_at: latest }).where('ends_at', '>', latest).execute()
      const rows = await db.selectFrom('limit_windows').selectAll().where('ends_at', '>', now).execute()
      return new Map(rows.map(row => [row.counter, { count: row.count, endsAt: row.ends_at.getTime() }]))
    },
    // For one window the greatest count stays, whichever server has it.
    async save(windows) {
      const rows = [...windows].map(([counter, { count, endsAt: ms }]) => {
        return { counter, count, ends_at: new Date(ms) }
      })
      await db
        .insertInto('limit_windows')
        .values(rows)
        .onConflict(conflict =>
          conflict.column('counter').doUpdateSet(eb => ({
            count: eb
              .case()
              .when('limit_windows.ends_at', '=', eb.ref('excluded.ends_at'))
              .then(eb.fn<number>('greatest', ['limit_windows.count', 'excluded.count']))
              .else(eb.ref('excluded.count'))
              .end(),
            ends_at: eb.ref('excluded.ends_at'),
          })),
        )
        .execute()
    },
    isFaultOfData,
  }
}

/** Stores bans: those of keys with the keys, which are then read again, and all others in a table of their own. */
export function banStore(db: Db, keys: Pick<KeyCache, 'forget'>): BanStore {
  return {
    async load(now) {
      const rows = await db.selectFrom('address_bans').selectAll().where('banned_until', '>', now).execute()
      return new Map(rows.map(row => [row.address, row.banned_until]))
    },
    async save(bans) {
      await db
        .insertInto('address_bans')
        .values([...bans].map(([address, banned_until]) => ({ address, banned_until })))
        .onConflict(conflict =>
          conflict.column('address').doUpdateSet(eb => ({ banned_until: eb.ref('excluded.banned_until') })),
        )
        .execute()
    },
    async saveKeys(bans) {
      await setTimes(db, 'banned_until', bans)
      keys.forget([...bans.keys()])
    },
    isFaultOfData,
  }
}

export const removeEndedWindows = (db: Db, now: Date): Promise<void> =>
  removeRows(db, 'limit_windows', sql`ends_at <= ${now}`)

export const removeEndedBans = (db: Db, now: Date): Promise<void> =>
  removeRows(db, 'address_bans', sql`banned_until <= ${now}`)
