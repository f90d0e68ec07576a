import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { createClient } from '../support/http.ts'
import { startProcess } from '../support/petstore.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import type { Scenario } from './scenario.ts'

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
    await using postgres = await startPostgres()
    await postgres.execute('create database petstore')
    using bouncer = await startPgBouncer(postgres.url, sessions)
    const env = {
      DATABASE_URL: `${bouncer.url}/petstore`,
      DATABASE_POOL_SIZE: String(connections),
      MAX_WAIT_MS: '60000',
    }
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
            // A caller that changes a record at the same time as another may get a 412.
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
  },
}
