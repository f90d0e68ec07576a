import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Caller, WindowState } from '../../src/engine/access/caller.ts'
import type { RateLimits } from '../../src/engine/extensions.ts'
import type { Counts } from '../../src/engine/limits/counting.ts'
import { openMemoryCounters } from '../../src/engine/limits/memory-counters.ts'
import { countInMemory } from '../../src/engine/limits/memory-counting.ts'
import { countInRedis } from '../../src/engine/limits/redis-counting.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

const rateLimits: RateLimits = {
  windows: [
    { name: 'minute', seconds: 60 },
    { name: 'hour', seconds: 3_600 },
    { name: 'day', seconds: 86_400 },
  ],
  plans: {},
  anonymous: 'Free',
  ban: { window: 'minute', refusals: 3, seconds: 900 },
}
const random = (below: number) => Math.floor(Math.random() * below)

function callerWith(name: string, quotas: Record<string, number>): Caller {
  return {
    kind: 'key',
    keyId: name,
    scopes: [],
    counter: `key:${name}`,
    plan: 'Free',
    quotas,
    bannedUntil: null,
  }
}

async function openBoth() {
  // Windows end with the clock that both are given; Redis has its own, which is right.
  const now = () => new Date()
  const server = await startRedis()
  const client = new Redis(server.url, { lazyConnect: true, maxRetriesPerRequest: 0 })
  await client.connect()
  const app = Fastify()
  const counters = await openMemoryCounters(rateLimits, undefined)
  const alone = countInMemory(rateLimits, counters, now)
  const inRedis = countInRedis(app, rateLimits, 'test:', client, alone, now)
  onTestFinished(async () => {
    await app.close()
    client.disconnect()
    await counters.close()
    await server.kill()
  })
  const commands = async () =>
    [...(await client.info('commandstats')).matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    )
  const forgetScripts = () => client.script('FLUSH')
  return { inMemory: countInMemory(rateLimits, counters, now), inRedis, commands, forgetScripts, server }
}

/** All but the end. */
const seen = ({ windows, refusals }: Counts) => {
  const of = ({ reset: _, ...state }: WindowState) => state
  return { windows: windows.map(of), refusals: refusals && of(refusals) }
}

describe.runIf(hasRedis)('calls that come to Redis together', () => {
  test('are counted as memory counts them one after the other', async () => {
    const { inMemory, inRedis } = await openBoth()
    for (let caller = 0; caller < 60; caller++) {
      const quotas = { minute: random(8), hour: random(8), day: random(8) }
      const who = callerWith(String(caller), quotas)
      for (let turn = 0; turn < 4; turn++) {
        const kinds = Array.from({ length: 1 + random(6) }, () => (random(4) ? 'count' : 'look'))
        const expected = kinds.map(kind => inMemory[kind](who))
        const given = await Promise.all(kinds.map(kind => inRedis[kind](who)))
        expect(given.map(seen), JSON.stringify({ quotas, turn, kinds })).toEqual(
          (await Promise.all(expected)).map(seen),
        )
      }
    }
  })

  test('cost one command, and those of a caller that has been changed since are counted by the change', async () => {
    const { inRedis, commands } = await openBoth()
    const quotas = { minute: 60, hour: 60, day: 60 }
    const first = callerWith('a', quotas)
    const second = callerWith('b', quotas)
    const changed = callerWith('b', { ...quotas, day: 5 })
    const callers = Array.from({ length: 100 }, () => [first, second, changed]).flat()
    const counts = await Promise.all(callers.map(inRedis.count))
    expect(await commands()).toBe(1)
    const isRefused = ({ windows }: Counts) => windows.some(({ exceeded }) => exceeded)
    expect(counts.filter(isRefused)).toHaveLength(40 + 40 + 100)
    for (const { windows } of counts)
      for (const [i, { reset }] of windows.entries()) {
        const left = reset * 1_000 - Date.now()
        expect(left).toBeGreaterThan(0)
        expect(left).toBeLessThanOrEqual((rateLimits.windows[i]?.seconds ?? 0) * 1_000)
      }
  })

  test('are counted on where an operator has flushed the scripts', async () => {
    const { inRedis, forgetScripts } = await openBoth()
    const callers = ['a', 'b'].map(name => callerWith(name, { minute: 60, hour: 60, day: 60 }))
    const left = async (those: Caller[]) =>
      (await Promise.all(those.map(inRedis.count))).map(({ windows }) => windows[0]?.remaining)
    expect(await left(callers)).toEqual([59, 59])
    await forgetScripts()
    expect(await left(callers)).toEqual([58, 58])
    await forgetScripts()
    expect(await left(callers.slice(0, 1))).toEqual([57])
    expect(inRedis.shared?.().status).toBe('ok')
  })

  test('are counted by the server itself when Redis goes away under them, and by Redis again when it is back', async () => {
    const { inRedis, server } = await openBoth()
    const caller = callerWith('a', { minute: 2, hour: 60, day: 60 })
    const left = ({ windows }: Counts) => windows.map(({ remaining }) => remaining)
    expect(left(await inRedis.count(caller))).toEqual([1, 59, 59])
    const gone = server.kill()
    const counts = await Promise.all([
      inRedis.count(caller),
      inRedis.look(caller),
      inRedis.count(caller),
      inRedis.count(caller),
    ])
    // Each server begins anew.
    expect(counts.map(left)).toEqual([
      [1, 59, 59],
      [1, 59, 59],
      [0, 58, 58],
      [0, 58, 58],
    ])
    expect(counts.map(({ refusals }) => refusals?.remaining)).toEqual([undefined, undefined, undefined, 2])
    expect(inRedis.shared?.().status).toBe('degraded')
    await gone
    await server.restart()
    await expect.poll(() => inRedis.shared?.().status, { timeout: 5_000 }).toBe('ok')
    expect(left(await inRedis.count(caller))).toEqual([1, 59, 59])
  })
})
