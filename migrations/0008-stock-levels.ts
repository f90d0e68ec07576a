import { type Kysely, sql } from 'kysely'

/**
 * Each animal gets the level of its stock, which changes less often than the stock: up to fourteen each quantity has its
 * own, and of more those share one that differ by less than a tenth. What is indexed is the level from the next step on,
 * so that most orders change no index. Who asks for animals with at most so many reads past those of the same level that
 * have more. Whoever changes a stock sets the level, the release before and an operator's SQL too. Each page keeps room
 * for another version of its rows, which needs no entry in an index then.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pets add column stock_level smallint`.execute(db)
  await sql`alter table pets set (fillfactor = 90)`.execute(db)
  await sql`
    create function level_of_stock(stock bigint) returns smallint language sql immutable
    as 'select floor(12 * ln(greatest(stock, 0) + 1::float8))::smallint'`.execute(db)
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  // Whoever changes animals may look for functions elsewhere.
  await sql`
    create function set_stock_level() returns trigger
    language plpgsql set search_path to ${sql.id(rows[0]?.schema ?? 'public')}, pg_temp as $$
    begin
      new.stock_level = level_of_stock(new.stock);
      return new;
    end $$`.execute(db)
  await sql`
    create trigger pets_set_stock_level before insert or update of stock on pets for each row
    when (new.stock_level is distinct from level_of_stock(new.stock)) execute function set_stock_level()`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger pets_set_stock_level on pets`.execute(db)
  await sql`drop function set_stock_level, level_of_stock`.execute(db)
  await sql`alter table pets reset (fillfactor)`.execute(db)
  await sql`alter table pets drop column stock_level`.execute(db)
}
