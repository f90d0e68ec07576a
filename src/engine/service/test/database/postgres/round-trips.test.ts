import { freshPostgres } from 'spec-served-lab/support/database'
import { renewed } from 'spec-served-lab/support/fixtures'
import { addPet, type Server, startOn } from 'spec-served-lab/support/store'
import { startTcpProxy, type TcpProxy } from 'spec-served-lab/support/tcp-proxy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../database/connect.ts'

/** How long bytes are under way, so that the answer to what goes out first comes after all of that turn, in ms. */
const delayMs = 15

const owner = renewed(freshPostgres)
let proxy: TcpProxy
let database: OpenDatabase
let store: Server
/** by connection: who spoke last, and how often the service spoke after the server */
let turns: Map<number, { last: string; count: number }>
/** the types of the messages of the service, in their order. Source: PostgreSQL, 54.7, Message Formats. */
let messages: string[]
/** when each connection was used first and last, in the order of all that passed */
let uses: Map<number, { first: number; last: number }>
let passed: number

beforeEach(async () => {
  turns = new Map()
  uses = new Map()
  messages = []
  passed = 0
  const observe = (from: 'client' | 'server', bytes: Buffer, connection: number) => {
    const turn = turns.get(connection) ?? { last: 'server', count: 0 }
    if (from === 'client' && turn.last === 'server') turn.count++
    turns.set(connection, Object.assign(turn, { last: from }))
    const use = uses.get(connection) ?? { first: passed, last: passed }
    uses.set(connection, Object.assign(use, { last: passed++ }))
    if (from === 'client') messages.push(...typesIn(bytes))
  }
  proxy = await startTcpProxy(new URL(owner.config.url), undefined, delayMs, observe)
  const url = new URL(owner.config.url)
  url.port = String(proxy.port)
  database = await openDatabase({ ...owner.config, url: url.href })
  store = await startOn(database.db, { waiting: database.waiting })
})
afterEach(async () => {
  await store.close()
  await database.close()
  await proxy.stop()
})

/** The types of whole messages. Its first one, which begins a session, has none. */
function typesIn(bytes: Buffer): string[] {
  const types: string[] = []
  for (let offset = 0; offset + 5 <= bytes.length; offset += 1 + bytes.readUInt32BE(offset + 1)) {
    const type = String.fromCharCode(bytes[offset] ?? 0)
    if (!/[A-Za-z]/.test(type)) break
    types.push(type)
  }
  return types
}

const orders = 30
const count = (type: string) => messages.filter(message => message === type).length

test.each([
  ['plain', () => ({}), { trips: 1, statements: 1 }],
  // find, on a shared connection; begin with the longest wait for a lock, claim and order; the reply to keep and commit
  ['keyed', () => ({ headers: { 'idempotency-key': crypto.randomUUID() } }), { trips: 3, statements: 6 }],
])(
  'a %s order takes few round trips and statements, none of which is parsed again',
  async (_, more, most) => {
    const petId = await addPet(store.call, 1_000)
    const order = () => store.call('placeOrder', { body: { petId, quantity: 1 }, ...more() })
    for (let warm = 0; warm < 10; warm++) expect((await order()).status).toBe(201)
    turns.clear()
    messages = []
    for (let index = 0; index < orders; index++) expect((await order()).status).toBe(201)
    const trips = turns.values().reduce((sum, turn) => sum + turn.count, 0)
    // Some look-ups of the key, and what runs in the background, come beside them.
    expect(trips / orders).toBeLessThan(most.trips + 1)
    expect((count('E') + count('Q')) / orders).toBeLessThan(most.statements + 1)
    expect(count('P') / orders).toBeLessThan(0.5)
  },
)

test('keyed orders at once use connections of other work that are idle', async () => {
  const pets = await Promise.all(Array.from({ length: 16 }, () => addPet(store.call, 1_000)))
  const order = (petId: number) =>
    store.call('placeOrder', {
      body: { petId, quantity: 1 },
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
  await Promise.all(pets.map(order))
  let atOnce = 0
  const looking = setInterval(() => {
    const { open, idle } = database.pool?.state() ?? { open: 0, idle: 0 }
    atOnce = Math.max(atOnce, open - idle)
  }, 1)
  for (let round = 0; round < 20; round++)
    for (const { status } of await Promise.all(pets.map(order))) expect(status).toBe(201)
  clearInterval(looking)
  expect(atOnce).toBeGreaterThan(4)
  expect((await store.call('listCategories')).status).toBe(200)
})

test('any number of keyed orders beside plain ones and reads are answered, whatever connections become idle', async () => {
  const pets = await Promise.all(Array.from({ length: 40 }, () => addPet(store.call, 1_000)))
  const order = (petId: number, headers = {}) =>
    store.call('placeOrder', { body: { petId, quantity: 1 }, headers })
  for (let round = 0; round < 5; round++) {
    const plain = pets.flatMap(id => [order(id), store.call('getPet', { path: { petId: id } })])
    const keyed = pets.map(id => order(id, { 'idempotency-key': crypto.randomUUID() }))
    for (const { status } of await Promise.all([...keyed, ...plain])) expect([200, 201]).toContain(status)
  }
  await expect.poll(() => database.pool?.state().waiting).toBe(0)
})
