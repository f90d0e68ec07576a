import { refusalError } from 'spec-served'
import { insertLoan } from '../store/loans.ts'
import { noBook } from './books.ts'
import type { Handler } from './handler.ts'

/** Lend a book. */
export const lendBook: Handler<'lendBook', 'caller'> = async ({ body }, { db, caller }) => {
  if (caller.kind === 'address') throw refusalError(401, 'Only readers with a card borrow books.')
  const loan = await insertLoan(db, { ...body, reader: String(caller.keyId) })
  if (loan === 'no book') throw noBook(body.book)
  if (loan === 'lent') throw refusalError(409, `Book ${body.book} is lent.`)
  return { status: 201, body: loan }
}
