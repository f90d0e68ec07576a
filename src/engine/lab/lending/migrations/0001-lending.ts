import { type Kysely, sql } from 'kysely'

/** Books, their covers, and who has them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table books (
      id bigint generated always as identity (maxvalue 9007199254740991) primary key,
      title text not null constraint books_title_length check (char_length(title) between 1 and 200),
      published text,
      form jsonb not null,
      place jsonb,
      names jsonb,
      details jsonb,
      donor text constraint books_donor_length check (char_length(donor) <= 100),
      added timestamptz not null
    )
  `.execute(db)
  await sql`
    create table covers (
      book bigint primary key references books,
      type text not null,
      artist text,
      bytes bytea not null
    )
  `.execute(db)
  await sql`
    create table loans (
      id bigint generated always as identity (maxvalue 9007199254740991) primary key,
      book bigint not null constraint loans_book_fits check (book >= 1)
        constraint loans_book_exists references books constraint loans_book_free unique,
      reader text not null constraint loans_reader_length check (char_length(reader) between 1 and 100),
      due text not null
    )
  `.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table loans, covers, books`.execute(db)
}
