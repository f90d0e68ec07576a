import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { type Seal, sealed } from '../keys/seal.ts'

/** Hashes in one statement at most. */
const mostAtOnce = 1_000

/** How many keys have a secret that was stored without a pepper, and with another one than this. */
export async function countSeals(db: Db, { mark = '-' }: Seal): Promise<{ plain: number; foreign: number }> {
  const { rows } = await sql<{ plain: string; foreign: string }>`
    select count(*) filter (where not starts_with(hash, ${sealed})) as plain,
      count(*) filter (where starts_with(hash, ${sealed}) and not starts_with(hash, ${mark})) as foreign
    from api_keys
  `.execute(db)
  return { plain: Number(rows[0]?.plain), foreign: Number(rows[0]?.foreign) }
}

/**
 * Seals the hashes that are stored without a pepper, previous ones too. Keys are valid all the while, wherever the pepper
 * is known; one whose secret is replaced meanwhile is left alone.
 * @returns how many keys were changed
 */
export async function sealHashes(db: Db, { stored }: Seal): Promise<number> {
  const isPlain = (column: 'hash' | 'previous_hash') =>
    sql<boolean>`not starts_with(${sql.ref(column)}, ${sealed})`
  for (let changed = 0, after = 0; ; ) {
    const rows = await db
      .selectFrom('api_keys')
      .select(['id', 'hash', 'previous_hash'])
      .where(eb => eb.and([eb('id', '>', after), eb.or([isPlain('hash'), isPlain('previous_hash')])]))
      .orderBy('id')
      .limit(mostAtOnce)
      .execute()
    const last = rows.at(-1)
    if (!last) return changed
    const sealedOf = (hash: string | null) => (hash === null || hash.startsWith(sealed) ? hash : stored(hash))
    const { rows: done } = await sql`
      update api_keys set hash = known.new_hash, previous_hash = known.new_previous
      from unnest(
        ${rows.map(row => row.id)}::bigint[],
        ${rows.map(row => row.hash)}::text[], ${rows.map(row => sealedOf(row.hash))}::text[],
        ${rows.map(row => row.previous_hash)}::text[], ${rows.map(row => sealedOf(row.previous_hash))}::text[]
      ) as known (id, hash, new_hash, previous, new_previous)
      where api_keys.id = known.id and api_keys.hash = known.hash
        and api_keys.previous_hash is not distinct from known.previous
      returning api_keys.id
    `.execute(db)
    changed += done.length
    after = last.id
  }
}
