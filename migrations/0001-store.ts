import { type Kysely, sql } from 'kysely'

/** Categories, animals with their stock, and orders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Names are compared and sorted byte by byte on their folded form: the same order in every database, and a
  // prefix search that an index serves.
  await sql`
    create table categories (
      id bigint generated always as identity primary key,
      name text not null constraint categories_name_length check (char_length(name) between 1 and 100),
      name_key text collate "C" not null constraint categories_name_unique unique,
      description text constraint categories_description_length check (char_length(description) <= 500),
      version integer not null default 1
    )`.execute(db)

  // Stock and the number of open orders stand in the animal's own row: each rule on them is then one statement on
  // one row, which no concurrent statement can come between.
  await sql`
    create table pets (
      id bigint generated always as identity primary key,
      category_id bigint not null constraint pets_category_exists references categories (id),
      name text not null constraint pets_name_length check (char_length(name) between 1 and 100),
      name_key text collate "C" not null,
      status text not null default 'available'
        constraint pets_status_known check (status in ('available', 'pending', 'sold')),
      stock bigint not null default 1 constraint pets_stock_not_negative check (stock >= 0),
      open_orders integer not null default 0 constraint pets_open_orders_not_negative check (open_orders >= 0),
      version integer not null default 1,
      stock_version integer not null default 1
    )`.execute(db)

  await sql`
    create table orders (
      id bigint generated always as identity primary key,
      pet_id bigint constraint orders_pet_exists references pets (id) on delete set null,
      quantity integer not null constraint orders_quantity_range check (quantity between 1 and 1000000),
      ship_date timestamptz,
      complete boolean not null default false,
      version integer not null default 1,
      constraint orders_open_has_pet check (complete or pet_id is not null)
    )`.execute(db)

  for (const [table, columns] of [
    ['pets', 'name_key, id'],
    ['pets', 'status, id'],
    ['pets', 'status, name_key, id'],
    ['pets', 'category_id, id'],
    ['pets', 'category_id, name_key, id'],
    ['pets', 'stock, id'],
    ['orders', 'pet_id, id'],
    ['orders', 'complete, id'],
  ] as const)
    await sql`create index on ${sql.table(table)} (${sql.raw(columns)})`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table orders, pets, categories`.execute(db)
}
