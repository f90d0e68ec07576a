import { unlessViolated } from 'spec-served'
import type { Loan } from '../generated/schema.ts'
import type { Db } from './tables.ts'

/** Stores a loan. Returns why it can't be: the book is lent, or there is none. */
export function insertLoan(db: Db, loan: Omit<Loan, 'id'>) {
  const write = db.insertInto('loans').values(loan).returning(['id', 'book', 'reader', 'due'])
  return unlessViolated(db, 'loans_book_exists', 'no book', () =>
    unlessViolated(db, 'loans_book_free', 'lent', () => write.executeTakeFirstOrThrow()),
  )
}
