import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/*
 * How pages are read from large tables, with any filters in any order. Each statement has one index that serves it from
 * its first row on. PostgreSQL would not always use it. For available animals in the order of their identifiers, it may
 * walk the primary key, past a million rows if these were all added last. Statements therefore compare whole rows, as
 * in `(status, id) > ('available', 7) and status <= 'available'`, and sort by all columns. No other index has it.
 */

/** Compares whole rows by these columns. */
export const rowIs = (
  operator: '=' | '<' | '<=' | '>' | '>=',
  columns: Readonly<Record<string, Expression<unknown>>>,
): RawBuilder<SqlBool> =>
  sql`(${sql.join(Object.keys(columns).map(name => sql.ref(name)))}) ${sql.raw(operator)} (${sql.join(Object.values(columns))})`

/** The sizes of reads. They are part of the statement, because a plan for any limit assumes a tenth of all rows. */
const pageSizes = [21, 101] as const
/** The number of rows that a page's statement may read. */
export type PageSize = (typeof pageSizes)[number]

/**
 * Returns the smallest size for a number of rows.
 * @throws RangeError when all sizes are too small
 */
export function pageSizeFor(limit: number): PageSize {
  const size = pageSizes.find(each => each >= limit)
  if (size === undefined) throw new RangeError(`No page holds ${limit} rows: add a size to pageSizes`)
  return size
}

/** An identifier below all others. */
export const beforeAllIds = 0
/** An identifier above all others. */
export const afterAllIds = 9_007_199_254_740_992 // 2 ** 53
