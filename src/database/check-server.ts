import type pg from 'pg'

/** Oldest PostgreSQL whose SQL this service speaks. */
const oldestServer = 140_000

/**
 * Holds a server against what is needed.
 * @returns whether a pooler stands before it: that makes up the process id that it tells its clients, and may give each
 *   of their transactions another session
 * @throws Error when it is too old or does not store UTF-8, or when a pooler drops the settings of a session
 */
export async function checkServer(pool: pg.Pool): Promise<{ isPooler: boolean }> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number; version: number; encoding: string; forms: string }>(`
      select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding,
        '2026-07-31T00:00:00Z'::timestamptz || ', ' || current_setting('standard_conforming_strings') as forms`)
    const { pid, version, encoding, forms } = rows[0] ?? { pid: 0, version: 0, encoding: '', forms: '' }
    checkVersion(version, encoding)
    checkForms(forms)
    const { processID } = client as unknown as { processID: unknown } // of pg's clients, absent from the types
    if (typeof processID !== 'number')
      throw new Error(
        'The installed pg has no processID of a client: install the version that package-lock.json names.',
      )
    return { isPooler: processID !== pid }
  } finally {
    client.release()
  }
}

function checkVersion(version: number, encoding: string): void {
  if (version < oldestServer)
    throw new Error(`PostgreSQL 14 or newer is needed; this server is ${Math.floor(version / 10_000)}`)
  if (encoding !== 'UTF8') throw new Error(`The database must store UTF8; this one stores ${encoding}`)
}

/** A pooler may not hand the settings on that a session begins with. */
function checkForms(forms: string): void {
  if (forms !== '2026-07-31 00:00:00+00, on')
    throw new Error(
      'The pooler drops the settings of a session, and those of the database are others: run ALTER DATABASE … SET ' +
        "DateStyle = 'ISO', … SET TimeZone = 'UTC' and … SET standard_conforming_strings = on, then RECONNECT the pooler",
    )
}
