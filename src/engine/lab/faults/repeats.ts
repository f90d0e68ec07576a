import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { createClient, type Send } from '../support/http.ts'
import { startProcess } from '../support/petstore.ts'
import { made } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { makeKey } from './service.ts'

/** How many orders are under way at once. */
const atOnce = 8
/** How long each note of a refusal takes, in ms. */
const noteMs = 60

/** Makes each note of a refusal slow. */
const slowNotes = `
  create function wait_for_refusal() returns trigger language plpgsql as $$
    begin
      if new.reply like '{"refusal"%' then perform pg_sleep(${noteMs / 1_000}); end if;
      return new;
    end $$;
  create trigger slow before insert on idempotent_replies for each row execute function wait_for_refusal()`

export const repeats: Scenario = {
  name: 'repeats',
  description: 'one server refuses orders, and another gets them again while they become possible',
  databases: ['postgres'],
  async run({ short, progress }) {
    const rounds = short ? 5 : 60
    await using postgres = await startPostgres()
    await postgres.execute('create database petstore')
    const url = `${postgres.url}/petstore`
    const admin = await prepare(url)
    await using first = await startProcess({ DATABASE_URL: url })
    await using second = await startProcess({ DATABASE_URL: url })
    const key = await makeKey(createClient(first.url).send, admin)
    const clients = [first, second].map(server => createClient(server.url, key))
    const [sendToFirst, sendToSecond] = clients.map(({ send }) => send)
    if (!sendToFirst || !sendToSecond) throw new Error('There are two servers')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(slowNotes).finally(() => client.end())

    const faults: string[] = []
    let done = 0
    let orders = 0
    for (let round = 1; round <= rounds; round++) {
      const category = await made(sendToFirst('POST', '/categories', { body: { name: `Kind ${round}` } }))
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          const fault = await orderTwice(sendToFirst, sendToSecond, category)
          if (fault === undefined) done++
          else faults.push(fault)
          orders++
        }),
      )
      progress(`${round} of ${rounds} rounds`)
    }
    for (const { close } of clients) close()
    return { figures: { orders, 'told alike each time': done }, faults }
  },
}

/** Sends an order that is refused, and again to the other server once it is possible. @returns what was told wrongly */
async function orderTwice(
  sendToFirst: Send,
  sendToSecond: Send,
  categoryId: number,
): Promise<string | undefined> {
  const petId = await made(sendToFirst('POST', '/pets', { body: { name: 'Rex', categoryId } }))
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const order = async (send: Send): Promise<string> => {
    const { status, text } = await send('POST', '/store/orders', { body: { petId, quantity: 2 }, headers })
    const { id, code }: { id?: number; code?: string } = JSON.parse(text)
    return `${status} ${id ?? code}`
  }
  const settled = async (send: Send): Promise<string> => {
    const reply = await order(send)
    if (reply !== '409 idempotency_key_in_use') return reply
    await setTimeout(10)
    return settled(send)
  }
  const refusing = settled(sendToFirst)
  await setTimeout(Math.random() * noteMs)
  await sendToSecond('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } })
  const replies = await Promise.all([refusing, settled(sendToSecond)])
  for (const send of [sendToFirst, sendToSecond]) replies.push(await settled(send))
  const stored: unknown[] = JSON.parse((await sendToFirst('GET', `/store/orders?petId=${petId}`)).text)
  const isAlike = new Set(replies).size === 1
  const isRight = stored.length === (replies[0]?.startsWith('201') ? 1 : 0)
  return isAlike && isRight
    ? undefined
    : `${stored.length} orders are stored, and told as ${replies.join(', ')}`
}
