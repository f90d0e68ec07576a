import type pg from 'pg'
import { ReadOnlyServer } from './taken-client.ts'

/** Oldest PostgreSQL whose SQL this service speaks. */
const oldestServer = 140_000

interface Server {
  pid: number
  version: number
  encoding: string
  isReplica: boolean
  /** how it writes a time, and whether backslashes in texts are escapes */
  forms: string
}

/**
 * Checks the server that a new connection leads to.
 * @returns whether a pooler stands before it, which may give each transaction another session
 * @throws Error when the server is too old or does not store UTF-8, or when a pooler drops the settings of a session
 * @throws ReadOnlyServer when it is a replica and must be none
 */
export async function checkServer(
  client: pg.ClientBase,
  mayBeReplica: boolean,
): Promise<{ isPooler: boolean }> {
  const { rows } = await client.query<Server>(`
    select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isReplica",
      '2026-07-31T00:00:00Z'::timestamptz || ', ' || current_setting('standard_conforming_strings') as forms`)
  const [server] = rows
  if (!server) throw new Error('The server tells nothing of itself')
  const { pid, version, encoding, isReplica, forms } = server
  if (version < oldestServer)
    throw new Error(`PostgreSQL 14 or newer is needed; this server is ${Math.floor(version / 10_000)}`)
  if (encoding !== 'UTF8') throw new Error(`The database must store UTF8; this one stores ${encoding}`)
  if (isReplica && !mayBeReplica) throw new ReadOnlyServer()
  checkForms(forms)
  const { processID } = client as unknown as { processID: unknown } // of pg's clients, absent from the types
  return { isPooler: processID !== pid } // a pooler makes up the process id that it tells
}

/** A pooler may not hand the settings on that a session begins with. */
function checkForms(forms: string): void {
  if (forms !== '2026-07-31 00:00:00+00, on')
    throw new Error(
      'The pooler drops the settings of a session, and those of the database are others: run ALTER DATABASE … SET ' +
        "DateStyle = 'ISO', … SET TimeZone = 'UTC' and … SET standard_conforming_strings = on, then RECONNECT the pooler",
    )
}
