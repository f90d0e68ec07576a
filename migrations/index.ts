import type { Migrations } from '../src/database/migration.ts'
import * as store from './0001-store.ts'
import * as apiKeys from './0002-api-keys.ts'
import * as idempotency from './0003-idempotency.ts'
import * as deprecatedCalls from './0004-deprecated-calls.ts'
import * as namesAndPages from './0005-names-and-pages.ts'
import * as plansOfTheDocument from './0006-plans-of-the-document.ts'
import * as keyChanges from './0007-key-changes.ts'
import * as stockLevels from './0008-stock-levels.ts'
import * as indexOnStockLevels from './0009-index-on-stock-levels.ts'
import * as limitNotes from './0010-limit-notes.ts'
import * as plainIndexes from './0011-plain-indexes.ts'
import * as noStockLevels from './0012-no-stock-levels.ts'
import * as oneWritePath from './0013-one-write-path.ts'

/** Every migration of the database, in order. A released one is never changed; a new one is added below it. */
export const migrations: Migrations = {
  '0001-store': store,
  '0002-api-keys': apiKeys,
  '0003-idempotency': idempotency,
  '0004-deprecated-calls': deprecatedCalls,
  '0005-names-and-pages': namesAndPages,
  '0006-plans-of-the-document': plansOfTheDocument,
  '0007-key-changes': keyChanges,
  '0008-stock-levels': stockLevels,
  '0009-index-on-stock-levels': indexOnStockLevels,
  '0010-limit-notes': limitNotes,
  '0011-plain-indexes': plainIndexes,
  '0012-no-stock-levels': noStockLevels,
  '0013-one-write-path': oneWritePath,
}
