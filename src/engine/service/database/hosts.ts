import type pg from 'pg'
import { codeOf, unreachable } from './failures.ts'

/** The scheme and the credentials of a URL, its hosts, and the rest. */
const form = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/is
/** SQLSTATE read_only_sql_transaction: the server is no primary. */
const readOnly = '25006'
/** The values of libpq's `target_session_attrs` that are of use here: the service needs a server that takes writes anyway. */
const attributes = ['any', 'read-write', 'primary']

/**
 * Returns a URL of PostgreSQL for each of the hosts that a URL names, as libpq reads them
 * (`postgres://a:5432,b:5432/db?target_session_attrs=read-write`).
 * Source: PostgreSQL, section 34.1.1.3 (specifying multiple hosts).
 * @throws Error whose message ends the sentence "NAME …"
 */
export function hostsIn(url: string): string[] {
  const [, start = '', hosts = '', rest = ''] = form.exec(url) ?? []
  if (start === '') return [url]
  const texts = hosts.split(',').map(host => `${start}${host}${rest}`)
  const urls = texts.flatMap(text => (URL.canParse(text) ? spread(new URL(text)) : text))
  for (const text of urls) {
    const wanted = URL.parse(text)?.searchParams.get('target_session_attrs') ?? 'any'
    if (!attributes.includes(wanted))
      throw new Error(`must lead to a server that takes writes, not to target_session_attrs=${wanted}`)
  }
  return urls
}

/** Splits the hosts and ports that stand in a query. */
function spread(url: URL): string[] {
  const hosts = url.searchParams.get('host')?.split(',') ?? []
  if (hosts.length < 2) return [url.href]
  const ports = url.searchParams.get('port')?.split(',') ?? []
  return hosts.map((host, i) => {
    const parsed = new URL(url)
    parsed.searchParams.set('host', host)
    const port = ports.length > 1 ? ports[i] : ports[0]
    if (port !== undefined) parsed.searchParams.set('port', port)
    return parsed.href
  })
}

/** How much too early a timer may come, in ms: Node counts whole ones. */
const timerMargin = 1

export type Hosts = ReturnType<typeof createHosts>

/** The hosts of a database, of which one is the present primary. @param urls one for each, at least one */
export function createHosts(urls: readonly string[]) {
  let next = 0
  return {
    /** Returns the URL of the host that new connections lead to. */
    present: (): string => urls[next] ?? '',
    /**
     * Takes a client of a pool. Where the host is away or takes no writes, the next one is tried, and each but once.
     * @param isQueued whether it waits behind others for a client, which no other host gives sooner
     * @throws Error that `isDatabaseUnavailable` accepts
     */
    async connect(pool: pg.Pool, isQueued = false): Promise<pg.PoolClient> {
      const { connectionTimeoutMillis: timeout = 0 } = pool.options
      for (let tries = 1; ; tries++) {
        const tried = next
        const begun = performance.now()
        try {
          return await pool.connect()
        } catch (error) {
          const canMove = isOfHost(error) && !(isQueued && codeOf(error) === '')
          if (canMove && next === tried) next = (next + 1) % urls.length
          if (canMove && tries < urls.length) continue
          const isLate = timeout > 0 && performance.now() - begun >= timeout - timerMargin
          throw unreachable(error, isLate)
        }
      }
    },
  }
}

/** Whether another host may do what this one did not: it is away, it starts or stops, or it is a replica. */
function isOfHost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOfHost)
  const code = codeOf(error)
  // pg has no code for a connection that it waits for in vain.
  return /^(|08...|57P0.|E[A-Z_]+)$/.test(code) || code === readOnly
}
