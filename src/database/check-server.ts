import type pg from 'pg'

/** Oldest PostgreSQL whose SQL this service speaks. */
const oldestServer = 140_000

/**
 * Holds a server against what is needed.
 * @returns whether a pooler stands before it: that makes up the process id that it tells its clients, and may give each
 *   of their transactions another session
 * @throws Error when it is too old or does not store UTF-8
 */
export async function checkServer(pool: pg.Pool): Promise<{ isPooler: boolean }> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number; version: number; encoding: string }>(`
      select pg_backend_pid() as pid, current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding`)
    const { pid, version, encoding } = rows[0] ?? { pid: 0, version: 0, encoding: '' }
    checkVersion(version, encoding)
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
