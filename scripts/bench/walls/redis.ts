import { Redis } from 'ioredis'
import { startRedis } from '../../../test/support/redis.ts'
import type { Bench } from '../bench.ts'
import { issueKeys } from '../database.ts'
import type { Readings, Sample } from '../measure.ts'
import { answered, growth, list, requests, startOn, usually, variant, type Wall } from './wall.ts'

const keyCount = 1_000

/** What counting the calls takes of the one thread that Redis has. */
export async function redisWall(bench: Bench): Promise<Wall> {
  const redis = await startRedis()
  bench.closing.add(redis.kill)
  const client = new Redis(redis.url)
  bench.closing.add(() => client.disconnect())
  const served = await startOn(bench, 'in Redis', () => ({ REDIS_URL: redis.url, TRUST_PROXY: '1' }))
  const keys = await issueKeys(served.databaseUrl, keyCount, 1_000_000_000)
  const read = async () => countersOf(await client.info('cpu', 'commandstats'))
  // A server looks up few keys of an address at once that it does not know yet.
  const byMany = { method: 'GET', path: '/pets/{id}', headers: { 'X-Forwarded-For': '{address}' }, keys }
  const variants = [
    variant(bench, '64 callers with keys of their own', served, byMany, { connections: 64, read }),
    variant(bench, '64 callers with one key', served, requests.read, { connections: 64, read }),
    variant(bench, 'one caller', served, requests.read, { connections: 1, read }),
  ]
  const likewise = (decimals: number, of: (sample: Sample) => number) =>
    list(
      variants.map(each => usually(each, of)),
      decimals,
    )
  const scripts = (sample: Sample) => growth(sample, 'scripts') / answered(sample)
  const within = (sample: Sample) => growth(sample, 'within') / answered(sample)
  const carried = (sample: Sample) => sample.serverCpu / ((growth(sample, 'cpu') / answered(sample)) * 10_000)
  return {
    name: 'Redis',
    groups: [{ title: 'reads counted in Redis', variants }],
    figures: () => [
      [`scripts for a call: ${variants.map(({ name }) => name).join(', ')}`, likewise(2, scripts)],
      ['commands within them for a call, likewise', likewise(2, within)],
      [
        'processes, each with a core to itself, whose calls fill one thread of Redis, likewise',
        likewise(1, carried),
      ],
    ],
  }
}

/** CPU seconds of its one thread, the scripts that it was sent, and the commands that they gave. */
export function countersOf(info: string): Readings {
  const sum = (pattern: RegExp) =>
    [...info.matchAll(pattern)].reduce((total, [, number]) => total + Number(number), 0)
  return {
    cpu: sum(/^used_cpu_\w+_main_thread:([\d.]+)/gm),
    scripts: sum(/^cmdstat_eval\w*:calls=(\d+)/gm),
    within: sum(/^cmdstat_(?:get|incr|incrby|pttl|pexpire):calls=(\d+)/gm),
  }
}
