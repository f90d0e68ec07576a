import type { Generated, GeneratedAlways } from 'kysely'

export interface CategoriesTable {
  id: GeneratedAlways<number>
  name: string
  /** the name as it is compared and sorted */
  name_key: string
  description: string | null
  /** grows with each change of the category */
  version: Generated<number>
}

export interface PetsTable {
  id: GeneratedAlways<number>
  category_id: number
  name: string
  /** the name as it is compared and sorted */
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

/** The tables of the trade: those that handlers write and read. */
export interface TradeTables {
  categories: CategoriesTable
  pets: PetsTable
  orders: OrdersTable
}
