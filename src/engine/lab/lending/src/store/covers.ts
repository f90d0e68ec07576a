import type { Selectable } from 'kysely'
import { unlessViolated } from 'spec-served'
import type { Db, Tables } from './tables.ts'

type Cover = Selectable<Tables['covers']>

/** Stores a cover, in place of the one before. Returns 'no book' if there is none. */
export function storeCover(db: Db, { book, ...cover }: Cover) {
  const write = db
    .insertInto('covers')
    .values({ book, ...cover })
    .onConflict(conflict => conflict.column('book').doUpdateSet(cover))
  return unlessViolated(db, 'covers_book_fkey', 'no book', () => write.execute())
}

export function findCover(db: Db, book: number) {
  return db.selectFrom('covers').select(['type', 'bytes']).where('book', '=', book).executeTakeFirst()
}
