import type { Generated, GeneratedAlways, Kysely } from 'kysely'
import { type DbOf, type ServiceTables, statementsOn } from 'spec-served'

export interface CategoriesTable {
  id: GeneratedAlways<number>
  name: string
  /** the name in the form for comparing and sorting */
  name_key: string
  description: string | null
  /** grows with each change of the category */
  version: Generated<number>
}

export interface PetsTable {
  id: GeneratedAlways<number>
  category_id: number
  name: string
  /** the name in the form for comparing and sorting */
  name_key: string
  status: Generated<'available' | 'pending' | 'sold'>
  stock: Generated<number>
  open_orders: Generated<number>
  /** grows with each change of the animal */
  version: Generated<number>
  /** grows with each change of the inventory entry */
  stock_version: Generated<number>
}

export interface OrdersTable {
  id: GeneratedAlways<number>
  /** null once the animal of a fulfilled order is removed */
  pet_id: number | null
  quantity: number
  ship_date: Date | null
  complete: Generated<boolean>
  /** grows with each change of the order */
  version: Generated<number>
}

export interface Tables extends ServiceTables {
  categories: CategoriesTable
  pets: PetsTable
  orders: OrdersTable
}

export type Database = Kysely<Tables>
/** The database or a transaction in it, for code that works in both. */
export type Db = DbOf<Tables>

export const { prepared, finder, joinable } = statementsOn<Tables>()
