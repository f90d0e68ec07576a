import type { Migration as KyselyMigration } from 'kysely/migration'

/** A migration of the database: what its file in `migrations/` exports. */
export interface Migration extends KyselyMigration {
  /**
   * Whether its statements stand alone, each done when it has run, as `create index concurrently` must be and what
   * changes many rows in parts should be. A migration that ends half-way runs again, so each statement must be safe to
   * repeat. It takes three connections to PostgreSQL.
   */
  isOutsideTransaction?: boolean
  /** Columns (`pets.nickname`) and tables that the release before does not use any more, so that they may go. */
  unused?: readonly string[]
  /**
   * The migration that a program must know to work with the database after this one: with `unused`, the last one of the
   * release before. Absent: every program that worked before goes on.
   */
  needs?: string
}

/** Migrations by their names, in their order. */
export type Migrations = Record<string, Migration>
