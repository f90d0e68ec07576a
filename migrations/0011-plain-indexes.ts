import { type Kysely, sql } from 'kysely'
import * as indexOnStockLevels from './0009-index-on-stock-levels.ts'

/** Each statement is done when it has run, so that callers need not wait. */
export const isOutsideTransaction = true

type Indexes = Readonly<Record<string, string>>

/** Each serves one order of one combination of filters: equal columns first, then the order, then the identifier. */
const plain: Indexes = {
  pets_status_name_idx: 'status, name_key, id',
  pets_category_status_idx: 'category_id, status, id',
  pets_status_stock_idx: 'status, stock, id',
}

const onExpressions: Indexes = {
  pets_name_idx: `(status || '/name'), name_key, id`,
  pets_block_name_idx: `(status || '/block/name'), (id / 4096), name_key, id`,
  pets_category_block_name_idx: `(category_id::text || '/' || status || '/block/name'), (id / 4096), name_key, id`,
}

/** Pages of animals are read by indexes on columns; those on expressions go. `pets_category_name_idx` stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await create(db, plain)
  await drop(db, [...Object.keys(onExpressions), 'pets_block_stock_level_idx'])
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await create(db, onExpressions)
  await indexOnStockLevels.up(db)
  await drop(db, Object.keys(plain))
}

async function create(db: Kysely<unknown>, indexes: Indexes): Promise<void> {
  for (const [name, columns] of Object.entries(indexes)) {
    // An index whose creation was interrupted is left behind, and not valid.
    const { rows } = await sql`
      select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(db)
    if (rows.length > 0) await drop(db, [name])
    await sql`create index concurrently if not exists ${sql.id(name)} on pets (${sql.raw(columns)})`.execute(
      db,
    )
  }
}

async function drop(db: Kysely<unknown>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db)
}
