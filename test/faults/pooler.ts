import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startPostgres } from '../support/postgres.ts'
import { startProcess } from '../support/process.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { createClient } from './client.ts'
import type { Scenario } from './scenario.ts'
import { prepare } from './service.ts'

/** Connections to PostgreSQL that all clients of the pooler share, and connections of each server to the pooler. */
const sessions = 3
const connections = 10

export const pooler: Scenario = {
  name: 'pooler',
  description:
    'two servers start and serve through PgBouncer in transaction mode, which has fewer sessions than they',
  databases: ['postgres'],
  needs: { command: 'pgbouncer', from: 'apt-get install pgbouncer' },
  async run({ progress }) {
    const directory = temporaryDirectory()
    const postgres = await startPostgres(directory)
    await postgres.execute('create database petstore')
    const port = await freePort()
    const place = temporaryDirectory()
    const stopPooler = startPooler(place, new URL(postgres.url), port)
    const through = new URL(postgres.url)
    through.port = String(port)
    const env = {
      DATABASE_URL: `${through.href.replace(/\/$/, '')}/petstore`,
      DATABASE_POOL_SIZE: String(connections),
      MAX_WAIT_MS: '60000',
    }
    try {
      await sleep(500)
      // Both migrate at once, through the pooler.
      const servers = await Promise.all([startProcess(env), startProcess(env)])
      const key = await prepare(`${postgres.url}/petstore`)
      const faults: string[] = []
      let answered = 0
      const counts = new Map<number, number>()
      await Promise.all(
        servers.flatMap(({ url }, server) =>
          Array.from({ length: 16 }, async (_, caller) => {
            const { send, close } = createClient(url, key)
            for (let i = 0; i < 40; i++) {
              const name = `${server} ${caller} ${i}`
              const headers = { 'idempotency-key': name.replaceAll(' ', '-') }
              const [method, path, body] = (
                [
                  ['POST', '/categories', { name }],
                  ['GET', '/categories/1', undefined],
                  ['GET', '/pets?limit=5', undefined],
                  ['PATCH', '/categories/1', { name: `First ${name}` }],
                ] as const
              )[i % 4] ?? ['GET', '/health', undefined]
              const answer = await send(method, path, { body, headers: method === 'POST' ? headers : {} })
              answered++
              counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
              // Who changes the same thing at once may be told so.
              if (answer.status >= 400 && answer.status !== 412)
                faults.push(`${method} ${path} was answered ${answer.status} ${answer.text}`)
            }
            close()
          }),
        ),
      )
      progress(`${answered} answers`)
      const codes = await Promise.all(servers.map(server => server.stop()))
      if (codes.some(code => code !== 0)) faults.push(`the servers ended with ${codes.join(' and ')}`)
      return {
        figures: {
          'sessions of PostgreSQL': sessions,
          'connections of the servers': servers.length * connections,
          'requests answered': answered,
          'of these failed': faults.length,
        },
        faults,
      }
    } finally {
      stopPooler()
      await postgres.stop()
      for (const made of [directory, place]) rmSync(made, { recursive: true, force: true })
    }
  },
}

/** @returns what ends it */
function startPooler(
  directory: string,
  { hostname, port, username, password }: URL,
  listenPort: number,
): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o755 })
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
  return () => child.kill('SIGTERM')
}
