import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openMigrated } from 'spec-served/internal/database/connect'
import { readContract } from 'spec-served/internal/process/contract'
import { openResources } from 'spec-served/internal/process/resources'
import { service } from './petstore.ts'

/** The state at the end of a day. */
export interface Day {
  /** what the files of the database take, in MB */
  megabytes: number
  /** the rows that repeatable requests have left */
  replies: number
  /** how many transactions ago the oldest row was written that is not frozen */
  age: number
}

export interface Shop {
  days: number
  /** how many replies are stored in a day, and removed in the next */
  replies: number
  /** how often a row is changed in a day, in a transaction each */
  changes: number
  /** the age at which transactions are frozen */
  freezeAge: number
}

/** Lets days pass, with the service's own removals and maintenance at the end of each. @returns the state of each day */
export async function liveDays(dataDir: string, { days, replies, changes, freezeAge }: Shop): Promise<Day[]> {
  const { db, maintain, close } = await openMigrated(
    { kind: 'embedded', dataDir, freezeAge },
    service.migrations,
  )
  let now = Date.now()
  const failures: unknown[] = []
  const log = { warn: ({ err }: { err?: unknown }) => void failures.push(err), info() {} }
  const contract = await readContract(service.root)
  const resources = await openResources(contract, db, { now: () => new Date(now), log, maintain })
  const lived: Day[] = []
  try {
    await sql`insert into categories (name, name_key) values ('Hot', 'hot')`.execute(db)
    for (let day = 1; day <= days; day++) {
      const createdAt = new Date(now)
      await sql`insert into idempotent_replies (scope, key, fingerprint, reply, created_at)
        select 'shop', ${`${day}-`} || n, repeat('f', 64), to_jsonb(repeat('r', 200)), ${createdAt}
        from generate_series(1, ${replies}::int) as n`.execute(db)
      for (let change = 0; change < changes; change++)
        await sql`update categories set description = ${`${day} ${change}`} where name_key = 'hot'`.execute(
          db,
        )
      now += 86_400_000
      await resources.clean()
      if (failures.length > 0) throw failures[0]
      lived.push(await stateOf())
    }
  } finally {
    await resources.close()
    await close()
  }
  return lived

  async function stateOf(): Promise<Day> {
    const { rows } = await sql<{ replies: number; age: number }>`
      select (select count(*)::int from idempotent_replies) as replies,
        (select max(age(datfrozenxid)) from pg_database) as age`.execute(db)
    const bytes = readdirSync(dataDir, { withFileTypes: true, recursive: true })
      .filter(entry => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
    const [row = { replies: 0, age: 0 }] = rows
    return { megabytes: Math.round(bytes / 1_000_000), replies: row.replies, age: row.age }
  }
}
