import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { made } from './orders.ts'
import { quantile, type Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** How many orders of the locked animal wait. */
const waiting = 30
/** The longest time that anything else may take, in ms. It is far less than the lock lasts. */
const longest = 1_000

export const locks: Scenario = {
  name: 'locks',
  description: 'somebody holds the row of an animal, and many of its orders wait, plain and repeatable ones',
  databases: ['postgres'],
  async run({ short, database, progress }) {
    const seconds = short ? 3 : 8
    await using service = await startService(database)
    const { send } = service
    const category = await made(send('POST', '/categories', { body: { name: 'Kind' } }))
    const add = () => made(send('POST', '/pets', { body: { name: 'Rex', categoryId: category } }))
    const [locked, other] = [await add(), await add()]
    for (const id of [locked, other])
      await send('PUT', `/store/inventory/${id}`, { body: { quantity: 1_000_000 } })
    const order = (petId: number, headers = {}) =>
      send('POST', '/store/orders', { body: { petId, quantity: 1 }, headers })

    const client = new pg.Client({ connectionString: service.env.DATABASE_URL })
    await client.connect()
    await client.query('begin')
    await client.query('select from pets where id = $1 for update', [locked])
    const orders = Array.from({ length: waiting }, (_, index) =>
      order(locked, index % 2 === 0 ? {} : { 'idempotency-key': crypto.randomUUID() }),
    )
    await setTimeout(100)
    const took: number[] = []
    const faults: string[] = []
    const end = performance.now() + seconds * 1_000
    while (performance.now() < end) {
      const key = { 'idempotency-key': crypto.randomUUID() }
      for (const answer of [await send('GET', '/categories'), await order(other), await order(other, key)]) {
        took.push(answer.took)
        if (answer.status >= 300) faults.push(`Something else was answered with ${answer.status}`)
      }
    }
    progress(`${took.length} other requests meanwhile`)
    await client.query('commit')
    await client.end()
    const statuses = (await Promise.all(orders)).map(({ status }) => status)
    const refused = statuses.filter(status => status !== 201)
    if (refused.length > 0) faults.push(`Of the orders that waited, ${refused.length} got ${refused[0]}`)
    const slowest = Math.round(Math.max(...took))
    if (slowest > longest) faults.push(`Something else took ${slowest} ms`)
    return {
      figures: {
        'orders that waited': waiting,
        'other requests meanwhile': took.length,
        'their p99, ms': Math.round(quantile(took, 0.99)),
        'the slowest of them, ms': slowest,
      },
      faults,
    }
  },
}
