import type { Migrations } from 'spec-served'
import * as store from './0001-store.ts'
import * as namesAndPages from './0005-names-and-pages.ts'
import * as stockLevels from './0008-stock-levels.ts'
import * as indexOnStockLevels from './0009-index-on-stock-levels.ts'
import * as plainIndexes from './0011-plain-indexes.ts'
import * as noStockLevels from './0012-no-stock-levels.ts'
import * as largestIds from './0016-largest-ids.ts'

/**
 * Every migration of the pet store's tables, in order; those of keys, limits and replies are the engine's. A released one is
 * never changed; a new one is added below it.
 */
export const migrations: Migrations = {
  '0001-store': store,
  '0005-names-and-pages': namesAndPages,
  '0008-stock-levels': stockLevels,
  '0009-index-on-stock-levels': indexOnStockLevels,
  '0011-plain-indexes': plainIndexes,
  '0012-no-stock-levels': noStockLevels,
  '0016-largest-ids': largestIds,
}
