import type { Migrations } from '../database/migration.ts'
import { type Effect, effectsOf, type MigrationEffects } from './effects.ts'

/** A statement of a migration that did not run yet, and what others have to wait for meanwhile. */
export interface PlannedStatement {
  statement: string
  /** the uses that are blocked, by table, until the migration ends */
  blocks: Effect['blocks']
  /** about how long it takes on the rows that are there */
  seconds: number
}

export interface PlannedMigration extends Omit<MigrationEffects, 'effects'> {
  /** those that block something or take long */
  statements: PlannedStatement[]
}

/** Writing rows again, or into an index, takes about so many times as long as reading them. */
const writing = 5

/**
 * Says what the pending migrations will do to a database, and about how long they will block which use.
 * @param applied the migrations that it has
 * @param reading how long it takes to read each of its tables, in seconds
 */
export async function planOf(
  applied: readonly string[],
  reading: Readonly<Record<string, number>>,
  all: Migrations,
): Promise<PlannedMigration[]> {
  const secondsOf = ({ statement, reads, rewrites }: Effect): number => {
    const perRead = /\bindex\b|\bunique\b/i.test(statement) ? writing : 1
    const sum = (tables: readonly string[]) =>
      tables.reduce((total, table) => total + (reading[table] ?? 0), 0)
    return sum(reads) * perRead + sum(rewrites) * writing
  }
  const isFelt = ({ blocks, reads, rewrites }: Effect) =>
    Object.keys(blocks).length + reads.length + rewrites.length > 0
  const planned = (effect: Effect): PlannedStatement => {
    const { statement, blocks } = effect
    return { statement, blocks, seconds: secondsOf(effect) }
  }
  return (await effectsOf(applied, all)).map(({ effects, ...migration }) => ({
    ...migration,
    statements: effects.filter(isFelt).map(planned),
  }))
}
