import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startRedis } from '../../scripts/local/redis.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { watchHealth } from './health.ts'
import { prepareOrders } from './orders.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Longest time for which /health may keep silent, in ms. */
const longestSilence = 2_000
/** How long Redis is sick, and how long it is well again, in ms. */
const sickFor = 1_500
const wellFor = 2_500

interface Sickness {
  name: string
  begin(operator: Redis, proxy: TcpProxy): Promise<unknown>
  end(operator: Redis): Promise<unknown>
}

const sicknesses: Sickness[] = [
  {
    name: 'its memory is full',
    async begin(operator) {
      await operator.config('SET', 'maxmemory-policy', 'noeviction')
      await operator.config('SET', 'maxmemory', '1')
    },
    end: operator => operator.config('SET', 'maxmemory', '0'),
  },
  {
    name: 'it is a replica',
    begin: operator => operator.replicaof('127.0.0.1', 1),
    end: operator => operator.replicaof('NO', 'ONE'),
  },
  {
    name: 'it sends a reply too many',
    begin: async (_, proxy) => proxy.send('+OK\r\n', 'before the next reply'),
    end: async () => {},
  },
]

export const sickRedis: Scenario = {
  name: 'sick Redis',
  description: 'the Redis that counts limits answers wrongly under load: full, read-only, out of step',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const rounds = short ? 1 : 5
    const redis = await startRedis()
    const operator = new Redis(redis.url)
    const proxy = await startTcpProxy(new URL(redis.url))
    const service = await startService(database, {
      env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, LOG_FORMAT: 'json' },
    })
    const lines = (text: string) => service.process().output().split(text).length - 1
    try {
      const orders = await prepareOrders(service)
      const watch = watchHealth(service.process().url)
      const faults: string[] = []
      let outages = 0
      for (let round = 1; round <= rounds; round++)
        for (const { name, begin, end } of sicknesses) {
          orders.begin(8)
          await begin(operator, proxy)
          await sleep(sickFor)
          await end(operator)
          await sleep(wellFor)
          await orders.stop()
          outages++
          const told = [lines('Redis is away'), lines('Redis is there')]
          if (told.some(count => count !== outages))
            faults.push(
              `${name}: after ${outages} outages the log tells of ${told[0]}, and of ${told[1]} ends`,
            )
          progress(`${round} of ${rounds}: ${name}`)
        }
      const { silence, said, foreign } = await watch.end()
      const { faults: wrong, ...figures } = await orders.settle()
      if (!said.has('degraded') || !said.has('ok'))
        faults.push('/health has not told of the outages and their ends')
      if (orders.refused.size > 0) faults.push(`callers were refused: ${[...orders.refused.keys()]}`)
      if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
      if (silence > longestSilence) faults.push(`/health was silent for ${silence} ms`)
      return {
        figures: { outages, ...figures, 'longest silence of /health, ms': silence },
        faults: [...faults, ...wrong],
      }
    } finally {
      await service.close()
      operator.disconnect()
      await proxy.stop()
      await redis.kill()
    }
  },
}
