import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import type { Kysely } from 'kysely'
import type { Checkers } from '../callers/security.ts'
import { allMigrations } from '../database/all-migrations.ts'
import type { Migrations } from '../database/migration.ts'
import type { Database } from '../database/tables.ts'
import type { Handlers, Types } from '../handler.ts'
import type { AnyHandler } from '../routes/binding.ts'

/** The relation of a table to the document. */
export interface ShownTable {
  /** the schemas that its rows become */
  schemas: readonly string[]
  /** columns that no property shows, with the reason */
  hidden?: Readonly<Record<string, string>>
  /** the columns of properties, `Schema.property`, whose names differ */
  named?: Readonly<Record<string, string>>
  /** columns that take any value, because only the document lists the values */
  open?: readonly string[]
}

/** The document's view of each table, by name. A text is the reason why the document does not show a table. */
export type ShownTables = Readonly<Record<string, ShownTable | string>>

/** The parts of a service that a team writes, beside its document. */
export interface ServiceParts<T extends Types> {
  /** the folder of the project, with `spec/openapi.yaml` and `src/generated` */
  root: URL
  /** a handler for each operation of the document */
  handlers: Handlers<T>
  /**
   * The checkers of the document's security schemes, by name, besides the API keys in the database. The service does
   * not start if a scheme has none.
   */
  checkers?: Checkers
  /** the migrations of the project's own tables, in order */
  migrations?: Migrations
  /** Fills an embedded database in which nothing was ever stored. @returns whether it did */
  loadSample?(db: Kysely<T['tables']>): Promise<boolean>
  /** the document's view of the project's tables; the check compares each column with its property */
  shownTables?: ShownTables
  /**
   * The project's own Fastify plugins. Hooks of those that are wrapped by fastify-plugin run for all routes. Their `onRequest`
   * hooks come before all stages of the service but the log, so they know no caller. Their routes stand beside the document's
   * and are routes of plain Fastify: its parsers, validation and error replies. The service logs and limits them.
   */
  plugins?: readonly Plugin[]
  /** the service's name in challenges, metrics and shared stores: a letter, then letters and digits */
  name?: string
}

/** A plugin of Fastify, in either of its forms. */
type Plugin = FastifyPluginAsync | FastifyPluginCallback

/** A team's service, whatever the types of its document. */
export interface Service {
  readonly root: URL
  readonly name: string
  readonly handlers: Readonly<Record<string, AnyHandler<never>>>
  readonly checkers: Checkers
  /** the engine's migrations, then the project's */
  readonly migrations: Migrations
  readonly shownTables: ShownTables
  readonly plugins: readonly Plugin[]
  loadSample?(db: Database): Promise<boolean>
}

/**
 * Assembles a service, and opens nothing.
 * @throws Error when a migration has the name of one of the engine's, or when the service's name is invalid
 */
export function defineService<T extends Types>(parts: ServiceParts<T>): Service {
  const { root, handlers, checkers = {}, migrations = {}, plugins = [], name = 'service' } = parts
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name))
    throw new Error(`The name of a service is a letter, then letters and digits, and not ${name}`)
  const { loadSample, shownTables = {} } = parts
  return {
    ...{ root, name, checkers, plugins, shownTables },
    // The engine calls each handler with its own operation's input, so the types that are dropped here still hold.
    handlers: handlers as unknown as Service['handlers'],
    migrations: allMigrations(migrations),
    // The database also has the project's tables.
    ...(loadSample && { loadSample: loadSample as unknown as NonNullable<Service['loadSample']> }),
  }
}
