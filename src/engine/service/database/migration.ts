import type { Migration as KyselyMigration } from 'kysely/migration'

/** A migration of the database, which its file in `migrations/` exports. */
export interface Migration extends KyselyMigration {
  /**
   * Whether each statement takes effect by itself, as `create index concurrently` must and as changes of many rows in
   * parts should. A migration that ends half-way runs again, so each statement must be safe to repeat. It takes three
   * connections to PostgreSQL.
   */
  isOutsideTransaction?: boolean
  /** Columns (`pets.nickname`) and tables that the previous release no longer uses, so that they may be dropped. */
  unused?: readonly string[]
  /**
   * The migration that a program must know to work with the database after this one. With `unused`, it is the last one
   * of the previous release. Absent: every program that worked before goes on.
   */
  needs?: string
}

/** Migrations by their names, in their order. */
export type Migrations = Record<string, Migration>
