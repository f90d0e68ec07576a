import pg from 'pg'

/** How long a server may take to cancel a statement. Then its connection is cut, in ms. */
export const cancelsWithin = 1_000

/** The properties of pg's classes that its types leave out. */
interface Session {
  processID: number
  secretKey: number
  ssl: pg.ConnectionConfig['ssl']
  sslNegotiation: string
}
interface Canceller {
  connect(port: number, host: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks a server to cancel what a session runs now, on a connection of its own. It may come too late, or never.
 * Source: PostgreSQL, 54.2.9, Canceling Requests in Progress.
 */
export function requestCancel(client: pg.PoolClient): void {
  const { host, port, processID, secretKey, ssl, sslNegotiation } = client as unknown as pg.Client & Session
  const connection = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig)
  const canceller = connection as unknown as Canceller
  const timer = setTimeout(() => connection.stream.destroy(), cancelsWithin).unref()
  // The server closes the connection. If it were closed here, a pooler would drop the request.
  const send = () => canceller.cancel(processID, secretKey)
  connection
    .on('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') canceller.requestSsl()
    })
    .on('sslconnect', send)
    .on('error', () => connection.stream.destroy())
    .on('end', () => clearTimeout(timer))
  if (host.startsWith('/')) connectToFile(canceller, `${host}/.s.PGSQL.${port}`)
  else canceller.connect(port, host)
}

/** Like pg's own client, which hands a Unix socket over in place of a port. */
const connectToFile = (canceller: object, file: string) =>
  (canceller as { connect(file: string): void }).connect(file)
