import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import type { Holder } from '../../src/engine/access/caller.ts'
import { type Checker, createCallers } from '../../src/engine/access/callers.ts'
import type { RateLimits } from '../../src/engine/extensions.ts'
import { openBans } from '../../src/engine/limits/bans.ts'
import { openMemoryCounters } from '../../src/engine/limits/memory-counters.ts'
import { countInMemory } from '../../src/engine/limits/memory-counting.ts'
import { modelFrom } from './support.ts'

/** A holder as a checker of one's own may give it: always the same object, of which nothing can be changed. */
const holder: Holder = Object.freeze({
  id: 'ann',
  scopes: Object.freeze([]),
  plan: 'Paid',
  quotas: null,
  bannedUntil: null,
})
const checker: Checker = { find: () => holder, recall: () => holder, forget() {} }

const asked = { ip: '203.0.113.1', url: '/a', headers: { 'x-key': 'k' } } as unknown as FastifyRequest // all that is read of it

/** What is left to the holder's calls of a service whose paid plan allows so many a minute. */
async function serviceWith(minute: number) {
  const rateLimits: RateLimits = {
    windows: [{ name: 'minute', seconds: 60 }],
    plans: { Free: { minute: 1 }, Paid: { minute } },
    anonymous: 'Free',
    ban: { refusals: 20, window: 'minute', seconds: 900 },
  }
  const model = await modelFrom({
    security: [{ Key: [] }],
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: '' } } } } },
    components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  })
  const bans = await openBans(0, undefined, () => new Date())
  const counters = await openMemoryCounters(rateLimits, undefined)
  const callers = createCallers(model, { Key: checker }, rateLimits, bans, 'here')
  const counting = countInMemory(rateLimits, counters, () => new Date())
  return {
    async call() {
      const { caller } = await callers.identify(asked, 'a')
      const { windows } = await counting.count(caller)
      return windows.map(({ limit, remaining }) => ({ limit, remaining }))
    },
    close: () => Promise.all([bans.close(), counters.close()]),
  }
}

test('a holder that can’t be changed, and that two services know, has the quota of each and is counted by each', async () => {
  const [small, large] = [await serviceWith(2), await serviceWith(5)]
  const calls = [await small.call(), await large.call(), await small.call(), await large.call()]
  expect(calls).toEqual([
    [{ limit: 2, remaining: 1 }],
    [{ limit: 5, remaining: 4 }],
    [{ limit: 2, remaining: 0 }],
    [{ limit: 5, remaining: 3 }],
  ])
  await Promise.all([small.close(), large.close()])
})
