import { type Kysely, sql } from 'kysely'
import { causeOf, codeOf } from './failures.ts'
import { hostsIn } from './hosts.ts'
import { appliedMigrations, migrateToLatest } from './migrate.ts'
import type { Migrations } from './migration.ts'
import type { OpenPool, PostgresPlace } from './pool.ts'
import type { Database, Db, Tables } from './tables.ts'
import { templateFor } from './template.ts'

/** The database: a directory, null for one that is not kept, or a PostgreSQL with its replicas for reads. */
export type DatabaseConfig =
  | { kind: 'embedded'; dataDir: string | null; template?: string; freezeAge?: number }
  | ({ kind: 'postgres'; replicaUrls?: readonly string[] | undefined } & PostgresPlace)

export interface OpenDatabase<AllTables = Tables> {
  db: Kysely<AllTables>
  /** The same database, for `/health` alone. On PostgreSQL it has a connection of its own, with a short timeout. */
  probe: Db
  /** The same database, for transactions that wait for a lock. On PostgreSQL it has connections of its own. */
  waiting: Database
  /** the connections of `db`; undefined: none */
  pool?: OpenPool
  /** Resolves with the reason when the embedded database can't go on: this process is to end, and to start again. */
  failed?: Promise<Error>
  /** Makes room of what was removed and changed. Absent: the database does so itself. */
  maintain?(): Promise<void>
  /** Closes all connections. On PostgreSQL those without an answer after a second are cut. */
  close(): Promise<void>
}

type OnLost = (error: Error) => void

/** Longest wait of the probe for its connection, and for its answer, in ms. */
const probeWithin = 750

/**
 * Opens the embedded database or connects to PostgreSQL.
 * @param onLost called when a connection fails that no query waits for; the pool replaces it
 * @throws DirectoryInUse, or Error when PostgreSQL is too old or does not store UTF-8
 */
export async function openDatabase(config: DatabaseConfig, onLost: OnLost = () => {}): Promise<OpenDatabase> {
  if (config.kind === 'postgres') return connectPostgres(config, onLost)
  return (await import('./embedded.ts')).openEmbedded(config) // PostgreSQL needs none of it
}

async function connectPostgres(config: DatabaseConfig & { kind: 'postgres' }, onLost: OnLost) {
  const { openPool } = await import('./pool.ts') // the embedded database needs none of it
  const pooled = openPool(config, onLost)
  const probing = openPool(
    { ...config, poolSize: 1, connectTimeoutMs: probeWithin, statementTimeoutMs: probeWithin },
    () => {},
    { more: { idleTimeoutMillis: 0, keepAlive: true } },
  )
  const close = async () => {
    await Promise.all([pooled.close(), probing.close()])
  }
  try {
    await pooled.open()
  } catch (error) {
    await close()
    throw error
  }
  return { db: pooled.db, probe: probing.db, waiting: pooled.waiting, pool: pooled, close }
}

const untrusted = 'its certificate is of nobody who is trusted here; name its authority in sslrootcert'
/** The meaning of PostgreSQL's and the network's errors for operators. Source: PostgreSQL and Node error codes. */
const reasons: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it there',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; correct DATABASE_URL',
  ECONNREFUSED: 'nobody listens there; start the server, or correct DATABASE_URL',
  ENOENT: 'there is no such file or socket; start the server, or correct DATABASE_URL',
  NO_TLS: 'it takes no connections with TLS; turn ssl on there, or leave sslmode out of DATABASE_URL',
  ENOTFOUND: 'the host is not known; correct DATABASE_URL',
  EAI_AGAIN: 'the host can’t be looked up now; try again, or correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; see whether it runs and can be reached',
  '28000': 'it refuses the user; correct DATABASE_URL',
  '28P01': 'it refuses the user or the password; correct DATABASE_URL',
  '3D000': 'there is no such database; create it, or correct DATABASE_URL',
  '42501': 'the user lacks a right; grant it that on the schema, or make it the owner of the database',
  '25006':
    'it takes no writes; correct DATABASE_URL, which is to lead to the primary, or set default_transaction_read_only to off there',
  '53300': 'it has no connection left; lower DATABASE_POOL_SIZE, or raise its max_connections',
}

/** Returns the server, the port and the database of a URL, never its password. */
async function nameOf(url: string): Promise<string> {
  try {
    const { default: pg } = await import('pg') // the embedded database needs none of it
    const clients = hostsIn(url).map(host => new pg.Client(host)) // resolves values that the URL leaves to the environment
    return `PostgreSQL at ${clients.map(({ host, port }) => `${host}:${port}`).join(',')}/${clients[0]?.database}`
  } catch {
    return 'PostgreSQL' // the URL names a missing file, as the error says
  }
}

/** Returns an error that names the database and a remedy. */
export async function explain(config: DatabaseConfig, error: unknown): Promise<Error> {
  const cause = causeOf(error)
  // A host with several addresses gives an error for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const { code = '', message = String(first) } = first as NodeJS.ErrnoException // absent on other values than Errors
  if (config.kind === 'embedded')
    return first instanceof Error ? first : new Error(`The embedded database: ${message}`, { cause: error })
  const reason = reasons[isWithoutTls(message) ? 'NO_TLS' : code] ?? reasons[codeOf(error)]
  const text = reason ? `${reason} (${message})` : message
  return new Error(`${await nameOf(config.url)}: ${text}`, { cause: error })
}

/** pg has no code for a server without TLS. Source: pg 8, lib/connection.js. */
const isWithoutTls = (message: string) => message === 'The server does not support SSL connections'

/** The same database, with a name for its connections in PostgreSQL. */
export const named = (config: DatabaseConfig, applicationName: string): DatabaseConfig =>
  config.kind === 'postgres' ? { ...config, applicationName } : config

/** Connections that a migration outside a transaction takes. */
const migratedBy = 3

/** The same database, with enough connections to migrate it and no time limit for a statement. */
export function roomToMigrate(config: DatabaseConfig): DatabaseConfig {
  if (config.kind === 'embedded') return config
  const poolSize = Math.max(config.poolSize, migratedBy)
  return { ...config, poolSize, isUndivided: true, statementTimeoutMs: 0 }
}

/** @throws Error with PostgreSQL's code for a refused write, which Kysely's migrator would hide behind a later one */
async function refuseReadOnly(db: Db): Promise<void> {
  const setting = 'transaction_read_only' // on as well in a replica
  const { state } = await db
    .selectNoFrom(eb => eb.fn<string>('current_setting', [eb.val(setting)]).as('state'))
    .executeTakeFirstOrThrow()
  if (state === 'on') throw Object.assign(new Error(`${setting} is on`), { code: '25006' })
}

/** @throws Error with PostgreSQL's code for a role that may make no table, which Kysely's migrator would hide */
async function refuseWithoutRight(db: Db): Promise<void> {
  const { rows } = await sql<{ role: string; schema: string | null; may: boolean | null }>`
    select current_user::text as role, current_schema()::text as schema,
      has_schema_privilege(current_schema(), 'create') as may`.execute(db)
  const [{ role, schema, may } = { role: '', schema: null, may: null }] = rows
  if (may) return
  const message = `${role} may make no table in ${schema ?? 'any schema of its search_path'}`
  throw Object.assign(new Error(message), { code: '42501' })
}

/** Migrates a database. On PostgreSQL it opens connections of its own if a migration is missing. */
async function migrate(config: DatabaseConfig, { db }: OpenDatabase, migrations: Migrations): Promise<void> {
  if (config.kind === 'embedded') return void (await migrateToLatest(db, migrations))
  await refuseReadOnly(db)
  const applied = await appliedMigrations(db)
  if (applied.length === Object.keys(migrations).length && applied.every(name => name in migrations)) return
  await refuseWithoutRight(db)
  const roomy = await openDatabase(roomToMigrate(config))
  await migrateToLatest(roomy.db, migrations).finally(roomy.close)
}

/** Opens the database and migrates it. @throws DirectoryInUse, or Error with the database's name and a remedy */
export async function openMigrated(config: DatabaseConfig, migrations: Migrations): Promise<OpenDatabase> {
  let database: OpenDatabase | undefined
  try {
    const isEmbedded = config.kind === 'embedded'
    database = await openDatabase(isEmbedded ? { ...config, template: templateFor(migrations) } : config)
    await migrate(config, database, migrations)
    return database
  } catch (error) {
    await database?.close()
    throw await explain(config, error)
  }
}
