import { hasRedis, startRedis, withoutRedis } from '../../test/support/redis.ts'
import { everyOperation, measureGroups, type Settings, withBench } from './bench.ts'
import { animals } from './operations.ts'

/** What it costs to share the limits of several processes over Redis. */
export function benchRedis(settings: Settings): Promise<number> {
  if (!hasRedis) throw new Error(`${withoutRedis}: there is nothing to measure`)
  return withBench(settings, async bench => {
    const redis = await startRedis()
    bench.closing.add(redis.kill)
    const template = await bench.databases.template(animals)
    const servers = [
      await bench.startOurs('in memory', await bench.databases.copy(template)),
      await bench.startOurs('in Redis', await bench.databases.copy(template), { REDIS_URL: redis.url }),
    ]
    await measureGroups(bench, 'redis', everyOperation(servers, bench))
    return 0
  })
}
