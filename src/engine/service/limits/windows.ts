import { type SqlBool, sql } from 'kysely'
import { setTimes } from '../callers/api-keys.ts'
import type { KeyCache } from '../callers/key-cache.ts'
import { isFaultOfData } from '../database/failures.ts'
import { anyOf, removeRows } from '../database/statements.ts'
import type { Db } from '../database/tables.ts'
import type { BanStore, WindowStore } from '../parts.ts'

/** The most windows that one statement reads. */
const windowsAtOnce = 5_000

export function windowStore(db: Db): WindowStore {
  return {
    async *load(now, longest) {
      const latest = new Date(now.getTime() + longest)
      await db.updateTable('limit_windows').set({ ends_at: latest }).where('ends_at', '>', latest).execute()
      const present = db.selectFrom('limit_windows').selectAll().where('ends_at', '>', now)
      const some = present.orderBy('counter').limit(windowsAtOnce)
      let rows = await some.execute()
      while (rows.length > 0) {
        yield rows.map(row => [row.counter, { count: row.count, endsAt: row.ends_at.getTime() }])
        const last = rows.at(-1)
        rows =
          last && rows.length === windowsAtOnce
            ? await some.where('counter', '>', last.counter).execute()
            : []
      }
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

/** The time of a change with its microseconds, which a Date does not have. */
const changedAt = sql<string>`changed_at::text`.as('changedAt')

/** Stores bans: those of keys with the keys, which are then read again, and all others in a table of their own. */
export function banStore(db: Db, keys: Pick<KeyCache, 'forget'>): BanStore {
  return {
    placeOf: most =>
      db
        .selectFrom('address_bans')
        .select([changedAt, 'address as name'])
        .orderBy('changed_at', 'desc')
        .orderBy('address', 'desc')
        .offset(most)
        .limit(1)
        .executeTakeFirst(),
    async placeBefore(ago) {
      const { changedAt: lastChange } = await db
        .selectNoFrom(sql<string>`(clock_timestamp() - ${`${ago} ms`}::interval)::text`.as('changedAt'))
        .executeTakeFirstOrThrow()
      return { changedAt: lastChange, name: '' }
    },
    async load(now, after, most) {
      let query = db.selectFrom('address_bans').select(['address', 'banned_until', changedAt])
      if (after)
        query = query.where(
          sql<SqlBool>`(changed_at, address) > (${after.changedAt}::timestamptz, ${after.name})`,
        )
      const rows = await query.orderBy('changed_at').orderBy('address').limit(most).execute()
      const last = rows.length < most ? undefined : rows.at(-1)
      return {
        bans: rows.flatMap(row => (row.banned_until > now ? [[row.address, row.banned_until]] : [])),
        ...(last && { last: { changedAt: last.changedAt, name: last.address } }),
      }
    },
    async find(names, now) {
      const rows = await db
        .selectFrom('address_bans')
        .select(['address', 'banned_until'])
        .where('address', '=', anyOf(names))
        .where('banned_until', '>', now)
        .execute()
      return new Map(rows.map(row => [row.address, row.banned_until]))
    },
    async save(bans) {
      await db
        .insertInto('address_bans')
        .values([...bans].map(([address, banned_until]) => ({ address, banned_until })))
        .onConflict(conflict =>
          conflict
            .column('address')
            .doUpdateSet(eb => ({ banned_until: eb.ref('excluded.banned_until'), changed_at: sql`now()` })),
        )
        .execute()
    },
    async saveKeys(bans) {
      await setTimes(db, 'banned_until', bans)
      keys.forget([...bans.keys()])
    },
    readAgain: key => keys.forget([key]),
    isFaultOfData,
  }
}

export const removeEndedWindows = (db: Db, now: Date): Promise<void> =>
  removeRows(db, 'limit_windows', sql`ends_at <= ${now}`)

export const removeEndedBans = (db: Db, now: Date): Promise<void> =>
  removeRows(db, 'address_bans', sql`banned_until <= ${now}`)
