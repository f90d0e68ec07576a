import type { GeneratedAlways, JSONColumnType, Kysely } from 'kysely'
import { type DbOf, type ServiceTables, statementsOn } from 'spec-served'
import type { Book } from '../generated/schema.ts'

/** A column of JSON with a property of a book. */
type Json<Name extends keyof Book> = JSONColumnType<NonNullable<Book[Name]> & object>

interface BooksTable {
  id: GeneratedAlways<number>
  title: string
  published: string | null
  form: Json<'form'>
  place: Json<'place'> | null
  names: Json<'names'> | null
  details: Json<'details'> | null
  donor: string | null
  added: Date
}

/** The media type of an image. */
export type Image = `image/${string}`

interface CoversTable {
  book: number
  type: Image
  artist: string | null
  bytes: Uint8Array
}

interface LoansTable {
  id: GeneratedAlways<number>
  book: number
  reader: string
  due: string
}

/** The tables that handlers write and read, each made by a migration: columns by table, as Kysely has them. */
export interface Tables extends ServiceTables {
  books: BooksTable
  covers: CoversTable
  loans: LoansTable
}

export type Database = Kysely<Tables>
/** The database or a transaction in it, for what works in both. */
export type Db = DbOf<Tables>

export const { prepared, finder } = statementsOn<Tables>()
