import { migrations } from '../../migrations/index.ts'
import { type DatabaseConfig, type OpenDatabase, openDatabase } from './connect.ts'
import { appliedMigrations, migrateToLatest } from './migrate.ts'
import { templateDatabase } from './template.ts'

const untrusted = 'its certificate is of nobody who is trusted here; name its authority in sslrootcert'
/** What PostgreSQL's and the network's refusals mean for who runs the service. Source: PostgreSQL and Node error codes. */
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
  ENOTFOUND: 'the host is not known; correct DATABASE_URL',
  EAI_AGAIN: 'the host can’t be looked up now; try again, or correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; see whether it runs and can be reached',
  '28000': 'it refuses the user; correct DATABASE_URL',
  '28P01': 'it refuses the user or the password; correct DATABASE_URL',
  '3D000': 'there is no such database; create it, or correct DATABASE_URL',
  '42501': 'the user lacks a right; grant it that on the schema, or make it the owner of the database',
  '25006': 'it takes no writes; correct DATABASE_URL, which is to lead to the primary',
  '53300': 'it has no connection left; lower DATABASE_POOL_SIZE, or raise its max_connections',
}

/** A server, a port and a database, never a password. */
async function nameOf(url: string): Promise<string> {
  try {
    const { default: pg } = await import('pg') // the embedded database needs none of it
    const { host, port, database } = new pg.Client(url) // resolves what the URL leaves to the environment
    return `PostgreSQL at ${host}:${port}/${database}`
  } catch {
    return 'PostgreSQL' // the URL names a file that is not there, which the error tells
  }
}

/** Says of a failure which database it is about, and what to do. */
export async function explain(config: DatabaseConfig, error: unknown): Promise<Error> {
  // Where a host has several addresses, each has an error of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { code = '', message = String(first) } = first as NodeJS.ErrnoException // absent on what is no Error
  if (config.kind === 'embedded')
    return first instanceof Error ? first : new Error(`The embedded database: ${message}`, { cause: error })
  const reason = reasons[/timeout/i.test(message) ? 'ETIMEDOUT' : code]
  return new Error(`${await nameOf(config.url)}: ${reason ? `${reason} (${message})` : message}`, {
    cause: error,
  })
}

/** Connections that a migration takes whose statements stand alone. */
const migratedBy = 3

/** The same database, with connections enough to migrate it, and as much time for a statement as it needs. */
export function roomToMigrate(config: DatabaseConfig): DatabaseConfig {
  if (config.kind === 'embedded') return config
  return { ...config, poolSize: Math.max(config.poolSize, migratedBy), statementTimeoutMs: 0 }
}

/** Migrates a database; PostgreSQL by connections of its own, where there is something to do. */
async function migrate(config: DatabaseConfig, { db }: OpenDatabase): Promise<void> {
  if (config.kind === 'embedded') return void (await migrateToLatest(db))
  const applied = await appliedMigrations(db)
  if (applied.join() === Object.keys(migrations).join()) return
  const roomy = await openDatabase(roomToMigrate(config))
  await migrateToLatest(roomy.db).finally(roomy.close)
}

/**
 * Opens the database and brings it to the form that this code needs.
 * @throws DirectoryInUse when another process has the embedded database open
 * @throws Error that names the database, and a remedy where one is known
 */
export async function openMigrated(
  config: DatabaseConfig,
  onConnectionLost?: (error: Error) => void,
): Promise<OpenDatabase> {
  let database: OpenDatabase | undefined
  try {
    const whole = config.kind === 'embedded' ? { ...config, source: templateDatabase() } : config
    database = await openDatabase(whole, onConnectionLost)
    await migrate(whole, database)
    return database
  } catch (error) {
    await database?.close()
    throw await explain(config, error)
  }
}
