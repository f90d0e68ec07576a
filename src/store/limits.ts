import { sql } from 'kysely'
import type { AddressBansTable, Db, LimitWindowsTable } from '../database/tables.ts'
import type { Counted } from '../engine/access/caller.ts'
import type { BanStore, WindowStore } from '../engine/stores.ts'
import { banApiKeys } from './api-keys.ts'
import { isFaultOfData } from './failures.ts'
import type { KeyCache } from './key-cache.ts'
import { removeAll, removedAtOnce } from './remove.ts'

/** The windows of processes that count in memory. */
export function windowStore(db: Db): WindowStore {
  return {
    load: (now, longest) => loadWindows(db, now, longest),
    save: windows => saveWindows(db, windows),
    isFaultOfData,
  }
}

/** The bans of addresses, and of keys, which are read anew then. */
export function banStore(db: Db, keys: Pick<KeyCache, 'forget'>): BanStore {
  return {
    loadAddresses: now => loadAddressBans(db, now),
    saveAddresses: bans => banAddresses(db, bans),
    async saveHolders(bans) {
      await banApiKeys(db, new Map([...bans].map(([id, until]) => [Number(id), until])))
      keys.forget([...bans.keys()].map(Number))
    },
    isFaultOfData,
  }
}

async function loadWindows(db: Db, now: Date, longest: number): Promise<Map<string, Counted>> {
  const latest = new Date(now.getTime() + longest)
  await db.updateTable('limit_windows').set({ ends_at: latest }).where('ends_at', '>', latest).execute()
  const rows = await db.selectFrom('limit_windows').selectAll().where('ends_at', '>', now).execute()
  return new Map(rows.map(row => [row.counter, { count: row.count, endsAt: row.ends_at.getTime() }]))
}

/** Of the same window the greatest count stays, whichever server has it. */
async function saveWindows(db: Db, windows: ReadonlyMap<string, Counted>): Promise<void> {
  const counts = Array.from(windows.values(), ({ count }) => count)
  const ends = Array.from(windows.values(), ({ endsAt }) => new Date(endsAt).toISOString())
  const given = sql<LimitWindowsTable>`
    unnest(${[...windows.keys()]}::text[], ${counts}::integer[], ${ends}::timestamptz[])`
  await db
    .insertInto('limit_windows')
    .columns(['counter', 'count', 'ends_at'])
    .expression(eb =>
      eb
        .selectFrom(given.as<'given'>(sql`given(counter, count, ends_at)`))
        .select(['given.counter', 'given.count', 'given.ends_at']),
    )
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
}

/** Removes the windows that have ended. */
export function removeEndedWindows(db: Db, now: Date): Promise<void> {
  return removeAll(() =>
    db
      .deleteFrom('limit_windows')
      .where('ends_at', '<=', now)
      .where('counter', 'in', ended =>
        ended.selectFrom('limit_windows').select('counter').where('ends_at', '<=', now).limit(removedAtOnce),
      )
      .executeTakeFirstOrThrow(),
  )
}

/** The addresses that are banned now, with the end of each ban. */
async function loadAddressBans(db: Db, now: Date): Promise<Map<string, Date>> {
  const rows = await db.selectFrom('address_bans').selectAll().where('banned_until', '>', now).execute()
  return new Map(rows.map(row => [row.address, row.banned_until]))
}

/** Bans addresses, each until the time given. */
async function banAddresses(db: Db, bans: ReadonlyMap<string, Date>): Promise<void> {
  const times = Array.from(bans.values(), time => time.toISOString())
  const given = sql<AddressBansTable>`unnest(${[...bans.keys()]}::text[], ${times}::timestamptz[])`
  await db
    .insertInto('address_bans')
    .columns(['address', 'banned_until'])
    .expression(eb =>
      eb
        .selectFrom(given.as<'given'>(sql`given(address, banned_until)`))
        .select(['given.address', 'given.banned_until']),
    )
    .onConflict(conflict =>
      conflict.column('address').doUpdateSet(eb => ({ banned_until: eb.ref('excluded.banned_until') })),
    )
    .execute()
}

/** Removes the bans of addresses that have ended. */
export function removeEndedBans(db: Db, now: Date): Promise<void> {
  return removeAll(() =>
    db
      .deleteFrom('address_bans')
      .where('banned_until', '<=', now)
      .where('address', 'in', ended =>
        ended
          .selectFrom('address_bans')
          .select('address')
          .where('banned_until', '<=', now)
          .limit(removedAtOnce),
      )
      .executeTakeFirstOrThrow(),
  )
}
