import { sql } from 'kysely'
import { anyOf } from 'spec-served'
import type { Book, BookSent } from '../generated/schema.ts'
import { type Db, finder } from './tables.ts'

const shown = ['id', 'title', 'published', 'form', 'place', 'names', 'details', 'added'] as const

export const findBook = finder((db, value) =>
  db
    .selectFrom('books')
    .select(shown)
    .where('id', '=', anyOf(value('ids'))),
)
export type BookRow = NonNullable<Awaited<ReturnType<typeof findBook>>>

export function insertBook(db: Db, book: BookSent, added: Date): Promise<BookRow> {
  const { title, published = null, donor = null, form, place, names, details } = book
  return db
    .insertInto('books')
    .values({
      ...{ title, published, donor, added },
      form: JSON.stringify(form),
      place: json(place),
      names: json(names),
      details: json(details),
    })
    .returning(shown)
    .executeTakeFirstOrThrow()
}

/** Reads the books whose titles have a word. */
export function booksWith(db: Db, word: string): Promise<BookRow[]> {
  return db
    .selectFrom('books')
    .select(shown)
    .where(sql<boolean>`strpos(lower(title), lower(${word})) > 0`)
    .orderBy('id')
    .limit(100)
    .execute()
}

/** The row as replies show it: without the properties that the book lacks. */
export function toBook({ published, place, names, details, added, ...row }: BookRow): Book {
  return {
    ...row,
    added: added.toISOString(),
    ...(published !== null && { published }),
    ...(place !== null && { place }),
    ...(names !== null && { names }),
    ...(details !== null && { details }),
  }
}

const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
