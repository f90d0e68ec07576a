import { type AliasedRawBuilder, sql } from 'kysely'

/** Values of a column, and their type in the database. */
interface Column<Value> {
  type: 'bigint' | 'text' | 'timestamptz'
  values: readonly (Value extends Date ? string : Value)[]
}

/** Rows of values as a table, to change many rows by one statement: the text stays the same, however many there are. */
export function rowsOf<Row extends object, const Name extends string>(
  name: Name,
  columns: { readonly [Property in keyof Row]: Column<Row[Property]> },
): AliasedRawBuilder<Row, Name> {
  const all = Object.entries<Column<unknown>>(columns)
  const arrays = all.map(([, { type, values }]) => sql`${values}::${sql.raw(type)}[]`)
  const names = all.map(([column]) => sql.ref(column))
  return sql<Row>`unnest(${sql.join(arrays)})`.as<Name>(sql`${sql.ref(name)} (${sql.join(names)})`)
}
