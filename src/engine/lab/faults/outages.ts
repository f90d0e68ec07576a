import { setTimeout } from 'node:timers/promises'
import { startRedis } from 'spec-served-cli/internal/local/redis'
import { watchHealth } from './health.ts'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Longest time for which /health may keep silent, in ms. */
const longestSilence = 2_000

export const databaseOutages: Scenario = {
  name: 'database outages',
  description: 'PostgreSQL crashes (SIGQUIT) while callers place orders, and is started again',
  databases: ['postgres'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 10
    await using service = await startService(database)
    const orders = await prepareOrders(service)
    const watch = watchHealth(service.process())
    for (let round = 1; round <= rounds; round++) {
      orders.begin(8)
      await setTimeout(700)
      await service.postgres?.kill()
      await setTimeout(1_000)
      await service.postgres?.restart()
      await setTimeout(1_000)
      await orders.stop()
      progress(`${round} of ${rounds} crashes`)
    }
    const { silence, said, foreign } = await watch.end()
    const { faults, ...figures } = await orders.settle()
    if (!said.has('unavailable')) faults.push('/health has not told of the outage')
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (silence > longestSilence) faults.push(`/health was silent for ${silence} ms`)
    return { figures: { crashes: rounds, ...figures, 'longest silence of /health, ms': silence }, faults }
  },
}

export const redisOutages: Scenario = {
  name: 'Redis outages',
  description: 'the Redis that counts limits is killed under load, and started again',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 5
    await using redis = await startRedis()
    await using service = await startService(database, { env: { REDIS_URL: redis.url } })
    const orders = await prepareOrders(service)
    const watch = watchHealth(service.process())
    for (let round = 1; round <= rounds; round++) {
      orders.begin(8)
      await setTimeout(500)
      await redis.kill()
      await setTimeout(1_000)
      await redis.restart()
      await setTimeout(1_500)
      await orders.stop()
      progress(`${round} of ${rounds} outages`)
    }
    const { silence, said, foreign } = await watch.end()
    const { faults, ...figures } = await orders.settle()
    if (!said.has('degraded') || !said.has('ok'))
      faults.push('/health has not told of the outage and its end')
    if (orders.refused.size > 0) faults.push(`callers were refused: ${[...orders.refused.keys()]}`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    return { figures: { outages: rounds, ...figures, 'longest silence of /health, ms': silence }, faults }
  },
}
