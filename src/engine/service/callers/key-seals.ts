import { sql } from 'kysely'
import type { Db } from '../database/tables.ts'
import { type Seal, sealed } from './seal.ts'

const mostAtOnce = 1_000

/** Counts the keys with a secret that was stored without a pepper, and with another pepper than this one. */
export function countSeals(db: Db, { mark = '-' }: Seal): Promise<{ plain: number; foreign: number }> {
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

/** Seals all hashes without a pepper, previous ones too. It skips a key that changes meanwhile. */
export async function sealHashes(db: Db, { stored }: Seal): Promise<number> {
  const sealedOf = (hash: string) => (hash.startsWith(sealed) ? hash : stored(hash))
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
    for (const { id, hash, previous_hash: previous } of rows) {
      const { numUpdatedRows } = await db
        .updateTable('api_keys')
        .set({ hash: sealedOf(hash), previous_hash: previous && sealedOf(previous) })
        .where('id', '=', id)
        .where('hash', '=', hash)
        .where('previous_hash', 'is not distinct from', previous)
        .executeTakeFirst()
      changed += Number(numUpdatedRows)
    }
    after = last.id
  }
}
