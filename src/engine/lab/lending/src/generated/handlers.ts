// Generated from src/handlers by `npm run generate`: a handler for each operation.
import * as booksHandlers from '../handlers/books.ts'
import * as loansHandlers from '../handlers/loans.ts'
import type { Handlers } from '../handlers/handler.ts'

/** The handler of each operation. A missing one, a surplus one or one of a wrong type does not compile. */
export const handlers = {
  'addBook': booksHandlers.addBook,
  'getBook': booksHandlers.getBook,
  'putCover': booksHandlers.putCover,
  'getCover': booksHandlers.getCover,
  'lendBook': loansHandlers.lendBook,
  'searchBooks': booksHandlers.searchBooks,
} satisfies Handlers
