import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import type { CountedWindow } from '../engine/access/caller.ts'
import type { BanStore, WindowStore } from '../engine/stores.ts'
import { banApiKeys } from './api-keys.ts'
import { isFaultOfData } from './failures.ts'
import type { KeyDirectory } from './key-directory.ts'
import { removeAll, removedAtOnce } from './remove.ts'

/** The windows of processes that count in memory. */
export function windowStore(db: Db): WindowStore {
  return {
    load: (now, longest) => loadWindows(db, now, longest),
    save: windows => saveWindows(db, windows),
    isFaultOfData,
  }
}

/** The bans of addresses, and of keys, which a directory reads anew then. */
export function banStore(db: Db, keys: KeyDirectory): BanStore {
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

async function loadWindows(db: Db, now: Date, longest: number): Promise<Map<string, CountedWindow>> {
  const latest = new Date(now.getTime() + longest)
  const rows = await db.selectFrom('limit_windows').selectAll().where('ends_at', '>', now).execute()
  if (rows.some(({ ends_at }) => ends_at > latest))
    await db.updateTable('limit_windows').set({ ends_at: latest }).where('ends_at', '>', latest).execute()
  const endOf = (time: Date) => Math.min(time.getTime(), latest.getTime())
  return new Map(rows.map(row => [row.counter, { count: row.count, endsAt: endOf(row.ends_at) }]))
}

/** Writes windows, all or none. */
async function saveWindows(db: Db, windows: ReadonlyMap<string, CountedWindow>): Promise<void> {
  const rows = [...windows.values()]
  await sql`
    insert into limit_windows (counter, count, ends_at)
    select counter, count, to_timestamp(ends_at / 1000.0) from unnest(
      ${[...windows.keys()]}::text[],
      ${rows.map(({ count }) => count)}::integer[],
      ${rows.map(({ endsAt }) => endsAt)}::bigint[]
    ) as noted (counter, count, ends_at)
    on conflict (counter) do update set count = excluded.count, ends_at = excluded.ends_at
  `.execute(db)
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
  const times = [...bans.values()].map(time => time.toISOString())
  await sql`
    insert into address_bans (address, banned_until)
    select * from unnest(${[...bans.keys()]}::text[], ${times}::timestamptz[])
    on conflict (address) do update set banned_until = excluded.banned_until
  `.execute(db)
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
