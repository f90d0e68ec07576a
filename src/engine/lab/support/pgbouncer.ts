import { spawn, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { freePort } from 'spec-served-cli/internal/local/postgres'

/** Longest wait for it to listen, in ms. */
const startsWithin = 10_000

/** A PgBouncer in transaction mode before a PostgreSQL. */
export interface PgBouncer {
  /** leads through it, without a database name */
  url: string
  [Symbol.dispose](): void
}

/**
 * Starts one on a free port of this machine.
 * @param to the PostgreSQL, without a database name
 * @param sessions how many connections to a database of it all clients share
 */
export async function startPgBouncer(to: string, sessions: number): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(to)
  const listenPort = await freePort()
  const directory = temporaryDirectory()
  const users = join(directory, 'users.txt')
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(users, `"${username}" "${password}"\n`)
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 100
ignore_startup_parameters = statement_timeout,options
`,
  )
  // It refuses to run as root.
  const other = userInfo().uid === 0 ? ['-u', 'nobody'] : []
  if (other.length > 0) spawnSync('chown', ['-R', 'nobody', directory])
  const child = spawn('pgbouncer', ['-q', ...other, settings], { stdio: ['ignore', 'ignore', 'ignore'] })
  const stop = () => {
    child.kill('SIGTERM')
    rmSync(directory, { recursive: true, force: true })
  }
  const end = performance.now() + startsWithin
  while (!(await listens(listenPort))) {
    if (performance.now() > end) {
      stop()
      throw new Error('PgBouncer does not start')
    }
    await sleep(20)
  }
  const through = new URL(to)
  through.port = String(listenPort)
  return { url: through.href.replace(/\/$/, ''), [Symbol.dispose]: stop }
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}
