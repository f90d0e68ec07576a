import { resolve } from 'node:path'
import type { PGlite, PGliteOptions } from '@electric-sql/pglite'
import { Kysely, PGliteDialect } from 'kysely'
import { createOrOpen, lockDirectory, makeDataDirectory, makePrivate, type Source } from './directory.ts'
import type { OpenPool, PostgresPlace } from './pool.ts'
import { readInt8, readTimestamp, setSession } from './session.ts'
import type { Database, Db, Tables } from './tables.ts'

export type DatabaseConfig =
  | {
      kind: 'embedded'
      /** null: in memory */
      dataDir: string | null
      /** what a new one in a directory begins with */
      source?: Source
    }
  | ({
      kind: 'postgres'
      /** of replicas that may be read from */
      replicaUrls?: readonly string[] | undefined
    } & PostgresPlace)

export interface OpenDatabase {
  db: Database
  /** The same database, for `/health` alone: on PostgreSQL a connection that waits for nobody, and not for long. */
  probe: Db
  /** the connections of `db`; undefined: it has none */
  pool?: OpenPool
  /** Closes all connections. On PostgreSQL those that still wait for an answer after a second are broken off. */
  close(): Promise<void>
}

/** Longest wait of the probe for its connection, and for its answer, in ms. */
const probeWithin = 750

/** Pages that the embedded database holds; the 128 MB that are usual are filled with zeros at each start. */
const sharedBuffers = '16MB'

/**
 * Opens the embedded database or connects to PostgreSQL.
 * @param onConnectionLost told of a failure of a connection that no query waits for; the pool replaces it by itself
 * @throws DirectoryInUse when another process has the embedded database open
 * @throws Error when PostgreSQL is too old or does not store UTF-8
 */
export async function openDatabase(
  config: DatabaseConfig,
  onConnectionLost: (error: Error) => void = () => {},
): Promise<OpenDatabase> {
  return config.kind === 'embedded' ? openEmbedded(config) : connectPostgres(config, onConnectionLost)
}

async function openEmbedded({
  dataDir,
  source,
}: DatabaseConfig & { kind: 'embedded' }): Promise<OpenDatabase> {
  const { PGlite, types } = await import('@electric-sql/pglite') // PostgreSQL needs none of it
  const options: PGliteOptions = {
    parsers: { [types.INT8]: readInt8, [types.TIMESTAMPTZ]: readTimestamp },
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  }
  const create = async (place?: string) => {
    const pglite = await PGlite.create({ ...options, ...(place !== undefined && { dataDir: place }) })
    await pglite.exec(setSession)
    return pglite
  }
  if (dataDir === null) return withEmbedded(await create(), () => {})
  const directory = resolve(dataDir)
  makeDataDirectory(directory)
  const unlock = lockDirectory(directory)
  try {
    const pglite = await createOrOpen(directory, create, source)
    makePrivate(directory)
    return withEmbedded(pglite, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

function withEmbedded(pglite: PGlite, unlock: () => void): OpenDatabase {
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  const close = async () => {
    await db.destroy()
    if (!pglite.closed) await pglite.close() // Kysely closes only what it has used
    unlock()
  }
  return { db, probe: db, close }
}

type PostgresConfig = DatabaseConfig & { kind: 'postgres' }

async function connectPostgres(
  config: PostgresConfig,
  onConnectionLost: (error: Error) => void,
): Promise<OpenDatabase> {
  const { openPool } = await import('./pool.ts') // the embedded database needs none of it
  const pooled = openPool(config, onConnectionLost)
  const probing = openPool(
    { ...config, poolSize: 1, connectTimeoutMs: probeWithin, statementTimeoutMs: probeWithin },
    () => {},
    { more: { idleTimeoutMillis: 0, keepAlive: true } },
  )
  const close = async () => {
    await Promise.all([pooled.close(), probing.close()])
  }
  try {
    const client = await pooled.pool.connect()
    client.release()
  } catch (error) {
    await close()
    throw error
  }
  return { db: pooled.db, probe: probing.db, pool: pooled, close }
}
