import { type AliasedRawBuilder, type Expression, type RawBuilder, sql } from 'kysely'

/*
 * How pages are read from large tables, however filters and order are combined: each statement has one index that serves
 * it from its first row on. PostgreSQL would not always take it. Told to find available animals in the order of their
 * identifiers, it may walk the primary key, past a million rows where they were all added last. So rows are compared
 * whole, as in `(status, id) > ('available', 7) and status <= 'available'`, and sorted by all columns: no other index has
 * that order.
 */

/** Rows that are read at once; part of the text, as a plan for any limit is one for a tenth of all rows. */
export const pageSizes = [21, 101] as const
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

/** The same, as a part of a statement. */
export const literalLimit = (limit: number): RawBuilder<number> => sql.lit(pageSizeFor(limit))

/** Identifiers that are less and greater than all others. */
export const beforeAllIds = 0
export const afterAllIds = 2 ** 53

/** A table of the values given, to be joined with the rows that have them. It and its only column have the name given. */
export function tableOf<const Name extends string, Value>(
  name: Name,
  values: Expression<readonly Value[]>,
  type: 'text' | 'boolean',
): AliasedRawBuilder<Record<Name, Value>, Name> {
  return sql<Record<Name, Value>>`unnest(${values}::${sql.raw(type)}[])`.as(name)
}

/** One of the values given, on the right of `=`: the text stays the same, however many there are. */
export const anyOf = <Value>(values: readonly Value[] | Expression<readonly Value[]>): RawBuilder<Value> =>
  sql`any(${values})`
