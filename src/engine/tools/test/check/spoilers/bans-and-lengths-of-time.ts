import { isObject } from 'spec-served-document/pointer'
import type { Spoil } from 'spec-served-lab/support/mock-world'
import type { WireReply } from '../../../records/messages.ts'
import {
  answers,
  asks,
  both,
  is,
  isSuccess,
  lacks,
  letsIn,
  nameOf,
  parsed,
  type Row,
  refusal,
  refuses,
  sends,
  sharesKeys,
  shows,
  turns,
  withBody,
  without,
} from '../spoiling.ts'

/** Sends calls of tools with something else in place of a text. */
const callsWith = (text: string | RegExp, other: () => string): Spoil =>
  asks(/^POST .mcp$/, request => ({ ...request, body: String(request.body).replace(text, other) }))

/** Sends each call of a tool with another Idempotency-Key than it has. */
function withOtherKeys(): Spoil {
  let calls = 0
  return callsWith('"of an agent,', () => `"call ${++calls} of an agent,`)
}

/** Answers differently in each coding, with ETags that no request may go by. */
function spoilsCodings(): Spoil {
  let count = 0
  return answers(/^(GET|HEAD) .categories.\d/, (reply, { headers, method }) => {
    const { 'accept-encoding': asked } = headers
    const { vary: _, 'content-encoding': coding, 'content-length': length, ...rest } = reply.headers
    const { etag = '' } = rest
    const tags: Readonly<Record<string, string>> = {
      gzip: `"${++count}"`,
      br: `W/${etag}`,
      zstd: etag.replace(/[-_.]?zstd/, ''), // that of no coding
    }
    if (asked === undefined) return reply
    const spoilt: WireReply['headers'] = {
      ...rest,
      ...(coding && { 'content-encoding': coding, etag: tags[coding] ?? '' }),
      ...(length !== undefined && { 'content-length': `${Number(length) + 1}` }),
      ...(reply.status === 304 && { etag: '"of the 304"', 'content-encoding': 'gzip' }),
      ...(method === 'HEAD' && { etag: '"of HEAD"' }),
    }
    return { ...reply, headers: spoilt, text: asked === 'X-GZip' ? `${reply.text} ` : reply.text }
  })
}

const oneKey = /^(GET|PATCH) .api-keys.\d+$/

/** Faults that the probes of the service “bans and lengths of time” must see. */
export const rows: readonly Row[] = [
  {
    of: 'bans',
    operations: ['listCategories'],
    spoil: answers(/./, reply =>
      isObject(reply.body) && reply.body.code === 'address_banned'
        ? { ...withBody(reply, { ...reply.body, code: 'rate_limited', status: 429 }), status: 429 }
        : reply,
    ),
    told: /a banned address is answered 429/,
  },
  {
    of: 'bans: without a wait',
    probe: 'bans',
    operations: ['listCategories'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      const { 'retry-after': _, ...headers } = reply.headers
      const { bannedUntil: __, ...body } = Object(reply.body)
      const isTeller = /^GET .(usage|api-keys.\d)/.test(nameOf(request)) && reply.status < 300
      return { ...(isTeller ? withBody(reply, body) : reply), headers }
    },
    told: /the end of a ban in its record is undefined/,
    untold: /it broke off/,
  },
  {
    of: 'bans: taken away',
    probe: 'bans',
    operations: ['listCategories'],
    spoil: shows(/^GET .(usage|api-keys.\d)/, ({ bannedUntil: _, ...body }) => body),
    told: /the end of a ban in its record is undefined/,
  },
  {
    of: 'bans: nobody',
    probe: 'bans',
    operations: ['getUsage'],
    spoil: letsIn(/^GET/, 403),
    told: /one who goes on is answered 200/,
  },
  {
    of: 'bans: everybody',
    probe: 'bans',
    operations: ['getUsage'],
    spoil: both(
      turns(/^GET .(?!usage)/, is(200), 203),
      turns(/^GET .usage/, isSuccess, 429, refusal(429, 'rate_limited')),
      sends(oneKey, ({ bannedUntil: _, ...body }) => ({ ...body, unknown: 1 })),
    ),
    told: /a ban that was taken away goes on/,
  },
  {
    of: 'health',
    operations: ['getHealth'],
    spoil: shows(/^GET .health/, body => ({ ...body, version: '0' })),
    told: /version/,
  },
  {
    of: 'health: readiness',
    probe: 'health',
    operations: ['getHealth'],
    spoil: answers(/^GET .readyz/, reply => ({ ...reply, status: 503 })),
    told: /in the usual state, GET .readyz is answered 503/,
  },
  {
    of: 'health: the whole',
    probe: 'health',
    operations: ['getHealth'],
    spoil: shows(/^GET .health/, body => ({ ...body, status: 'degraded' })),
    told: /^getHealth: in the usual state, what it depends on is ok at worst, and the whole is degraded/,
  },
  {
    of: 'health: the status',
    probe: 'health',
    operations: ['getHealth'],
    spoil: answers(/^GET .health/, reply => ({ ...reply, status: 503 })),
    told: /^getHealth: in the usual state, it is answered 503/,
  },
  {
    of: 'warnings of ends',
    operations: ['getHealth', 'getPet'],
    spoil: shows(/^GET .health/, ({ warnings: _, ...body }) => body),
    told: /getPet is not warned of when it is time/,
  },
  {
    of: 'the document for all pages',
    operations: ['listCategories'],
    spoil: lacks(/^GET .docs.llms.txt/, 'access-control-allow-origin'),
    told: /a page of another origin can’t read .docs.llms.txt/,
  },
  {
    of: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply => {
      const { tools, ...result } = Object(Object(reply.body).result)
      return tools
        ? withBody(reply, { ...Object(reply.body), result: { ...result, tools: tools.slice(1) } })
        : reply
    }),
    told: /^the service: tools\/list with the scope read shows \d+ tools of the \d+ that it may call$/,
  },
  {
    of: 'tools of agents: resources',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply => {
      const { resources, ...result } = Object(Object(reply.body).result)
      const foreign = { uri: 'docs:///operations/another.md', name: 'another.md' }
      return resources
        ? withBody(reply, {
            ...Object(reply.body),
            result: { ...result, resources: [...resources, foreign] },
          })
        : reply
    }),
    told: /resources.list with the scope read shows another, which tools.list does not$/,
  },
  {
    of: 'tools of agents: unknown tools',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply =>
      Object(reply.body).error ? withBody(reply, { jsonrpc: '2.0', id: 1, result: { content: [] } }) : reply,
    ),
    told: /the call of a tool that is not there is no error$/,
  },
  {
    of: 'tools of agents: streams',
    probe: 'tools of agents',
    operations: [],
    spoil: refuses(/^GET .mcp$/, 405, refusal(404, 'not_found')),
    told: /GET .mcp is answered 404$/,
  },
  {
    of: 'tools of agents: refusals',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply => {
      const { isError: _, ...result } = Object(Object(reply.body).result)
      return withBody(reply, { ...Object(reply.body), result })
    }),
    told: /^\w+: its tool without its scope is no error$/,
  },
  {
    of: 'tools of agents: hints',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply =>
      withBody(reply, parsed(reply.text.replaceAll('"destructiveHint":true', '"destructiveHint":false'))),
    ),
    told: /^\w+: the destructiveHint of its tool is false$/,
  },
  {
    of: 'tools of agents: details',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply =>
      withBody(reply, parsed(reply.text.replaceAll('- /limit', '- the whole'))),
    ),
    told: /^\w+: the refusal of its tool lacks - .limit$/,
  },
  {
    of: 'tools of agents: cursors',
    probe: 'tools of agents',
    operations: [],
    spoil: asks(/^POST .mcp$/, request => ({
      ...request,
      body: String(request.body).replace(/,"cursor":"[^"]*"/, ''),
    })),
    told: /^\w+: its tool shows another page with {"limit":1,"cursor":/,
  },
  {
    of: 'tools of agents: pages',
    probe: 'tools of agents',
    operations: [],
    spoil: callsWith('"limit":1}', () => '"limit":2}'),
    told: /^\w+: its tool shows another page with {"limit":1}$/,
  },
  {
    of: 'tools of agents: false',
    probe: 'tools of agents',
    operations: [],
    spoil: callsWith('{"complete":false}', () => '{}'),
    told: /^listOrders: its tool shows another page with {"complete":false}$/,
  },
  {
    of: 'tools of agents: zero',
    probe: 'tools of agents',
    operations: [],
    spoil: callsWith('{"maxQuantity":0}', () => '{}'),
    told: /^listInventory: its tool shows another page with {"maxQuantity":0}$/,
  },
  {
    of: 'tools of agents: header parameters',
    probe: 'tools of agents',
    operations: [],
    spoil: asks(/^POST .mcp$/, request => ({
      ...request,
      body: String(request.body).replace('"If-Match":"\\"another\\""', '"If-Match":"*"'),
    })),
    told: /^\w+: its tool changes another version than it is given$/,
  },
  {
    of: 'tools of agents: repeated calls',
    probe: 'tools of agents',
    operations: [],
    spoil: withOtherKeys(),
    told: /^\w+: its tool does twice what it is given with one Idempotency-Key$/,
  },
  {
    of: 'tools of agents: keys of tools',
    probe: 'tools of agents',
    operations: [],
    spoil: callsWith(/"[0-9a-f]{8}-[0-9a-f-]{27}"/, () => '"another key"'),
    told: /^\w+: its tool does twice what is repeated with the Idempotency-Key that it shows$/,
  },
  {
    of: 'tools of agents: reading',
    probe: 'tools of agents',
    operations: [],
    spoil: asks(/^POST .mcp.read-only$/, request => ({ ...request, url: '/mcp' })),
    told: /^the service: tools.list for reading alone shows \w+$/,
  },
  {
    of: 'tools of agents: versions',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply => {
      const { result, ...message } = Object(reply.body)
      const content = [result?.content ?? []].flat().filter(({ text }) => !/^etag: /m.test(text))
      return result?.content ? withBody(reply, { ...message, result: { ...result, content } }) : reply
    }),
    told: /^\w+: its tool does not tell the header field etag$/,
  },
  {
    of: 'tools of agents: costs',
    probe: 'tools of agents',
    operations: [],
    spoil: async (request, forward) => {
      if (/"name":"listPets","arguments":{}/.test(request.body ?? '')) await forward(request)
      return forward(request)
    },
    told: /^listPets: a call of its tool costs 2 and 2 of the windows$/,
  },
  {
    of: 'tools of agents: ends',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, reply => {
      const { tools, ...result } = Object(Object(reply.body).result)
      return tools
        ? withBody(reply, {
            ...Object(reply.body),
            result: { ...result, tools: [...tools, { name: 'getPet' }] },
          })
        : reply
    }),
    told: /^getPet: its tool is listed although it has ended$/,
  },
  {
    of: 'tools of agents: results',
    probe: 'tools of agents',
    operations: [],
    spoil: answers(/^POST .mcp$/, (reply, { body = '' }) => {
      const { result, ...message } = Object(reply.body)
      if (result === undefined) return reply
      const { isError: _, structuredContent: shown, ...rest } = result
      const isRetried = body.includes('"of an agent,')
      const structuredContent = shown?.nextCursor ? { ...shown, nextCursor: 'another' } : shown
      const changed = { ...rest, ...(shown && { structuredContent }), ...(isRetried && { isError: true }) }
      return withBody(reply, { ...message, result: changed })
    }),
    told: /^\w+: its tool makes nothing in \d calls/,
  },
  {
    of: 'strict reading',
    operations: ['createCategory'],
    spoil: sends(/^POST .categories/, body => body),
    told: /twice|name/,
  },
  {
    of: 'strict reading: many items',
    probe: 'strict reading',
    operations: ['createPets'],
    spoil: answers(/^POST .pets.batch/, reply => {
      const { details, ...body } = Object(reply.body)
      const isLong = Array.isArray(details) && details.length >= 100
      return isLong ? withBody(reply, { ...body, details: [...details, ...details] }) : reply
    }),
    told: /^createPets: of faults in 100 items, the number that the refusal names/,
  },
  {
    of: 'strict reading: refusals',
    probe: 'strict reading',
    operations: ['getCategory', 'createPets', 'createCategory'],
    spoil: both(
      refuses(/./, 400, { details: [] }),
      turns(/^GET .categories.[^?]*%/, is(400), 404, refusal(404, 'not_found')),
      answers(/^POST .categories/, (reply, { body = '' }) =>
        /^\s/.test(body) ? { ...reply, status: 415 } : reply,
      ),
    ),
    told: /^the service: getCategory: the path parameter categoryId as \S+ is answered 404/,
  },
  {
    of: 'codings',
    operations: ['listCategories'],
    spoil: asks(/./, one => without(one, 'accept-encoding')),
    told: /coding|gzip|br\b/,
  },
  {
    of: 'codings: forms',
    probe: 'codings',
    operations: ['listCategories'],
    spoil: answers(/^GET .categories/, reply =>
      reply.headers['content-encoding'] ? { ...reply, headers: { ...reply.headers, 'x-odd': '1' } } : reply,
    ),
    told: /the header x-odd is not declared/,
  },
  {
    of: 'codings: ETags',
    probe: 'codings',
    operations: ['getCategory'],
    spoil: spoilsCodings(),
    told: /^\w+: the version .*, read in \w+, is not the present one/,
  },
  {
    of: 'kept replies',
    operations: ['createCategory'],
    spoil: asks(/^POST .categories/, one => without(one, 'idempotency-key')),
    told: /createCategory/,
  },
  {
    of: 'kept replies: too long',
    probe: 'kept replies',
    operations: ['createCategory'],
    spoil: sharesKeys(sent => sent),
    told: /^createCategory: a reply is kept for longer than the document says/,
  },
  {
    of: 'kept replies: in their turn',
    probe: 'kept replies',
    operations: ['createCategory'],
    spoil: asks(/^POST .categories/, one => without(one, 'idempotency-key')),
    told: /^createCategory: a reply that was given again is not kept in its turn/,
  },
  // The clock goes to the end of operations from here on.
  {
    of: 'told calls',
    operations: ['getUsage', 'getPet'],
    spoil: shows(/^GET .usage/, ({ deprecated: _, ...body }) => body),
    told: /deprecated, after 1 calls of getPet, is undefined/,
  },
  {
    of: 'told calls: bounds',
    probe: 'told calls',
    operations: ['getUsage', 'getPet'],
    document({ components }) {
      const use = components?.schemas?.DeprecatedUse
      Object.assign(Object(Object(use).properties).calls, { maximum: 9 })
    },
    told: /^getUsage: .*calls must be at most 9/,
  },
  {
    of: 'told calls: too old',
    probe: 'told calls',
    operations: ['getUsage', 'getPet'],
    spoil: shows(/^GET .usage/, body => ({
      ...body,
      deprecated: [{ operationId: 'getPet', calls: 90, sunset: '2027-01-01' }],
    })),
    told: /deprecated, a day after their calls are too old, is /,
  },
]
