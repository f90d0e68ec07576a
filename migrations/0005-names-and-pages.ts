import { type Kysely, sql } from 'kysely'
import { foldName } from '../src/store/text.ts'

/**
 * Names are compared by full case folding, and each combination of filters and order has an index.
 *
 * The keys of all names are computed again. Of categories whose names are the same from now on (`ΟΔΟΣ` and `οδος`), all
 * but the first get a number: ` (2)`, cut to 100 characters in front of it. This takes the folding of the day on which
 * it runs, as a step that changes the folding has to compute all keys again anyway.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await replaceIndexes(db, indexesBefore, indexes)
  await replaceKeys(db, foldName)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await replaceIndexes(db, indexes, indexesBefore)
  await replaceKeys(db, name => name.normalize('NFKC').toLowerCase().normalize('NFKC'))
}

type Indexes = Readonly<Record<string, { table: string; columns: string }>>

const indexesBefore: Indexes = {
  pets_name_key_id_idx: { table: 'pets', columns: 'name_key, id' },
  pets_status_id_idx: { table: 'pets', columns: 'status, id' },
  pets_status_name_key_id_idx: { table: 'pets', columns: 'status, name_key, id' },
  pets_category_id_id_idx: { table: 'pets', columns: 'category_id, id' },
  pets_category_id_name_key_id_idx: { table: 'pets', columns: 'category_id, name_key, id' },
  pets_stock_id_idx: { table: 'pets', columns: 'stock, id' },
  orders_pet_id_id_idx: { table: 'orders', columns: 'pet_id, id' },
  orders_complete_id_idx: { table: 'orders', columns: 'complete, id' },
}

// Each begins with an expression of its own, so that a statement chooses its index. By blocks of identifiers, rows that a
// range of another column holds are found nearly in the order of their identifiers. src/engine/service/database/pages.ts says how.
const indexes: Indexes = {
  pets_status_id_idx: { table: 'pets', columns: 'status, id' },
  pets_name_idx: { table: 'pets', columns: `(status || '/name'), name_key, id` },
  pets_category_name_idx: { table: 'pets', columns: 'category_id, status, name_key, id' },
  pets_block_name_idx: { table: 'pets', columns: `(status || '/block/name'), (id / 4096), name_key, id` },
  pets_category_block_name_idx: {
    table: 'pets',
    columns: `(category_id::text || '/' || status || '/block/name'), (id / 4096), name_key, id`,
  },
  pets_block_stock_idx: { table: 'pets', columns: `(status || '/block/stock'), (id / 4096), stock, id` },
  orders_pet_id_idx: { table: 'orders', columns: 'pet_id, complete, id' },
  orders_complete_id_idx: { table: 'orders', columns: 'complete, id' },
}

/** Removes and creates what only one of two sets has. */
async function replaceIndexes(db: Kysely<unknown>, before: Indexes, after: Indexes): Promise<void> {
  for (const name of Object.keys(before))
    if (!(name in after)) await sql`drop index ${sql.id(name)}`.execute(db)
  for (const [name, { table, columns }] of Object.entries(after))
    if (!(name in before))
      await sql`create index ${sql.id(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(db)
}

interface Named {
  id: string
  name: string
  name_key: string
}

async function replaceKeys(db: Kysely<unknown>, keyOf: (name: string) => string): Promise<void> {
  await sql`alter table categories drop constraint categories_name_unique`.execute(db)
  // All at once: there are few of them, and each name must be held against all others.
  const { rows } = await sql<Named>`select id::text, name, name_key from categories order by id`.execute(db)
  const free = freeNames(rows, keyOf)
  for (const { id, name, name_key } of rows) {
    const key = keyOf(name)
    const renamed = free.get(id)
    if (renamed !== undefined)
      await sql`
        update categories set name = ${renamed}, name_key = ${keyOf(renamed)}, version = version + 1
        where id = ${id}::bigint`.execute(db)
    else if (key !== name_key)
      await sql`update categories set name_key = ${key} where id = ${id}::bigint`.execute(db)
  }
  await sql`alter table categories add constraint categories_name_unique unique (name_key)`.execute(db)
  await replacePetKeys(db, keyOf)
}

/** New names, by identifier, for all but the first of those whose names have the same key. */
function freeNames(rows: readonly Named[], keyOf: (name: string) => string): Map<string, string> {
  const taken = new Set(rows.map(row => keyOf(row.name)))
  const seen = new Set<string>()
  const renamed = new Map<string, string>()
  for (const { id, name } of rows) {
    const key = keyOf(name)
    if (!seen.has(key)) {
      seen.add(key)
      continue
    }
    for (let number = 2; !renamed.has(id); number++) {
      const suffix = ` (${number})`
      const candidate = [...name].slice(0, 100 - suffix.length).join('') + suffix
      if (taken.has(keyOf(candidate))) continue
      taken.add(keyOf(candidate))
      renamed.set(id, candidate)
    }
  }
  return renamed
}

/** How many animals are read at once. */
const batch = 5_000

async function replacePetKeys(db: Kysely<unknown>, keyOf: (name: string) => string): Promise<void> {
  let last = '0'
  for (;;) {
    const { rows } = await sql<Named>`
      select id::text, name, name_key from pets where id > ${last}::bigint order by id limit ${batch}`.execute(
      db,
    )
    const changed = rows.filter(row => keyOf(row.name) !== row.name_key)
    if (changed.length > 0)
      await sql`
        update pets set name_key = changed.name_key
        from unnest(${changed.map(row => row.id)}::bigint[], ${changed.map(row => keyOf(row.name))}::text[])
          as changed (id, name_key)
        where pets.id = changed.id`.execute(db)
    const end = rows.at(-1)
    if (!end) return
    last = end.id
  }
}
