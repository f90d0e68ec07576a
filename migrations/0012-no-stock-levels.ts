import type { Kysely } from 'kysely'
import * as stockLevels from './0008-stock-levels.ts'

/** No release has used it: pages of the inventory are read by an index on the stock itself. */
export const unused = ['pets.stock_level']
export const needs = '0011-plain-indexes'

/** Animals have no level of their stock any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await stockLevels.down(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await stockLevels.up(db)
}
