import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from 'spec-served-cli/internal/local/postgres'
import { prepare } from 'spec-served-cli/internal/local/prepare'
import { createClient } from '../support/http.ts'
import { startProcess } from '../support/petstore.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { made } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { makeKey } from './service.ts'

/** How many orders come at once. */
const atOnce = 1_200
/** How long bytes are under way to PostgreSQL, in each direction, in ms. */
const delayMs = 150
/** The time that an order has, in ms, and how long its animal is locked beyond that. */
const [timeMs, lockedMs] = [1_500, 4_000]

export const refusals: Scenario = {
  name: 'refusals',
  description:
    'many orders come over a slow network, half of them of a locked animal, and are refused for their time',
  databases: ['postgres'],
  async run({ short, progress }) {
    const rounds = short ? 1 : 3
    await using postgres = await startPostgres()
    await postgres.execute('create database petstore')
    const url = `${postgres.url}/petstore`
    const admin = await prepare(url)
    const proxy = await startTcpProxy(new URL(url), undefined, delayMs)
    const slow = new URL(url)
    slow.port = String(proxy.port)
    await using near = await startProcess({ DATABASE_URL: url })
    await using far = await startProcess({
      DATABASE_URL: slow.href,
      HANDLER_TIMEOUT_MS: String(timeMs),
      MAX_WAIT_MS: '60000',
    })
    const key = await makeKey(createClient(near.url).send, admin)
    const [direct, client] = [createClient(near.url, key), createClient(far.url, key)]
    const control = new pg.Client({ connectionString: url })
    await control.connect()
    const faults: string[] = []
    const counts = new Map<number, number>()
    let carriedOut = 0
    for (let round = 1; round <= rounds; round++) {
      const body = { name: `Kind ${round}` }
      const categoryId = await made(direct.send('POST', '/categories', { body }))
      const pets = [0, 0]
      for (const index of pets.keys()) {
        pets[index] = await made(direct.send('POST', '/pets', { body: { name: 'Rex', categoryId } }))
        await direct.send('PUT', `/store/inventory/${pets[index]}`, { body: { quantity: 1_000_000 } })
      }
      await control.query('begin')
      await control.query('select from pets where id = $1 for update', pets.slice(0, 1))
      const unlocking = sleep(lockedMs).then(() => control.query('commit'))
      const replies = await Promise.all(
        Array.from({ length: atOnce }, (_, index) =>
          client
            .send('POST', '/store/orders', {
              body: { petId: pets[index % 2], quantity: 1 },
              headers: index % 4 < 2 ? {} : { 'idempotency-key': crypto.randomUUID() },
            })
            .then(({ status }) => status),
        ),
      )
      await unlocking
      await sleep(lockedMs) // what goes on all the same is done by then
      for (const status of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
      const { rows } = await control.query(
        'select count(*)::int as stored from orders where pet_id = any($1)',
        [pets],
      )
      const count = (status: number) => replies.filter(reply => reply === status).length
      const more = rows[0].stored - count(201)
      if (more < 0) faults.push(`${-more} acknowledged orders are lost`)
      carriedOut += Math.max(0, more - count(500))
      const others = replies.filter(status => ![201, 500, 503].includes(status))
      if (others.length > 0) faults.push(`${others.length} orders got ${others[0]}`)
      progress(`${round} of ${rounds} rounds`)
    }
    if (carriedOut > 0) faults.push(`${carriedOut} orders were refused, and placed all the same`)
    if (!counts.get(503)) faults.push('no order was refused')
    for (const { close } of [direct, client]) close()
    await control.end()
    await proxy.stop()
    return {
      figures: {
        'orders placed': counts.get(201) ?? 0,
        'orders refused': counts.get(503) ?? 0,
        'refused orders that were placed': carriedOut,
        'orders of unknown outcome': counts.get(500) ?? 0,
      },
      faults,
    }
  },
}
