import { sql } from 'kysely'
import { insertCategory } from 'spec-served-lab/support/petstore'
import { requestText } from 'spec-served-lab/support/raw'
import { type Handlers, type Server, startOn, startStore } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'

const never = new Promise<never>(() => {})
/** The end of a slow handler, on its transaction. */
let later: (db: Parameters<typeof insertCategory>[0]) => Promise<unknown> = () => never
const named = (body: unknown) => Object(body).name as string // validation has read it

const handlers: Handlers = {
  async createCategory({ body }, { db }) {
    const row = await insertCategory(db, { name: named(body) })
    if (named(body).startsWith('Slow')) await later(db)
    return {
      status: 201,
      headers: { Location: '/', ETag: '"1"' },
      body: { id: Object(row).id, name: named(body) },
    }
  },
  getUsage: () => never,
}

/** The time of a handler, in ms, where it is to pass. What is to be answered is asked of a server that waits for longer. */
const short = 300
const long = 300_000

async function start(handlerTimeoutMs = short) {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const plugin = async (app: { get(url: string, handler: () => Promise<never>): unknown }) =>
    void app.get('/own', () => never)
  const store = await startStore({ handlers, logger, plugins: [plugin], handlerTimeoutMs })
  const patient = await startOn(store.db, { handlers, handlerTimeoutMs: long })
  const create = (name: string, server: Pick<Server, 'request'> = store) =>
    server.request({
      ...{ method: 'POST', url: '/categories', payload: { name }, headers: { 'idempotency-key': name } },
    })
  const names = async () =>
    (await store.db.selectFrom('categories').select('name').execute()).map(row => row.name)
  const close = async () => {
    await patient.close()
    await store.close()
  }
  return { ...store, patient, lines, create, names, close, [Symbol.asyncDispose]: close }
}

test('a handler that never settles is refused, and lets its transaction go', async () => {
  await using store = await start()
  later = () => never
  const slow = await store.create('Slow')
  expect([slow.json().code, slow.headers['retry-after']]).toEqual(['unavailable', '5'])
  expect(store.lines.map(line => JSON.parse(line).msg)).toEqual([
    expect.stringContaining('createCategory: no answer within 300 ms'),
  ])
  expect((await store.create('Birds', store.patient)).statusCode).toBe(201)
  expect(await store.names()).toEqual(['Birds'])
})

test('what a refused handler does later is not stored, nor is what it had under way', async () => {
  await using store = await start()
  let refused = Promise.withResolvers<void>()
  for (const wait of [
    () => refused.promise,
    db => sql`select pg_sleep(${(2 * short) / 1_000})`.execute(db),
  ] satisfies (typeof later)[]) {
    let ended: Promise<unknown> | undefined
    later = async db => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      ended = promise
      await wait(db).catch(() => {}) // PostgreSQL cancels a statement of a refused request
      await insertCategory(db, { name: 'Late' }).then(resolve, resolve)
      await never
    }
    // On a slow machine the time may be over before the handler runs, and its transaction under way for longer.
    for (let attempt = 0; !ended; attempt++) {
      refused = Promise.withResolvers()
      expect((await store.create(`Slow ${attempt}`)).statusCode).toBe(503)
      refused.resolve()
    }
    await ended
    expect(await store.names()).toEqual([])
  }
})

test('what work sends behind the rollback of its transaction is not stored', async () => {
  await using store = await start()
  const late = Promise.withResolvers<unknown>()
  const work = store.db.transaction().execute(async trx => {
    const insert = sql`insert into categories (name, name_key) values ('Late', 'late')`
    setImmediate(() => void insert.execute(trx).then(late.resolve, late.reject))
    throw new Error('It fails')
  })
  const both = [work, late.promise].map(item => expect(item).rejects.toThrow(/^It fails$|rolled back|closed/))
  await Promise.all(both)
  expect(await store.names()).toEqual([])
})

test('a request that waits for the transaction of another is refused in time, and not carried out', async () => {
  await using store = await start()
  later = () => never
  const all = await Promise.all([store.create('Slow'), store.create('Slow too'), store.create('Slow three')])
  expect(all.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503])
  expect((await store.create('Birds', store.patient)).statusCode).toBe(201)
  expect(await store.names()).toEqual(['Birds'])
})

test('a write of one statement that waits for another transaction is refused in time, and not carried out', async () => {
  await using store = await start()
  const { id } = (await store.create('Birds', store.patient)).json()
  const rename = (server: Pick<Server, 'request'> = store) =>
    server.request({ method: 'PATCH', url: `/categories/${id}`, payload: { name: 'Late' } })
  const replies = await store.db.transaction().execute(async trx => {
    await sql`update categories set name = 'Held' where id = ${id}::bigint`.execute(trx)
    return Promise.all([rename(), rename()])
  })
  for (const reply of replies) expect(reply.json()).toMatchObject({ code: 'unavailable', status: 503 })
  expect(await store.names()).toEqual(['Held'])
  expect((await rename(store.patient)).statusCode).toBe(200)
})

test.each([
  ['a read', '/usage', 'getUsage'],
  ['a plugin’s own route', '/own', 'GET /own'],
])('%s that never settles is refused, and named in the log', async (_, url, name) => {
  await using store = await start()
  expect((await store.request(url)).json()).toMatchObject({ code: 'unavailable', status: 503 })
  expect(store.lines.map(line => JSON.parse(line).msg)).toEqual([
    expect.stringContaining(`${name}: no answer within`),
  ])
})

test('a stop lets the transaction of a handler go that never settles', async () => {
  const store = await start(long)
  const begun = Promise.withResolvers<void>()
  later = async () => {
    begun.resolve()
    await never
  }
  const fields = { 'X-API-Key': store.key, 'Content-Type': 'application/json', 'Content-Length': '15' }
  const replies = store.exchange(
    requestText('POST /categories', { ...fields, 'Idempotency-Key': 'a' }, '{"name":"Slow"}'),
  )
  await begun.promise
  expect(await store.app.drain(100)).toBe(false)
  expect((await replies).replies).toMatchObject([{ status: 503 }])
  await store.close()
})
