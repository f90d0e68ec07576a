import type { Transaction } from 'kysely'
import { type OpenDatabase, openDatabase } from 'spec-served/internal/database/connect'
import type { Database as EngineDatabase, Db as EngineDb } from 'spec-served/internal/database/tables'
import type { Database as OwnDatabase, Db as OwnDb, Tables } from './petstore.ts'

/** A database with the pet store's tables, which the engine takes as one of its own. */
export type Database = EngineDatabase & OwnDatabase
export type Db = EngineDb & OwnDb
export type Trx = Transaction<Tables>
export type OpenStore = Omit<OpenDatabase, 'db' | 'probe'> & { db: Database; probe: Db }

/** Opens a database that has the pet store's tables, or is about to get them. */
export async function openStore(...place: Parameters<typeof openDatabase>): Promise<OpenStore> {
  // The engine knows only the types of its own tables; the pet store's migrations have made the others beside them.
  return (await openDatabase(...place)) as unknown as OpenStore
}
