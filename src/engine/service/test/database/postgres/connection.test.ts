import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { freshPostgres, type PostgresConfig } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { service, startProcess } from 'spec-served-lab/support/petstore'
import { type Database, type OpenStore, openStore } from 'spec-served-lab/support/tables'
import { startTcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openMigrated } from '../../../database/connect.ts'
import { appliedMigrations, migrateDown } from '../../../database/migrate.ts'
import { temporaryDirectory } from '../../../testing/temporary.ts'

const owner = renewed(freshPostgres)
let config: PostgresConfig
let opened: OpenStore[]
beforeEach(async () => {
  config = { ...owner.config, poolSize: 1 }
  opened = []
})
afterEach(async () => {
  for (const database of opened) await database.close()
})

async function open(changes: Partial<PostgresConfig> = {}, onConnectionLost?: (error: Error) => void) {
  const database = await openStore({ ...config, ...changes }, onConnectionLost)
  opened.push(database)
  return database.db
}

async function value(db: Database, expression: ReturnType<typeof sql>): Promise<unknown> {
  return (await sql<{ value: unknown }>`select ${expression} as value`.execute(db)).rows[0]?.value
}

test('a table that changes under a running program makes no statement fail', async () => {
  const db = await open()
  const list = (from: Pick<typeof db, 'selectFrom'>) =>
    from.selectFrom('categories').selectAll().where('id', '>', 0).execute()
  const listInTransaction = () => db.transaction().execute(list)
  for (const run of [() => list(db), listInTransaction]) expect(await run()).toEqual([])
  await sql`alter table categories add column colour text`.execute(owner.db)
  for (const run of [listInTransaction, () => list(db), listInTransaction]) expect(await run()).toEqual([])
})

test('a lost connection is reported and replaced', async () => {
  const lost: Error[] = []
  const db = await open({}, error => lost.push(error))
  const pid = await value(db, sql`pg_backend_pid()`)
  await sql`select pg_terminate_backend(${pid}::int)`.execute(owner.db)
  await expect.poll(() => lost.length).toBe(1)
  expect(await value(db, sql`pg_backend_pid()`)).not.toBe(pid)
})

test('a statement that takes too long is ended', async () => {
  const db = await open({ statementTimeoutMs: 50 })
  await expect(sql`select pg_sleep(5)`.execute(db)).rejects.toMatchObject({ code: '57014' })
  expect(await value(db, sql`1`)).toBe(1)
})

test('the server sees who is connected', async () => {
  await using _ = await startProcess({ DATABASE_URL: config.url })
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(owner.db)
  expect(rows).toEqual([{ name: 'petstore' }])
})

test('the options of the URL stay, except for the formats of values', async () => {
  await sql`create schema own`.execute(owner.db)
  const url = new URL(config.url)
  url.searchParams.set('options', '-c search_path=own -c work_mem=123MB -c DateStyle=German')
  const db = await open({ url: url.href })
  expect(await value(db, sql`current_schema()`)).toBe('own')
  expect(await value(db, sql`current_setting('work_mem')`)).toBe('123MB')
  expect(await value(db, sql`current_setting('DateStyle')`)).toMatch(/^ISO/)
})

/** The first message holds its length, the protocol's version, and names and values. Source: PostgreSQL, StartupMessage. */
function withoutOptions(message: Buffer): Buffer {
  const words = message.toString('utf8', 8).split('\0')
  const position = words.findIndex((word, index) => index % 2 === 0 && word === 'options')
  if (position >= 0) words.splice(position, 2)
  const rest = Buffer.from(words.join('\0'))
  const head = Buffer.from(message.subarray(0, 8))
  head.writeInt32BE(8 + rest.length)
  return Buffer.concat([head, rest])
}

test('a pooler that drops a session’s settings works if the database has them', async () => {
  const pooler = await startTcpProxy(new URL(config.url), withoutOptions)
  const url = Object.assign(new URL(config.url), { port: String(pooler.port) }).href
  const name = new URL(config.url).pathname.slice(1)
  try {
    await sql`alter database ${sql.id(name)} set timezone = 'UTC'`.execute(owner.db)
    await open({ url })
    await sql`alter database ${sql.id(name)} set datestyle = 'SQL, DMY'`.execute(owner.db)
    await expect(open({ url })).rejects.toThrow(/pooler drops the settings .* ALTER DATABASE … SET DateStyle/)
  } finally {
    for (const database of opened.splice(0)) await database.close()
    await pooler.stop()
  }
})

test('the PostgreSQL of tests and of the check writes no socket, as /tmp may not be its to write to', async () => {
  const db = await open()
  expect(await value(db, sql`current_setting('unix_socket_directories')`)).toBe('')
})

test('of several hosts the one that takes writes is used, whichever that is later', async () => {
  await using first = await startPostgres()
  await using second = await startPostgres(undefined, first)
  const [a, b] = [new URL(first.url), new URL(second.url)]
  const away = '127.0.0.1:1'
  const url = `postgres://postgres:postgres@${away},${b.host},${a.host}/postgres?target_session_attrs=read-write`
  const { db, close } = await openDatabase({ ...owner.config, url, statementTimeoutMs: 5_000 })
  onTestFinished(close)
  const port = async () =>
    (await sql<{ port: number }>`select inet_server_port() as port`.execute(db)).rows[0]?.port
  expect(await port()).toBe(Number(a.port))
  await first.kill()
  await second.execute('select pg_promote()')
  await expect.poll(() => port().catch(() => undefined)).toBe(Number(b.port))
})

test('a wait for a connection that is in use is no longer where there are several hosts', async () => {
  const { host } = new URL(config.url)
  const url = config.url.replace(host, `${host},127.0.0.1:1,127.0.0.1:2`)
  const several = await open({ url, poolSize: 4, connectTimeoutMs: 500 })
  const single = await open({ poolSize: 4, connectTimeoutMs: 1_000 })
  const read = (db: Database, expression: ReturnType<typeof sql>) =>
    db.selectNoFrom(expression.as('value')).execute()
  const ended: string[] = []
  const waitInVain = async (name: string, db: Database) => {
    await expect(read(db, sql`1`), name).rejects.toThrow('All connections were in use')
    ended.push(name)
  }
  for (const db of [several, single]) {
    await read(db, sql`1`)
    read(db, sql`pg_sleep(300)`).catch(() => {}) // it takes the one connection for reads until it is cut
  }
  await Promise.all([waitInVain('several', several), waitInVain('one', single)])
  expect(ended).toEqual(['several', 'one'])
})

test('PostgreSQL is reached by a Unix socket', async () => {
  const directory = temporaryDirectory()
  const { hostname, port, pathname } = new URL(config.url)
  let connections = 0
  const bridge = createServer(client => {
    connections++
    const server = connect(Number(port), hostname)
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => {})
  })
  await once(bridge.listen(join(directory, '.s.PGSQL.5432')), 'listening')
  onTestFinished(async () => {
    bridge.close()
    await rm(directory, { recursive: true, force: true })
  })
  const db = await open({ url: `postgres://postgres:postgres@${pathname}?host=${directory}` })
  expect(await value(db, sql`1`)).toBe(1)
  expect(connections).toBeGreaterThan(0)
})

test('a role that may make no table is named, with how to mend it', async () => {
  const role = `role_${crypto.randomUUID().replaceAll('-', '')}`
  await sql`create role ${sql.id(role)} login password 'secret'`.execute(owner.db)
  await migrateDown(owner.db, service.migrations, 1)
  const url = Object.assign(new URL(config.url), { username: role, password: 'secret' }).href
  try {
    await sql`grant select on kysely_migration to ${sql.id(role)}`.execute(owner.db)
    await expect(openMigrated({ ...config, url }, service.migrations)).rejects.toThrow(
      new RegExp(`lacks a right; grant it that on the schema.*${role} may make no table in public`),
    )
  } finally {
    await sql`drop owned by ${sql.id(role)}`.execute(owner.db)
    await sql`drop role ${sql.id(role)}`.execute(owner.db)
  }
})

test('a missing server is an error, not a wait', async () => {
  const nobody = openDatabase({ ...config, url: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(nobody).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('an empty database is migrated, however few connections a server has', async () => {
  await sql`drop schema public cascade`.execute(owner.db)
  await sql`create schema public`.execute(owner.db)
  const { db, close } = await openMigrated({ ...config, poolSize: 1 }, service.migrations)
  const taken = await appliedMigrations(db).finally(close)
  expect(taken).toEqual(Object.keys(service.migrations))
})

test.each([
  ['a server that is not there', { host: 'localhost:1' }, 'localhost:1/DATABASE: nobody listens there'],
  ['a host that nobody knows', { hostname: 'nope.invalid' }, 'nope.invalid:PORT/DATABASE: the host'],
  ['a wrong password', { password: 'hunter2' }, 'HOST/DATABASE: it refuses the user or the password'],
  ['a missing database', { pathname: '/none' }, 'HOST/none: there is no such database'],
])('%s is named, with a remedy and without the password', async (_, changes, message) => {
  const url = Object.assign(new URL(config.url), { password: 'hunter2', ...changes })
  const { host, port, pathname } = new URL(config.url)
  if (!('password' in changes)) url.password = new URL(config.url).password
  const refusal = String(
    await openMigrated({ ...config, url: url.href }, service.migrations).catch((error: unknown) => error),
  )
  const expected = message.replace('HOST', host).replace('PORT', port).replace('/DATABASE', pathname)
  expect(refusal).toContain(`PostgreSQL at ${expected}`)
  expect(refusal).toContain('DATABASE_URL')
  expect(refusal).not.toContain(url.password === 'postgres' ? ':postgres@' : url.password)
})

test.each([
  ['an empty', ['drop schema public cascade', 'create schema public']],
  ['a migrated', []],
])('%s database that can only be read is named, with a remedy', async (_, statements) => {
  for (const statement of statements) await sql`${sql.raw(statement)}`.execute(owner.db)
  const url = new URL(config.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const refused = openMigrated({ ...config, url: url.href }, service.migrations)
  await expect(refused).rejects.toThrow(
    /^PostgreSQL at \S+: it takes no writes; correct DATABASE_URL, .* default_transaction_read_only to off/,
  )
})

test('a database that does not store UTF-8 is refused', async () => {
  const name = `test_latin1_${process.pid}`
  const admin = new pg.Client({ connectionString: config.url })
  await admin.connect()
  try {
    await admin.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    const url = new URL(config.url)
    url.pathname = name
    await expect(openDatabase({ ...config, url: url.href })).rejects.toThrow(
      'The database must store UTF8; this one stores LATIN1',
    )
  } finally {
    await admin.query(`drop database if exists ${name}`)
    await admin.end()
  }
})
