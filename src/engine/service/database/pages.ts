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

/**
 * The number of rows that a page's statement may read. It is part of the statement, because a plan for any limit assumes
 * a tenth of all rows. So there are few sizes.
 */
export type PageSize = number

/** Returns the smallest size for a number of rows: 21, 101, 201, 401 and so on. */
export function pageSizeFor(limit: number): PageSize {
  if (limit <= 21) return 21
  let rows = 100
  while (rows + 1 < limit) rows *= 2
  return rows + 1
}

/** An identifier below all others. */
export const beforeAllIds = 0
/** An identifier above all others. */
export const afterAllIds = 9_007_199_254_740_992 // 2 ** 53
