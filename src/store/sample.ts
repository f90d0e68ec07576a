import { sql } from 'kysely'
import type { Database } from './tables.ts'
import { foldName } from './text.ts'

const sample = [
  { category: 'Dogs', description: 'Loyal, loud and always hungry', pets: ['Rex', 'Bella', 'Oskar'] },
  { category: 'Cats', description: 'Guests who own the house', pets: ['Mia', 'Felix'] },
  { category: 'Birds', description: 'Early risers', pets: ['Kiki'] },
]

/** Fills a database in which nothing was ever stored. Returns false if something was, even if it is removed by now. */
export async function loadSample(db: Database): Promise<boolean> {
  const { last } = await db
    .selectNoFrom(eb =>
      eb.fn<number | null>('pg_sequence_last_value', [sql.lit('categories_id_seq')]).as('last'),
    )
    .executeTakeFirstOrThrow()
  if (last !== null) return false
  await db.transaction().execute(async trx => {
    for (const { category, description, pets } of sample) {
      const { id } = await trx
        .insertInto('categories')
        .values({ name: category, name_key: foldName(category), description })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('pets')
        .values(pets.map(name => ({ name, name_key: foldName(name), category_id: id })))
        .execute()
    }
  })
  return true
}
