import { sql } from 'kysely'
import { isBackingUp } from './backup.ts'
import type { Db } from './tables.ts'

/** Rows that were changed or removed since the last vacuum: PostgreSQL's autovacuum waits for as many. */
const deadRows = { least: 50, share: 0.2, most: 5_000 }
/** The age at which a table's transactions are frozen, of 2^31 that there may be. Autovacuum waits for as many. */
const freezeAge = 200_000_000
/** The parts of the write-ahead log, of 16 MB each, after which a checkpoint makes room for others. */
const partsBetweenCheckpoints = 4

/** A table that is to be vacuumed. */
interface Due {
  name: string
  freezes: boolean
}

/** How often the length of the write-ahead log is looked at, in ms. */
const lookEvery = 5_000

/**
 * Does what PostgreSQL's background processes would, which PGlite lacks: vacuums what was removed or changed, freezes old
 * transactions, and makes checkpoints. Each step is a statement, and others run between them. A
 * vacuum reads only pages that have changed, so it takes long only where much has.
 * @param partsOfLog says how many parts of the write-ahead log were begun
 * @param age the age at which transactions are frozen
 */
export function createMaintenance(db: Db, partsOfLog: () => number, age = freezeAge) {
  let checkpointAt = partsOfLog()

  /** Returns the tables that are due, those of the system included. After a crash nothing is known of any. */
  async function due(): Promise<Due[]> {
    await sql`select pg_stat_force_next_flush()`.execute(db)
    const { least, share, most } = deadRows
    const { rows } = await sql<Due>`
      select format('%I.%I', schemaname, statistics.relname) as name, age(relfrozenxid) > ${sql.lit(age)} as freezes
      from pg_stat_all_tables as statistics join pg_class on pg_class.oid = relid
      where n_dead_tup > least(${sql.lit(least)} + ${sql.lit(share)} * n_live_tup, ${sql.lit(most)})
        or age(relfrozenxid) > ${sql.lit(age)}
        or (last_vacuum is null and schemaname <> 'pg_catalog' and pg_relation_size(relid) > 0)`.execute(db)
    return rows
  }

  async function makeCheckpoint(): Promise<void> {
    if (partsOfLog() - checkpointAt < partsBetweenCheckpoints || isBackingUp(db)) return
    checkpointAt = partsOfLog()
    await sql`checkpoint`.execute(db)
  }
  // A failure is the database's, which callers meet as well. The next look tries again.
  const looking = setInterval(() => makeCheckpoint().catch(() => {}), lookEvery).unref()

  return {
    /** Vacuums what is due. */
    async maintain(): Promise<void> {
      for (const { name, freezes } of await due())
        await sql`vacuum (${sql.raw(freezes ? 'freeze' : 'truncate')}) ${sql.raw(name)}`.execute(db)
      await makeCheckpoint()
    },
    close: () => clearInterval(looking),
  }
}
