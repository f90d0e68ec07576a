import { answers, both, countsQuotas, nameOf, type Row, shows, turns } from '../spoiling.ts'

/** by how many seconds the end of a window was put off */
let resets = 0

/** Faults that the probes of the service “limits” must see. */
export const rows: readonly Row[] = [
  {
    of: 'usage',
    operations: ['getUsage'],
    spoil: shows(/^GET .usage/, body => ({ ...body, plan: 'Free' })),
    told: /the plan that the caller gets is Free/,
  },
  {
    of: 'usage: windows',
    probe: 'usage',
    operations: ['getUsage'],
    spoil: shows(/^GET .usage/, body => ({ ...body, windows: [] })),
    told: /^getUsage: windows is \[\] instead of \[/,
  },
  {
    of: 'costs',
    operations: ['getUsage'],
    spoil: async (request, forward) => {
      if (/^GET .usage/.test(nameOf(request))) await forward({ ...request, url: '/categories' })
      return forward(request)
    },
    told: /a request without cost \(GET .usage\) costs a key 1/,
  },
  {
    of: 'costs: methods of a path',
    probe: 'costs',
    operations: ['listCategories'],
    spoil: async (request, forward) => {
      if (request.method === 'OPTIONS') await forward({ ...request, method: 'GET' })
      return forward(request)
    },
    told: /a request for the methods of a path \(OPTIONS .*\) costs a key 1/,
  },
  {
    of: 'costs: the bound of those without cost',
    probe: 'costs',
    operations: ['listCategories'],
    spoil: answers(/^OPTIONS/, reply => ({
      ...reply,
      headers: { ...reply.headers, ratelimit: '"minute";r=9;t=60' },
    })),
    told: /1000 requests by OPTIONS in a minute cost nothing/,
  },
  {
    of: 'costs: everything',
    probe: 'costs',
    operations: ['getUsage'],
    spoil: async (request, forward) => {
      if (request.method !== 'OPTIONS') await forward({ ...request, method: 'GET', url: '/categories' })
      return forward(request)
    },
    told: /the docs .* costs a client that guesses key/,
  },
  {
    of: 'limits',
    operations: ['listCategories'],
    spoil: answers(/./, reply =>
      reply.status === 429
        ? {
            ...reply,
            headers: { ...reply.headers, 'retry-after': `${Number(reply.headers['retry-after']) + 7}` },
          }
        : reply,
    ),
    told: /Retry-After/,
  },
  {
    of: 'limits: everything',
    probe: 'limits',
    operations: ['listCategories'],
    spoil: both(
      turns(/^GET/, () => true, 418),
      countsQuotas(),
    ),
    told: /the same after a restart with one is answered 418/,
  },
  {
    of: 'ends of windows',
    operations: ['listCategories'],
    spoil: answers(/./, reply => {
      const { 'x-ratelimit-reset': reset } = reply.headers
      resets += 2
      return reset
        ? { ...reply, headers: { ...reply.headers, 'x-ratelimit-reset': `${+reset + resets}` } }
        : reply
    }),
    told: /the end of a window moves by \d+ s from one call to the next/,
  },
]
