import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Bench, OurServer } from '../bench.ts'
import { onDatabase } from '../database.ts'
import type { LoadTask } from '../load.ts'
import type { Readings, Sample } from '../measure.ts'
import { answered, growth, list, ratio, requests, setForAll, usually, variant, type Wall } from './wall.ts'

/** Sessions tell what they have done once a second, in the midst of their work, in ms; and for how long they work then, in s. */
const toldEvery = 1_100
const toldIn = 0.3

/** What PostgreSQL writes ahead for each request, and what waiting for the disk takes. */
export async function writtenWall(bench: Bench, usual: OurServer): Promise<Wall> {
  const { databases, load } = bench
  // Checkpoints come when they are asked for: what they make larger is told by itself.
  for (const setting of [`checkpoint_timeout = '1h'`, `max_wal_size = '16GB'`, 'track_wal_io_timing = on'])
    await setForAll(bench, usual, setting)

  const order = (name: string, unlike = {}, checkpoint = false) => {
    const made = variant(bench, name, usual, requests.order, { unlike })
    const { request, connections } = made.task
    const poke: LoadTask = { port: usual.port, connections, seconds: toldIn, request }
    const read = async () => {
      await setTimeout(toldEvery)
      await load.run(poke)
      if (checkpoint) await databases.execute(usual.databaseUrl, 'checkpoint')
      return readLog(usual.databaseUrl)
    }
    return { ...made, task: { ...made.task, read } }
  }
  const other = (name: string) =>
    variant(bench, name, usual, requests[name], {
      read: () => readLog(usual.databaseUrl),
    })
  const orders = [
    order('orders'),
    order('synchronous_commit off', { synchronous_commit: 'off' }),
    order('fsync off', { fsync: 'off' }),
    order('right after a checkpoint', { full_page_writes: 'on' }, true),
  ] as const
  const [ordinary, , , checkpointed] = orders
  const others = [other('create'), other('read')] as const

  const forOrder = (counter: string) => (sample: Sample) => growth(sample, counter) / growth(sample, 'orders')
  const forAnswer = (sample: Sample) => growth(sample, 'bytes') / answered(sample)
  const [flushed, waited] = [forOrder('flushes'), forOrder('flushSeconds')]
  return {
    name: 'Write-ahead log',
    groups: [{ title: 'what is written', variants: [...orders, ...others] }],
    figures: () => [
      [
        'bytes for an order, an animal that is added, a read',
        list([usually(ordinary, forOrder('bytes')), ...others.map(each => usually(each, forAnswer))], 0),
      ],
      [
        'bytes for an order right after a checkpoint, when whole pages are written',
        list([usually(checkpointed, forOrder('bytes'))], 0),
      ],
      ['orders in one flush to the disk', list([usually(ordinary, sample => 1 / flushed(sample))], 1)],
      [
        'share of the time in which a flush is under way',
        list([usually(ordinary, sample => waited(sample) * sample.throughput)]),
      ],
      [
        'orders with `synchronous_commit` off, with `fsync` off',
        list(orders.slice(1, 3).map(each => ratio(each, ordinary))),
      ],
    ],
  }
}

/** What PostgreSQL has written ahead by now, how often and for how long it has waited for the disk, and the orders there are. */
function readLog(url: string): Promise<Readings> {
  return onDatabase(url, async db => {
    const { rows } = await sql<Readings>`
      select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes,
        sum(fsyncs)::float8 as flushes, sum(fsync_time)::float8 / 1000 as "flushSeconds",
        (select count(*) from orders)::float8 as orders
      from pg_stat_io where object = 'wal'`.execute(db)
    return rows[0] ?? {}
  })
}
