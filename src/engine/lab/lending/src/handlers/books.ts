import { refusalError } from 'spec-served'
import type { Book } from '../generated/schema.ts'
import { booksWith, findBook, insertBook, toBook } from '../store/books.ts'
import { findCover, storeCover } from '../store/covers.ts'
import type { Db, Image } from '../store/tables.ts'
import type { Handler } from './handler.ts'

export const noBook = (book: number): Error => refusalError(404, `There is no book ${book}.`)

/** Add a book. */
export const addBook: Handler<'addBook', 'now'> = async ({ body }, { db, now }) => ({
  status: 201,
  body: toBook(await insertBook(db, body, now())),
})

/** Show a book. */
export const getBook: Handler<'getBook'> = async ({ path }, { db }) => {
  const row = await findBook(db, path.book)
  if (!row) throw noBook(path.book)
  return { status: 200, body: toBook(row) }
}

/** Store the cover of a book. */
export const putCover: Handler<'putCover'> = async ({ path, body }, { db }) => {
  const { image, artist = null } = body
  const type = image.type as Image // the document takes no other part
  const stored = await storeCover(db, { book: path.book, type, artist, bytes: image.data })
  if (stored === 'no book') throw noBook(path.book)
  return { status: 204 }
}

/** Download the cover of a book, or a range of its bytes. */
export const getCover: Handler<'getCover'> = async ({ path }, { db }) => {
  const cover = await findCover(db, path.book)
  if (!cover) throw refusalError(404, `Book ${path.book} has no cover.`)
  const { type, bytes } = cover
  // The service sends a part of them if the request asks for one.
  return { status: 200, headers: { 'Accept-Ranges': 'bytes', 'Content-Type': type }, body: bytes }
}

/** Search titles, and get each book as it is found. */
export const searchBooks: Handler<'searchBooks'> = async ({ body }, { db }) => ({
  status: 200,
  body: eachWith(db, body.words),
})

async function* eachWith(db: Db, words: readonly string[]): AsyncGenerator<Book, void, undefined> {
  const found = new Set<number>()
  for (const word of words)
    for (const row of await booksWith(db, word)) {
      if (!found.has(row.id)) yield toBook(row)
      found.add(row.id)
    }
}
