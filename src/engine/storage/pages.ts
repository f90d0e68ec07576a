import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/*
 * How pages are read from large tables, however filters and order are combined: each statement has one index that serves
 * it from its first row on. PostgreSQL would not always take it. Told to find available animals in the order of their
 * identifiers, it may walk the primary key, past a million rows where they were all added last. So rows are compared
 * whole, as in `(status, id) > ('available', 7) and status <= 'available'`, and sorted by all columns: no other index has
 * that order.
 */

/** Compares rows whole, by the values of these columns. */
export const rowIs = (
  operator: '=' | '<' | '<=' | '>' | '>=',
  columns: Readonly<Record<string, Expression<unknown>>>,
): RawBuilder<SqlBool> =>
  sql`(${sql.join(Object.keys(columns).map(name => sql.ref(name)))}) ${sql.raw(operator)} (${sql.join(Object.values(columns))})`

/** Rows that are read at once; part of the text, as a plan for any limit is one for a tenth of all rows. */
const pageSizes = [21, 101] as const
/** How many rows a page's statement may read. */
export type PageSize = (typeof pageSizes)[number]

/**
 * The least size that holds so many rows.
 * @throws RangeError when none does
 */
export function pageSizeFor(limit: number): PageSize {
  const size = pageSizes.find(each => each >= limit)
  if (size === undefined) throw new RangeError(`No page holds ${limit} rows: add a size to pageSizes`)
  return size
}

/** An identifier that is less than all others. */
export const beforeAllIds = 0
/** An identifier that is greater than all others. */
export const afterAllIds = 9_007_199_254_740_992 // 2 ** 53
