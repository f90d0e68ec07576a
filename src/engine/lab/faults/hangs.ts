import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { watchHealth } from './health.ts'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Settings that make a hang short enough to try many, in ms. */
const deadlines = { DATABASE_CONNECT_TIMEOUT_MS: '1000', DATABASE_STATEMENT_TIMEOUT_MS: '1500' }
/** After which a caller must have an answer with these settings, in ms. */
const longestWait = 5_000

export const hangs: Scenario = {
  name: 'hangs',
  description: 'PostgreSQL hangs (SIGSTOP), then its tables are locked, while callers place orders',
  databases: ['postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 5
    const hang = short ? 6_000 : 10_000
    await using service = await startService(database, { env: deadlines })
    const orders = await prepareOrders(service)
    const faults: string[] = []
    let longest = 0
    const silences = { hung: 0, locked: 0 }
    const caller = () => {
      let ended = false
      const calling = (async () => {
        while (!ended) {
          const answer = await service.send('GET', '/pets?limit=1').catch(() => undefined)
          if (answer) longest = Math.max(longest, answer.took)
          else faults.push('a caller was not answered')
          await setTimeout(20)
        }
      })()
      return async () => {
        ended = true
        await calling
      }
    }

    for (let round = 1; round <= rounds; round++) {
      orders.begin(16) // more than the pool has connections
      const stopCalling = caller()
      await setTimeout(300)

      let watch = watchHealth(service.process())
      service.postgres?.signal('SIGSTOP')
      try {
        await setTimeout(hang)
      } finally {
        service.postgres?.signal('SIGCONT')
      }
      await setTimeout(500)
      let seen = await watch.end()
      silences.hung = Math.max(silences.hung, seen.silence)
      if (seen.foreign > 0) faults.push(`/health was not answered ${seen.foreign} times`)

      watch = watchHealth(service.process())
      await locked(service.postgres?.url ?? '', hang / 2)
      seen = await watch.end()
      silences.locked = Math.max(silences.locked, seen.silence)
      await stopCalling()
      await orders.stop()
      progress(`${round} of ${rounds} hangs and locks`)
    }
    const { faults: wrong, ...figures } = await orders.settle()
    faults.push(...wrong)
    if (longest > longestWait) faults.push(`a caller waited for ${Math.round(longest)} ms`)
    if (silences.hung > 2_000) faults.push(`/health was silent for ${silences.hung} ms while PostgreSQL hung`)
    if (silences.locked > 1_000) faults.push(`/health was silent for ${silences.locked} ms behind a lock`)
    return {
      figures: {
        hangs: rounds,
        ...figures,
        'longest wait of a caller, ms': Math.round(longest),
        'longest silence of /health, ms': silences.hung,
        'the same behind a lock, ms': silences.locked,
      },
      faults: [...new Set(faults)],
    }
  },
}

/** Holds a lock on every table that callers use. */
async function locked(url: string, milliseconds: number): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/petstore` })
  await client.connect()
  try {
    const lock = 'begin; lock table pets, orders, categories in access exclusive mode'
    await client.query(lock).catch(async (error: { code?: unknown }) => {
      if (error.code !== '40P01') throw error // orders lock these tables in an order of their own
      await client.query('rollback')
      await client.query(lock)
    })
    await setTimeout(milliseconds)
  } finally {
    await client.query('rollback')
    await client.end()
  }
}
