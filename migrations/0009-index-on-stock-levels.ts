import { type Kysely, sql } from 'kysely'

/** Each statement is done when it has run, so that callers need not wait. */
export const isOutsideTransaction = true

/** How many animals are changed at once: who orders one of them waits for all. */
const part = 2_000

/**
 * The index on stocks gives way to one on their levels. The release before finds the block of an animal by it, as by the
 * one that it knows, and compares the stocks themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  let last: string | null = '0'
  while (last !== null) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with part as (
        select id from pets where id > ${last}::bigint order by id limit ${sql.lit(part)}
      ), levelled as (
        update pets set stock = stock from part where pets.id = part.id and stock_level is null
      )
      select max(id)::text as last from part`.execute(db)
    last = rows[0]?.last ?? null
  }
  await replaceIndex(db, 'pets_block_stock_idx', 'pets_block_stock_level_idx', 'stock_level')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await replaceIndex(db, 'pets_block_stock_level_idx', 'pets_block_stock_idx', 'stock')
}

async function replaceIndex(
  db: Kysely<unknown>,
  before: string,
  after: string,
  column: string,
): Promise<void> {
  // One that was cut off is left behind, and not valid.
  const { rows } = await sql`
    select from pg_index where indexrelid = to_regclass(${after}) and not indisvalid`.execute(db)
  if (rows.length > 0) await sql`drop index concurrently ${sql.id(after)}`.execute(db)
  await sql`
    create index concurrently if not exists ${sql.id(after)}
    on pets ((status || '/block/stock'), (id / 4096), ${sql.ref(column)}, id)`.execute(db)
  await sql`drop index concurrently if exists ${sql.id(before)}`.execute(db)
}
