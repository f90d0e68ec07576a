import { type RawBuilder, sql } from 'kysely'

/*
 * How pages are read from large tables. PostgreSQL chooses an index by what it believes of the rows: told to find what
 * is available, in the order of identifiers, it walks the primary key, past a million rows when all that is available
 * was added last. So each statement here is written such that a single index has its order, or serves its conditions,
 * whatever the statistics say or a plan made for any parameters guesses: each index begins with an expression that no
 * other one has, and that is what the statement goes by.
 */

/** The limit is part of the text: a plan for any limit is one for a tenth of all rows. Two, so that there are few texts. */
const readAtOnce = [21, 101]

/** A limit at least as large as the one given, of which there are few. */
export function sizeFor(limit: number): number {
  return readAtOnce.find(size => size >= limit) ?? limit
}

/** The same, as a literal. */
export const literalLimit = (limit: number): RawBuilder<number> => sql.lit(sizeFor(limit))

type Sql = RawBuilder<unknown>

/** How many rows are read. */
export interface Size {
  limit: Sql
  /** at least as many: part of the text */
  most: number
}

/** A stretch of an index: rows that are equal in its first columns and ordered by the next ones. */
export interface Run {
  /** the columns of the index, up to those that make the order complete */
  columns: readonly Sql[]
  /** values of the first columns */
  equal: readonly Sql[]
  /** the least value of the column after these, and one that is greater than all */
  from?: Sql | undefined
  below?: Sql | undefined
  /** values of the columns after `equal`, of the row after which the page begins */
  after?: readonly Sql[] | undefined
}

/** Where rows are read, and what of them: what a list shows, and what its order goes by. */
export interface Source {
  table: string
  columns: readonly string[]
}

const listed = ({ columns }: Source) => sql.join(columns.map(column => sql.ref(column)))

/**
 * Reads rows from runs of an index, each from its place on, and merges them.
 * @param order the columns by which the merged rows are ordered
 */
export function readRuns<Row>(
  source: Source,
  runs: readonly Run[],
  order: readonly Sql[],
  descending: boolean,
  { limit, most }: Size,
): RawBuilder<Row> {
  const read = runs.map(
    run => sql`
      (select ${listed(source)} from ${sql.table(source.table)} where ${bounds(run, descending)}
      order by ${directed(run.columns, descending)} limit ${sql.lit(most)})`,
  )
  return sql<Row>`
    select * from (${sql.join(read, sql` union all `)}) as found
    order by ${directed(order, descending)} limit ${limit}`
}

/** Comparisons of rows: equality of the first column would let another index have the same order. */
function bounds({ columns, equal, from, below, after }: Run, descending: boolean): Sql {
  const compare = (operator: string, values: readonly Sql[]) =>
    values.length > 0 &&
    sql`(${sql.join(columns.slice(0, values.length))}) ${sql.raw(operator)} (${sql.join(values)})`
  const following = after && compare(descending ? '<' : '>', [...equal, ...after])
  const lower = compare('>=', from ? [...equal, from] : equal)
  const upper = below ? compare('<', [...equal, below]) : compare('<=', equal)
  const both = descending ? [lower, following ?? upper] : [following ?? lower, upper]
  const given = both.filter(bound => bound !== false)
  return given.length > 0 ? sql.join(given, sql` and `) : sql`true`
}

function directed(columns: readonly Sql[], descending: boolean): Sql {
  return sql.join(columns.map(column => (descending ? sql`${column} desc` : column)))
}

/** Reads those of some rows that meet conditions: by their identifiers, whatever else there is to go by. */
export function readSome<Row>(
  source: Source,
  ids: Sql,
  conditions: readonly Sql[],
  order: readonly Sql[],
  after: readonly Sql[] | undefined,
  descending: boolean,
  { limit }: Size,
): RawBuilder<Row> {
  const following = bounds({ columns: order, equal: [], after }, descending)
  // One array parameter, whatever its length: the statement stays the same and stays prepared.
  return sql<Row>`
    select ${listed(source)} from (
      select * from ${sql.table(source.table)} where id = any(${ids}::bigint[]) offset 0
    ) as found
    where ${sql.join([following, ...conditions], sql` and `)}
    order by ${directed(order, descending)} limit ${limit}`
}

/** How many identifiers make a block. A page costs at most a probe for each block and the rows of one. */
const blockSize = 4096

/** The block of a row; an index on it lets rows be found by a range of another column, block after block. */
export const blockOf = (id: Sql) => sql`(${id} / ${sql.lit(blockSize)})`

/** A page of so many rows, in another order, is read to see whether there are more. */
export const few = 200

export interface Blocks {
  /** conditions that an index serves together with the block */
  conditions: readonly Sql[]
  /** the first rows of another order that meet the conditions, `few` of them or all: as good as any when there are so few */
  instead?: Sql | undefined
}

/**
 * Reads rows in the order of their identifiers that meet conditions for which no index has this order, such as a range:
 * from block to block until the page is full.
 */
export function readBlocks<Row>(
  source: Source,
  { conditions, instead }: Blocks,
  after: Sql | undefined,
  descending: boolean,
  { limit, most }: Size,
): RawBuilder<Row> {
  const from = sql.table(source.table)
  const order = directed([sql.ref('id')], descending)
  const block = blockOf(sql.ref('id'))
  const follows = after ? sql`id ${sql.raw(descending ? '<' : '>')} ${after}` : sql`true`
  const isNext = descending
    ? sql`id < blocks.block * ${sql.lit(blockSize)}`
    : sql`id >= (blocks.block + 1) * ${sql.lit(blockSize)}`
  const isMany = instead ? sql`(select count(*) from few) = ${sql.lit(few)}` : sql`true`
  // In a block, all that meets the conditions is found first (`offset 0` holds that), and then put in order.
  // Blocks come out in the order in which they are found, and no more of them are looked for than the limit needs.
  return sql<Row>`
    with recursive ${instead ? sql`few as materialized (${instead}),` : sql``} blocks (block) as (
      (select ${block} from ${from} where ${follows} and ${isMany} order by ${order} limit 1)
      union all
      select (select ${block} from ${from} where ${isNext} order by ${order} limit 1)
      from blocks where block is not null
    )
    select * from (${instead ? sql`(select * from few where ${follows} and not (${isMany}) order by ${order} limit ${sql.lit(most)}) union all` : sql``}
    (
      select found.* from blocks cross join lateral (
        select * from (
          select ${listed(source)} from ${from}
          where ${sql.join([sql`${block} = blocks.block`, ...conditions], sql` and `)} offset 0
        ) as in_block where ${follows} order by ${order} limit ${sql.lit(most)}
      ) as found limit ${sql.lit(most)}
    )) as found limit ${limit}`
}
