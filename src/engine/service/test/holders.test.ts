import { serve } from 'spec-served-lab/support/engine'
import { expect, test } from 'vitest'
import type { Holder } from '../callers/caller.ts'
import type { Checker } from '../callers/security.ts'

/** A holder as a project's own checker may give it: always the same object, and frozen. */
const holder: Holder = Object.freeze({
  id: 'ann',
  scopes: Object.freeze([]),
  plan: 'Paid',
  quotas: null,
  bannedUntil: null,
})
const checker: Checker = { find: () => holder }

/** A service whose paid plan allows so many calls a minute, and the rest of the holder's quota. */
async function serviceWith(minute: number) {
  const source = {
    openapi: '3.0.3',
    info: { title: 'T', version: '1' },
    security: [{ Key: [] }],
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: '' } } } } },
    components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    'x-rate-limits': {
      windows: [{ name: 'minute', seconds: 60 }],
      plans: { Free: { minute: 1 }, Paid: { minute } },
      anonymous: 'Free',
      ban: { refusals: 20, window: 'minute', seconds: 900 },
    },
  }
  const app = await serve(source, { a: async () => ({ status: 200 }) }, { Key: checker })
  return {
    async call() {
      const { headers } = await app.inject({ url: '/a', headers: { 'x-key': 'k' } })
      return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(Number)
    },
    close: () => app.close(),
  }
}

test('a frozen holder that two services know has the quota of each, and is counted by each', async () => {
  const [small, large] = [await serviceWith(2), await serviceWith(5)]
  const calls = [await small.call(), await large.call(), await small.call(), await large.call()]
  expect(calls).toEqual([
    [2, 1],
    [5, 4],
    [2, 0],
    [5, 3],
  ])
  await Promise.all([small.close(), large.close()])
})
