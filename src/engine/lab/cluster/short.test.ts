import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../faults/service.ts'
import { createClient } from '../support/http.ts'
import { has } from '../support/programs.ts'
import { scenarios } from './scenarios.ts'
import { type Site, startSite } from './site.ts'

// `npm run lab -- test:cluster` does the same at length, behind HAProxy, with three servers.
let site: Site
let key: string
beforeAll(async () => {
  site = await startSite({ servers: 2, haproxy: false, redis: has('redis-server') })
  const { send, close } = createClient(site.servers[0]?.url ?? '')
  key = await makeKey(send, site.firstKey)
  close()
})
afterAll(() => site?.close())

// Redis that goes away is tested with the limits.
const possible = scenarios.filter(({ name, needs }) => !needs || (has('redis-server') && name === 'limits'))

test.each(possible)('two servers hold through $name: $description', async ({ play }) => {
  const { send, close } = createClient(site.servers[0]?.url ?? '', key)
  const limitedKey = (quota: number) => makeKey(send, key, quota)
  const { faults } = await play({ site, key, limitedKey, readers: 4, buyers: 2, rounds: 1, progress() {} })
  close()
  expect(faults).toEqual([])
})
