import type { PostgresClient } from 'kysely'
import type pg from 'pg'
import { DatabaseUnavailable } from './failures.ts'

/** The schema of the tables, unless DATABASE_URL names another one in its `options`. */
const place = { search_path: 'public' }

/** How long work waits for a lock where it holds others up, in ms. Then it begins again where such work waits. */
export const lockedAfter = 25

/** The settings that the service relies on in each session; none that an operator may want to change. */
const forms = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
}

export const setSession = Object.entries({ ...place, ...forms })
  .map(([name, value]) => `set ${name} to '${value}'`)
  .join(';')

const startOptions = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
    .join(' ')

/**
 * Gives sessions these settings at their start. The URL's `options` stay, and override the schema.
 * @param lockTimeout the longest wait of a statement for a lock, in ms; 0: no limit
 */
export function startSettings(url: string, lockTimeout = 0): { connectionString: string; options: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const text = parsed?.searchParams.get('options')
  const fixed = { ...forms, lock_timeout: lockTimeout }
  const options = [startOptions(place), text, startOptions(fixed)].filter(Boolean).join(' ')
  if (!parsed || !text) return { connectionString: url, options }
  parsed.searchParams.delete('options') // a URL's `options` would override these
  return { connectionString: parsed.href, options }
}

/** The oldest PostgreSQL that runs this service's SQL. */
const oldestServer = 140_000

/**
 * Checks the server of a new connection, and throws if it is unsuitable.
 * @param timeoutMs the longest wait for its answer; 0: no limit
 * @returns whether a pooler stands before it, which may give each transaction another session
 */
export async function checkServer(
  client: pg.ClientBase,
  mayBeReplica: boolean,
  timeoutMs: number,
): Promise<boolean> {
  const text = `
    select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isReplica",
      '2026-07-31T00:00:00Z'::timestamptz || ', ' || current_setting('standard_conforming_strings') as forms`
  const question: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: timeoutMs }
  const { rows } = await client.query(question)
  const [{ pid, version, encoding, isReplica, forms: normalForms }] = rows
  if (version < oldestServer)
    throw new DatabaseUnavailable(
      `PostgreSQL 14 or newer is needed; this server is ${Math.floor(version / 10_000)}`,
    )
  if (encoding !== 'UTF8')
    throw new DatabaseUnavailable(`The database must store UTF8; this one stores ${encoding}`)
  if (isReplica && !mayBeReplica)
    throw new DatabaseUnavailable('The server is a replica, which takes no writes', { code: '25006' })
  if (normalForms !== '2026-07-31 00:00:00+00, on')
    throw new DatabaseUnavailable(
      'The pooler drops the settings of a session, and those of the database are others: run ALTER DATABASE … SET ' +
        "DateStyle = 'ISO', … SET TimeZone = 'UTC' and … SET standard_conforming_strings = on, then RECONNECT the pooler",
    )
  const { processID }: Pick<PostgresClient, 'processID'> & pg.ClientBase = client
  return processID !== pid // a pooler invents its process id
}
