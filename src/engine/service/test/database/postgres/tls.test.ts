import { chmodSync, statSync } from 'node:fs'
import { sql } from 'kysely'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { type RedisServer, startRedis } from 'spec-served-cli/internal/local/redis'
import { type Certificate, makeCertificate } from 'spec-served-lab/support/certificates'
import { freshPostgres } from 'spec-served-lab/support/database'
import { shared, sharedDirectory } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { has } from 'spec-served-lab/support/programs'
import { startOn } from 'spec-served-lab/support/store'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openMigrated } from '../../../database/connect.ts'
import { openResources } from '../../../process/resources.ts'

const directory = sharedDirectory()
const database = shared(freshPostgres)
let trusted: Certificate
let other: Certificate
beforeAll(async () => {
  chmodSync(directory, 0o755) // PostgreSQL may run as another user
  const { rows } = await sql<{ place: string }>`select current_setting('data_directory') as place`.execute(
    database.db,
  )
  const { uid } = statSync(rows[0]?.place ?? '')
  trusted = makeCertificate(directory, 'known', 'DNS:localhost', uid)
  other = makeCertificate(directory, 'other', 'DNS:localhost')
})

describe('PostgreSQL', () => {
  beforeAll(async () => {
    await sql`alter system set ssl_cert_file = ${sql.lit(trusted.certificate)}`.execute(database.db)
    await sql`alter system set ssl_key_file = ${sql.lit(trusted.key)}`.execute(database.db)
    await sql`alter system set ssl = on`.execute(database.db)
    await sql`select pg_reload_conf()`.execute(database.db)
    const ssl = async () => (await sql<{ ssl: string }>`show ssl`.execute(database.db)).rows
    await vi.waitFor(async () => expect(await ssl()).toEqual([{ ssl: 'on' }]), { timeout: 300_000 })
  })
  afterAll(async () => {
    await sql`alter system reset ssl`.execute(database.db)
    await sql`select pg_reload_conf()`.execute(database.db)
  })

  function open(host: string, query: string) {
    const url = new URL(`${database.config.url}?${query}`)
    url.hostname = host
    return openMigrated({ ...database.config, url: String(url) }, service.migrations)
  }

  test('PostgreSQL is used over TLS, with a certificate by the authority that the URL names', async () => {
    const { db, probe, close } = await open(
      'localhost',
      `sslmode=verify-full&sslrootcert=${trusted.authority}`,
    )
    const isEncrypted = (on: typeof probe) =>
      sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(on)
    const answers = await Promise.all([db, db, db, probe].map(isEncrypted)) // several share a connection
    expect(answers.map(({ rows }) => rows)).toEqual(Array(4).fill([{ ssl: true }]))
    const store = await startOn(db)
    const { body } = await store.call('createCategory', { body: { name: 'Encrypted' } })
    expect(body).toMatchObject({ name: 'Encrypted' })
    await store.close()
    await close()
  })

  test.each([
    [
      'of an authority that nobody trusts',
      'localhost',
      'sslmode=verify-full',
      /of nobody who is trusted here/,
    ],
    [
      'of another authority',
      'localhost',
      'sslmode=verify-full&sslrootcert=OTHER',
      /of nobody who is trusted here/,
    ],
    ['for another name', '127.0.0.1', 'sslmode=verify-full&sslrootcert=KNOWN', /for another name/],
    [
      'whose authority is not there',
      'localhost',
      'sslmode=verify-full&sslrootcert=/none.pem',
      /no such file.*none\.pem/,
    ],
  ])('with a certificate %s is refused in words', async (_, host, query, message) => {
    const search = query.replace('OTHER', other.authority).replace('KNOWN', trusted.authority)
    await expect(open(host, search)).rejects.toThrow(message)
  })
})

describe('Redis', () => {
  test.skipIf(!has('redis-server'))('is used over TLS', async () => {
    const port = await freePort()
    const files = ['--tls-cert-file', trusted.certificate, '--tls-key-file', trusted.key]
    const redis: RedisServer = await startRedis(
      '--port',
      '0',
      '--tls-port',
      String(port),
      '--tls-auth-clients',
      'no',
      ...files,
    )
    const resources = async (query: string) => {
      const redisUrl = `rediss://localhost:${port}/0${query}`
      const {
        close,
        redis: client,
        redisFault,
      } = await openResources({ rateLimits: undefined, lifetimes: {} }, database.db, { redisUrl })
      const { status } = client ?? {}
      await close()
      return { status, fault: (redisFault as NodeJS.ErrnoException | undefined)?.code } // what Node's errors carry
    }
    expect(await resources(`?sslrootcert=${trusted.authority}`)).toEqual({
      status: 'ready',
      fault: undefined,
    })
    expect((await resources('')).fault).toMatch(/SELF_SIGNED|UNABLE_TO/)
    expect((await resources(`?sslrootcert=${other.authority}`)).status).not.toBe('ready')
    await expect(resources('?sslrootcert=/none.pem')).rejects.toThrow(/none\.pem.*can't be read/)
    await redis.kill()
  })
})
