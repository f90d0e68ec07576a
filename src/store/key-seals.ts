import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { type Seal, sealed } from '../keys/seal.ts'
import { rowsOf } from './statements.ts'

interface KnownHashes {
  key_id: number
  old_hash: string
  new_hash: string
  old_previous: string | null
  new_previous: string | null
}

/** Hashes in one statement at most. */
const mostAtOnce = 1_000

/** How many keys have a secret that was stored without a pepper, and with another one than this. */
export async function countSeals(db: Db, { mark = '-' }: Seal): Promise<{ plain: number; foreign: number }> {
  return db
    .selectFrom('api_keys')
    .select(eb => {
      const begins = (text: string) => eb.fn<boolean>('starts_with', ['hash', eb.val(text)])
      const count = eb.fn.countAll<number>()
      return [
        count.filterWhere(eb.not(begins(sealed))).as('plain'),
        count.filterWhere(eb.and([begins(sealed), eb.not(begins(mark))])).as('foreign'),
      ]
    })
    .executeTakeFirstOrThrow()
}

/**
 * Seals the hashes that are stored without a pepper, previous ones too. Keys are valid all the while, wherever the pepper
 * is known; one whose secret is replaced meanwhile is left alone.
 * @returns how many keys were changed
 */
export async function sealHashes(db: Db, { stored }: Seal): Promise<number> {
  for (let changed = 0, after = 0; ; ) {
    const rows = await db
      .selectFrom('api_keys')
      .select(['id', 'hash', 'previous_hash'])
      .where('id', '>', after)
      .where(({ and, fn, not, val }) =>
        not(
          and([
            fn<boolean>('starts_with', ['hash', val(sealed)]),
            fn.coalesce(fn<boolean>('starts_with', ['previous_hash', val(sealed)]), sql.lit(true)),
          ]),
        ),
      )
      .orderBy('id')
      .limit(mostAtOnce)
      .execute()
    const last = rows.at(-1)
    if (!last) return changed
    const sealedOf = <Hash extends string | null>(hash: Hash) =>
      hash === null || hash.startsWith(sealed) ? hash : stored(hash)
    const done = await db
      .updateTable('api_keys')
      .from(
        rowsOf<KnownHashes, 'known'>('known', {
          key_id: { type: 'bigint', values: rows.map(row => row.id) },
          old_hash: { type: 'text', values: rows.map(row => row.hash) },
          new_hash: { type: 'text', values: rows.map(row => sealedOf(row.hash)) },
          old_previous: { type: 'text', values: rows.map(row => row.previous_hash) },
          new_previous: { type: 'text', values: rows.map(row => sealedOf(row.previous_hash)) },
        }),
      )
      .set(eb => ({ hash: eb.ref('known.new_hash'), previous_hash: eb.ref('known.new_previous') }))
      .whereRef('api_keys.id', '=', 'known.key_id')
      .whereRef('api_keys.hash', '=', 'known.old_hash')
      .whereRef('api_keys.previous_hash', 'is not distinct from', 'known.old_previous')
      .returning('api_keys.id')
      .execute()
    changed += done.length
    after = last.id
  }
}
