import type { FastifyPluginAsync } from 'fastify'
import type { Kysely } from 'kysely'
import type { Checkers } from '../access/security.ts'
import { allMigrations } from '../database/all-migrations.ts'
import type { Migrations } from '../database/migration.ts'
import type { Database } from '../database/tables.ts'
import type { Handlers, Types } from '../handler.ts'
import type { AnyHandler } from '../routes/binding.ts'

/** How a document shows a table. */
export interface ShownTable {
  /** the schemas that its rows become */
  schemas: readonly string[]
  /** columns that no property shows, with the reason */
  hidden?: Readonly<Record<string, string>>
  /** the column of a property, `Schema.property`, where it has another name */
  named?: Readonly<Record<string, string>>
  /** columns that take any value, as the document alone says which there are */
  open?: readonly string[]
}

/** Tables by their names, and what a document shows of each; a text where it shows nothing: the reason. */
export type ShownTables = Readonly<Record<string, ShownTable | string>>

/** What a team writes for a service, beside its document. */
export interface ServiceParts<T extends Types> {
  /** the folder of the project, which has `spec/openapi.yaml` and `src/generated` */
  root: URL
  /** one for each operation of the document */
  handlers: Handlers<T>
  /**
   * What checks the credentials of the document's security schemes, by their names, besides the API keys in the database.
   * A scheme that nobody checks keeps the service from starting.
   */
  checkers?: Checkers
  /** of the project's own tables, in their order */
  migrations?: Migrations
  /** Fills an embedded database in which nothing was ever stored. @returns whether it did */
  loadSample?(db: Kysely<T['tables']>): Promise<boolean>
  /** what the document shows of the project's tables: the check holds each column against its property */
  shownTables?: ShownTables
  /** Fastify plugins of one's own: their hooks run for all routes, and their routes stand beside the document's. */
  plugins?: readonly FastifyPluginAsync[]
  /** names the service in challenges, metrics and shared stores: a letter, then letters and digits */
  name?: string
}

/** A service: what a team has written for it, whatever the types of its document. */
export interface Service {
  readonly root: URL
  readonly name: string
  readonly handlers: Readonly<Record<string, AnyHandler<never>>>
  readonly checkers: Checkers
  /** the engine's, and those of the project */
  readonly migrations: Migrations
  readonly shownTables: ShownTables
  readonly plugins: readonly FastifyPluginAsync[]
  loadSample?(db: Database): Promise<boolean>
}

/**
 * Puts a service together; opens nothing.
 * @throws Error when a migration has the name of one of the engine's, or the name is none
 */
export function defineService<T extends Types>(parts: ServiceParts<T>): Service {
  const { root, handlers, checkers = {}, migrations = {}, plugins = [], name = 'service' } = parts
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name))
    throw new Error(`The name of a service is a letter, then letters and digits, and not ${name}`)
  const { loadSample, shownTables = {} } = parts
  return {
    ...{ root, name, checkers, plugins, shownTables },
    // The engine calls each handler with its own operation's input, so the types that are worn off here still hold.
    handlers: handlers as unknown as Service['handlers'],
    migrations: allMigrations(migrations),
    // The database has the project's tables, too.
    ...(loadSample && { loadSample: loadSample as unknown as NonNullable<Service['loadSample']> }),
  }
}
