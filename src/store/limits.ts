import { sql } from 'kysely'
import type { Db, LimitWindowsTable } from '../database/tables.ts'
import type { Counted } from '../engine/access/caller.ts'
import type { BanStore, WindowStore } from '../engine/stores.ts'
import { banApiKeys } from './api-keys.ts'
import { isFaultOfData } from './failures.ts'
import type { KeyDirectory } from './key-directory.ts'
import { removeAll, removedAtOnce } from './remove.ts'

/** The windows of processes that count in memory. */
export function windowStore(db: Db): WindowStore {
  return {
    load: (now, longest) => loadWindows(db, now, longest),
    note: windows => noteWindows(db, windows),
    save: windows => saveWindows(db, windows),
    async forget(notes) {
      if (notes.length > 0) await sql`delete from limit_notes where id = any(${notes}::bigint[])`.execute(db)
    },
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

async function loadWindows(db: Db, now: Date, longest: number): ReturnType<WindowStore['load']> {
  const latest = new Date(now.getTime() + longest)
  // Before what they tell is read: somebody else may save that, and remove them, meanwhile.
  const notes = await db.selectFrom('limit_notes').select('id').execute()
  const rows =
    notes.length > 0
      ? await readNoted(db, now)
      : await db.selectFrom('limit_windows').selectAll().where('ends_at', '>', now).execute()
  if (rows.some(({ ends_at }) => ends_at > latest))
    await db.updateTable('limit_windows').set({ ends_at: latest }).where('ends_at', '>', latest).execute()
  const endOf = (time: Date) => Math.min(time.getTime(), latest.getTime())
  const windows = rows.map(row => [row.counter, { count: row.count, endsAt: endOf(row.ends_at) }] as const)
  return { windows: new Map(windows), notes: notes.map(({ id }) => id) }
}

/** A window only ever counts up, so what it has come to is the greatest number that is stored of it. */
async function readNoted(db: Db, now: Date): Promise<LimitWindowsTable[]> {
  const { rows } = await sql<LimitWindowsTable>`
    select counter, max(count) as count, max(ends_at) as ends_at from (
      select counter, count, ends_at from limit_windows
      union all
      select noted.counter, noted.count, to_timestamp(noted.ends_at / 1000.0)
      from limit_notes, unnest(counters, counts, limit_notes.ends_at) as noted (counter, count, ends_at)
    ) as stored
    where ends_at > ${now.toISOString()}::timestamptz
    group by counter
  `.execute(db)
  return rows
}

async function noteWindows(db: Db, windows: ReadonlyMap<string, Counted>): Promise<number> {
  const ends = Array.from(windows.values(), ({ endsAt }) => endsAt)
  const { rows } = await sql<{ id: number }>`
    insert into limit_notes (counters, counts, ends_at, last_ends_at)
    values (
      ${[...windows.keys()]}::text[],
      ${Array.from(windows.values(), ({ count }) => count)}::integer[],
      ${ends}::bigint[],
      ${new Date(Math.max(...ends)).toISOString()}::timestamptz
    )
    returning id
  `.execute(db)
  const [note] = rows
  if (!note) throw new Error('What is inserted is returned')
  return note.id
}

/** Writes windows, all or none. Of the same window the greatest count stays, whichever server has it. */
async function saveWindows(db: Db, windows: ReadonlyMap<string, Counted>): Promise<void> {
  const rows = [...windows.values()]
  await sql`
    insert into limit_windows (counter, count, ends_at)
    select counter, count, to_timestamp(ends_at / 1000.0) from unnest(
      ${[...windows.keys()]}::text[],
      ${rows.map(({ count }) => count)}::integer[],
      ${rows.map(({ endsAt }) => endsAt)}::bigint[]
    ) as noted (counter, count, ends_at)
    on conflict (counter) do update set
      count = case
        when limit_windows.ends_at = excluded.ends_at then greatest(limit_windows.count, excluded.count)
        else excluded.count
      end,
      ends_at = excluded.ends_at
  `.execute(db)
}

/** Removes the windows that have ended, and the notes of nothing else. */
export async function removeEndedWindows(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('limit_notes').where('last_ends_at', '<=', now).execute()
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
