import type { Migration } from 'kysely/migration'

/** A step of the database: what its file in `migrations/` exports. */
export interface Step extends Migration {
  /**
   * Whether its statements stand alone, each done when it has run, as `create index concurrently` must be and what
   * changes many rows in parts should be. A step that ends half-way is taken again, so each must be safe to repeat. It
   * takes three connections to PostgreSQL.
   */
  isOutsideTransaction?: boolean
  /** Columns (`pets.nickname`) and tables that the release before this step uses no more, and that it may therefore take away. */
  unused?: readonly string[]
  /**
   * The step that a program must know to work once this one is taken: with `unused`, the last one of the release before.
   * Absent: whoever worked before goes on.
   */
  needs?: string
}

/** Steps by their names, in their order. */
export type Steps = Record<string, Step>
