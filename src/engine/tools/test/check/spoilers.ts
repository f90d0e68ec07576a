import { someOrigin } from 'spec-served-document/contract/addresses'
import { operationsIn } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import type { OpenApi } from 'spec-served-document/types'
import { given, otherServer, type Spoil, type Spoiler } from 'spec-served-lab/support/mock-world'
import type { WireReply, WireRequest } from '../../records/messages.ts'

/** A small fault, which a part of the check must see. */
export interface Row extends Spoiler {
  /** a probe, a part of one, or an invariant */
  of: string
  /** the probe that is run; `of` unless told */
  probe?: string
  /** the operations that it looks at */
  operations: readonly string[]
  /** the cause, as the check tells it */
  told: RegExp
  /** another cause, which it must not tell */
  untold?: RegExp
  /** the document that the service is held against, if it is another one */
  document?: (document: OpenApi) => void
  /** the paths of the document that count; all unless told */
  paths?: RegExp
  /** whether all lists are compared in the end */
  isToTheEnd?: true
  /** whether there is a second caller */
  isOfTwo?: true
}

type Change<Of> = (one: Of, request: WireRequest) => Of

export const nameOf = ({ method, url }: WireRequest) => `${method} ${url}`
export const bodyOf = (request: WireRequest): Record<string, unknown> => {
  const body: unknown = request.body === undefined ? undefined : parsed(request.body)
  return isObject(body) ? body : {}
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
export const withBody = (reply: WireReply, body: unknown): WireReply => ({
  ...reply,
  body,
  text: JSON.stringify(body),
})

/** Asks for something else, if a request is of this kind. */
export const asks =
  (of: RegExp, change: Change<WireRequest>): Spoil =>
  (request, forward) =>
    forward(of.test(nameOf(request)) ? change(request, request) : request)
/** Answers something else. */
export const answers =
  (of: RegExp, change: Change<WireReply>): Spoil =>
  async (request, forward) => {
    const reply = await forward(request)
    return of.test(nameOf(request)) ? change(reply, request) : reply
  }
/** Changes the body of a success. */
export const shows = (of: RegExp, change: (body: Record<string, unknown>) => unknown): Spoil =>
  answers(of, reply =>
    reply.status < 300 && isObject(reply.body) ? withBody(reply, change(reply.body)) : reply,
  )
/** Sends another body. */
export const sends = (of: RegExp, change: (body: Record<string, unknown>) => unknown): Spoil =>
  asks(of, request => ({ ...request, body: JSON.stringify(change(bodyOf(request))) }))
/** Refuses with something else. */
export const refuses = (of: RegExp, status: number, as: Record<string, unknown>): Spoil =>
  answers(of, reply =>
    reply.status === status && isObject(reply.body)
      ? { ...withBody(reply, { ...reply.body, ...as }), status: Number(as.status ?? status) }
      : reply,
  )
export const without = (request: WireRequest, field: string): WireRequest => {
  const { [field]: _, ...headers } = request.headers
  return { ...request, headers }
}
export const lacks = (of: RegExp, field: string): Spoil =>
  answers(of, reply => {
    const { [field]: _, ...headers } = reply.headers
    return { ...reply, headers }
  })
/** Lets those in who get this status, whoever they are. */
export const letsIn =
  (of: RegExp, status: number): Spoil =>
  async (request, forward) => {
    const reply = await forward(request)
    if (reply.status !== status || !of.test(nameOf(request))) return reply
    return forward({ ...request, headers: { ...request.headers, 'x-api-key': given } })
  }
/** Gives requests that come meanwhile the reply of the first one. @param kindOf what they have in common */
function sharesReplies(of: RegExp, kindOf: (request: WireRequest) => string): Spoil {
  const underWay = new Map<string, Promise<WireReply>>()
  return (request, forward) => {
    if (!of.test(nameOf(request))) return forward(request)
    const kind = kindOf(request)
    const reply = underWay.get(kind) ?? forward(request).finally(() => underWay.delete(kind))
    underWay.set(kind, reply)
    return reply
  }
}
/** The body of a refusal. */
export const refusal = (status: number, code: string, path?: string) => ({
  ...{ status, code, message: 'It is refused' },
  ...(path !== undefined && { details: [{ path, message: 'It is refused' }] }),
})
/** Changes what callers get who come after the first one that was let in. */
function ofLaterKeys(change: (reply: WireReply) => WireReply): Spoil {
  let first: string | undefined
  return async (request, forward) => {
    const reply = await forward(request)
    const { 'x-api-key': key } = request.headers
    if (request.method !== 'GET' || reply.status >= 300 || key === undefined) return reply
    first ??= key
    return key === first ? reply : change(reply)
  }
}
/** Answers as it has once refused, whatever has become of the reason. */
function remembersRefusals(of: RegExp): Spoil {
  const refused = new Map<string, WireReply>()
  return async (request, forward) => {
    const known = refused.get(nameOf(request))
    if (known) return known
    const reply = await forward(request)
    if (of.test(nameOf(request)) && reply.status === 409) refused.set(nameOf(request), reply)
    return reply
  }
}
/** Shows something else each time. */
export function otherwiseEachTime(
  of: RegExp,
  change: (body: Record<string, unknown>, count: number) => unknown,
): Spoil {
  let count = 0
  return shows(of, body => change(body, ++count))
}
/** Gives one content another ETag each time. */
function countsTags(of: RegExp): Spoil {
  let count = 0
  return answers(of, reply => ({ ...reply, headers: { ...reply.headers, etag: `"${++count}"` } }))
}
/** Finds nothing any more of a kind, once something else was asked for. */
function isGoneAfter(of: RegExp, after: RegExp): Spoil {
  let isAfter = false
  return async (request, forward) => {
    isAfter ||= after.test(nameOf(request))
    const isGone = isAfter && of.test(nameOf(request))
    return forward(isGone ? { ...request, url: request.url.replace(/\d+$/, '999999') } : request)
  }
}
/** Does what it has refused with a status, as if nobody had sent its Idempotency-Key before. */
export function forgetsKeys(status: number): Spoil {
  return async (request, forward) => {
    const reply = await forward(request)
    return reply.status === status ? forward(without(request, 'idempotency-key')) : reply
  }
}
/** Repeats the first reply to a key, whoever sends it and wherever. @param kindOf what keys have in common */
export function sharesKeys(kindOf: (key: string) => string): Spoil {
  const replies = new Map<string, WireReply>()
  return async (request, forward) => {
    const { 'idempotency-key': key } = request.headers
    const known = key === undefined ? undefined : replies.get(kindOf(key))
    if (known) return { ...known, headers: { ...known.headers, 'idempotent-replayed': 'true' } }
    const reply = await forward(request)
    // A refusal by a rule of the business is repeated, too.
    if (key !== undefined && (reply.status < 300 || reply.status === 409)) replies.set(kindOf(key), reply)
    return reply
  }
}
/** Takes some versions for others than the present one. */
export const refusesVersions = (isRefused: (tags: string) => boolean): Spoil =>
  answers(/./, (reply, { headers }) =>
    isRefused(headers['if-match'] ?? '')
      ? withBody({ ...reply, status: 412 }, refusal(412, 'precondition_failed'))
      : reply,
  )
/** Gives all replies at one URL the ETag of the first one. */
function keepsFirstTag(of: RegExp): Spoil {
  const tags = new Map<string, string | undefined>()
  return answers(of, (reply, { url }) => {
    const etag = tags.get(url) ?? reply.headers.etag
    tags.set(url, etag)
    return etag === undefined ? reply : { ...reply, headers: { ...reply.headers, etag } }
  })
}
/** Leaves an animal on offer whose last units two orders take at once: it judges by the stock before both. */
function judgesStockBefore(): Spoil {
  const stale = new Set<string>()
  return async (request, forward) => {
    const [, read = ''] = /^GET .(?:pets|store.inventory).(\d+)$/.exec(nameOf(request)) ?? []
    if (stale.has(read)) return shows(/./, body => ({ ...body, status: 'available' }))(request, forward)
    if (!/^POST .store.orders$/.test(nameOf(request))) return forward(request)
    const { petId, quantity } = bodyOf(request)
    const ask = { method: 'GET', url: `/store/inventory/${petId}`, headers: request.headers }
    const left = async () => Object((await forward(ask)).body).quantity
    const before = await left()
    const reply = await forward(request)
    if (reply.status === 201 && before > Number(quantity) && (await left()) === 0) stale.add(String(petId))
    return reply
  }
}
/** Says that it was done, and does nothing. */
export const does204 = async (
  request: WireRequest,
  forward: (request: WireRequest) => Promise<WireReply>,
) => {
  const { headers } = await forward({ ...request, method: 'GET', url: '/usage' })
  const { 'content-type': _, 'content-length': __, 'x-stability': ___, etag: ____, ...own } = headers
  return { status: 204, headers: own, text: '', length: 0, body: undefined }
}

/** Lets in changes that name the version of some other records. */
function takesTagsOf(others: RegExp): Spoil {
  const tags = new Set<unknown>()
  return async (request, forward) => {
    const isOfOther = tags.has(request.headers['if-match'])
    const reply = await forward(isOfOther ? without(request, 'if-match') : request)
    if (others.test(nameOf(request)) && reply.headers.etag) tags.add(reply.headers.etag)
    return reply
  }
}

/** Takes a name that another category has in other letters. */
function takesOtherCase(): Spoil {
  const names = new Set<unknown>()
  return async (request, forward) => {
    const { name } = bodyOf(request)
    if (!/^POST .categories/.test(nameOf(request)) || names.has(name)) return forward(request)
    names.add(name)
    const reply = await forward(request)
    if (reply.status !== 409) return reply
    const other = await forward({
      ...request,
      body: JSON.stringify({ ...bodyOf(request), name: `${name} ${names.size}` }),
    })
    return withBody(other, { ...Object(other.body), name })
  }
}

/** Makes the document one that knows nothing of this project. */
export function ofAnotherMake(document: OpenApi): void {
  delete document['x-rate-limits']
  for (const item of Object.values(document.paths))
    for (const { operation } of operationsIn(item)) delete operation['x-effects']
}

/** Sends calls of tools with something else in place of a text. */
const callsWith = (text: string, other: () => string): Spoil =>
  asks(/^POST .mcp$/, request => ({ ...request, body: String(request.body).replace(text, other) }))

/** Sends each call of a tool with another Idempotency-Key than it has. */
function withOtherKeys(): Spoil {
  let calls = 0
  return callsWith('"of an agent,', () => `"call ${++calls} of an agent,`)
}

/** Fails while other requests are under way. */
function failsAtOnce(of: RegExp): Spoiler {
  const log: string[] = []
  let underWay = 0
  return {
    log,
    spoil: async (request, forward) => {
      const isAlone = underWay++ === 0
      const reply = await forward(request).finally(() => underWay--)
      if (isAlone || !of.test(nameOf(request))) return reply
      log.push('an animal refers to it')
      return { ...withBody(reply, { code: 'internal_error', message: '', status: 500 }), status: 500 }
    },
  }
}

/** by how many seconds the end of a window was put off */
let resets = 0

/** A small fault for each probe, each part of one and each invariant. */
export const rows: readonly Row[] = [
  {
    of: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: asks(/^GET .categories$/, one => ({ ...one, url: `${one.url}?limit=19` })),
    told: /left out, the query parameter limit is not 20/,
  },
  {
    of: 'pages of lists',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: async (request, forward) => {
      const reply = await forward(request)
      const isRefused = reply.status === 400 && request.url.includes('cursor=')
      return isRefused ? forward({ ...request, url: request.url.replace(/cursor=[^&]*/, '') }) : reply
    },
    told: /the cursor ".*" is answered 200 instead of 400/,
  },
  {
    of: 'orders of lists',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(categories|pets)/,
    spoil: asks(/^GET .pets\?.*sort=-name/, one =>
      one.url.includes('status=') ? { ...one, url: one.url.replace('sort=-name', 'sort=name') } : one,
    ),
    told: /the order -name is not that of the whole list/,
  },
  {
    of: 'pages of lists: their order',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    document(document) {
      const { get } = Object(document.paths['/categories'])
      get.description = 'Lists categories, ordered by name.'
    },
    told: /^listCategories: it is not ordered by name, as its description says/,
  },
  {
    of: 'pages of lists: two filters',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(categories|pets)/,
    spoil: answers(/^GET .pets\?/, (reply, { url }) => {
      const { link: _, 'x-next-cursor': __, ...headers } = reply.headers
      return /status=pending/.test(url) && /categoryId=/.test(url) ? { ...reply, headers } : reply
    }),
    told: /^listPets: pages with .* are together not the whole/,
  },
  {
    of: 'pages of lists: odd cursors',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: async (request, forward) => {
      const [, cursor = ''] = /cursor=([^&]*)/.exec(request.url) ?? []
      const isOdd = /\d{20}/.test(Buffer.from(cursor, 'base64url').toString())
      const reply = await forward(request)
      return isOdd
        ? { ...withBody(reply, { code: 'internal_error', message: '', status: 500 }), status: 500 }
        : reply
    },
    told: /^listCategories: a cursor with another number in it is answered 500/,
  },
  {
    of: 'lives of records',
    operations: ['deleteCategory'],
    spoil: (request, forward) =>
      /^DELETE .categories/.test(nameOf(request)) ? does204(request, forward) : forward(request),
    told: /it is gone, and yet GET .* is answered 200/,
  },
  {
    of: 'lives of records',
    operations: ['updateCategory'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      const isConditional = request.headers['if-match'] !== undefined
      const stale = refusal(412, 'precondition_failed')
      return isConditional && reply.status === 404 ? { ...withBody(reply, stale), status: 412 } : reply
    },
    told: /a deleted record, with If-Match, is answered 412 precondition_failed instead of 404/,
  },
  {
    of: 'what is unique',
    operations: ['createCategory'],
    spoil: takesOtherCase(),
    told: /the name of another in other letters is answered 201/,
  },
  {
    of: 'what is unique: changes',
    probe: 'what is unique',
    operations: ['updateCategory'],
    spoil: takesOtherCase(),
    told: /the name of another in other letters is answered 201/,
  },
  {
    of: 'filters after changes',
    operations: ['updatePet'],
    spoil: answers(/^GET .pets\?.*name=/, reply => withBody(reply, [])),
    told: /^updatePet: listPets with name=.*, as it has become, does not list it/,
  },
  {
    of: 'filters after changes: earlier values',
    probe: 'filters after changes',
    operations: ['updatePet'],
    spoil: asks(/^GET .pets\?/, one => ({ ...one, url: one.url.replace(/\bname=[^&]*&?/, '') })),
    told: /^updatePet: listPets with name=.*, as it was before, still lists it/,
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
    of: 'sizes of lists',
    operations: ['listCategories'],
    spoil: asks(/^GET .categories\?limit=1$/, request => ({ ...request, url: '/categories?limit=100' })),
    told: /^listCategories: limit=1 gives a list of [2-9] items$/,
  },
  {
    of: 'records in lists',
    operations: ['listCategories'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: answers(/^GET .categories(\?|$)/, reply =>
      Array.isArray(reply.body) ? withBody(reply, [...reply.body, ...reply.body.slice(0, 1)]) : reply,
    ),
    told: /^listCategories: a record stands twice in it/,
  },
  {
    of: 'kept',
    probe: 'forms of requests',
    operations: ['createCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: shows(/^POST .categories/, ({ description: _, ...body }) => body),
    told: /^createCategory: description was sent as ".*", and its reply shows absent, as each time/,
  },
  {
    of: 'changes',
    operations: ['replaceCategory'],
    spoil: async (request, forward) => {
      if (!/^PUT .categories/.test(nameOf(request))) return forward(request)
      const { body: before } = await forward({
        ...without(request, 'content-type'),
        method: 'GET',
        body: undefined,
      })
      const kept =
        isObject(before) && before.description !== undefined ? { description: before.description } : {}
      return forward({ ...request, body: JSON.stringify({ ...kept, ...bodyOf(request) }) })
    },
    told: /had description .*, where the document has it become absent/,
  },
  {
    of: 'effects',
    operations: ['cancelOrder'],
    spoil: async (request, forward) => {
      if (!/^DELETE .store.orders/.test(nameOf(request))) return forward(request)
      const { body: order } = await forward({ ...request, method: 'GET' })
      const reply = await forward(request)
      if (reply.status === 204 && isObject(order)) {
        const headers = { ...request.headers, 'content-type': 'application/json' }
        const url = `/store/inventory/${order.petId}`
        await forward({ method: 'PUT', url, headers, body: '{"quantity":7}' })
      }
      return reply
    },
    told: /^cancelOrder: .*had quantity .*, where the document has it become/,
  },
  {
    of: 'starts of effects',
    operations: ['updateInventory'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      if (!/^PUT .store.inventory/.test(nameOf(request)) || bodyOf(request).quantity !== 0) return reply
      return withBody(reply, { ...Object(reply.body), status: 'available' })
    },
    told: /^updateInventory: .*status/,
  },
  {
    of: 'hindrances',
    operations: ['deleteCategory'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      const isKept = /^DELETE .categories/.test(nameOf(request)) && reply.status === 409
      return isKept ? does204(request, forward) : reply
    },
    told: /^deleteCategory: .*(although|in the way|204)/,
  },
  {
    of: 'credentials: expires',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: letsIn(/./, 401),
    told: /that has just expired/,
  },
  {
    of: 'credentials: isAlone',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: letsIn(/./, 401),
    told: /that is nearly another one/,
  },
  {
    of: 'credentials: isUsed',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    told: /lastUsedAt is undefined/,
  },
  {
    of: 'credentials: isReplaced',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: letsIn(/./, 401),
    told: /that is replaced, at its end/,
  },
  {
    of: 'credentials: areReplaced',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: letsIn(/./, 401),
    told: /that was removed/,
  },
  {
    of: 'entitlements: plans',
    probe: 'entitlements',
    operations: ['updateApiKey'],
    spoil: sends(/^PATCH .api-keys/, ({ plan: _, ...body }) => body),
    told: /plan/,
  },
  {
    of: 'entitlements: scopes',
    probe: 'entitlements',
    operations: ['updateApiKey'],
    spoil: letsIn(/./, 403),
    told: /scope/,
  },
  {
    of: 'entitlements: equal quotas',
    probe: 'entitlements',
    operations: ['updateApiKey'],
    spoil: async (request, forward) => {
      const quotas = Object.values(Object(bodyOf(request).quotas))
      const isOdd = /^POST .api-keys$/.test(nameOf(request)) && new Set(quotas).size < quotas.length
      return forward(isOdd ? { ...request, body: '{}' } : request)
    },
    told: /^createApiKey: as large a quota in a shorter window as in a longer one is answered 400/,
  },
  {
    of: 'requests at once',
    operations: ['createCategory'],
    spoil: sharesReplies(/^POST .categories/, nameOf),
    told: /of \d+ at once \d+ are taken, which make 1 records/,
  },
  {
    of: 'requests at once: repetitions',
    probe: 'requests at once',
    operations: ['createCategory'],
    spoil: answers(/^POST .categories/, reply =>
      reply.headers['idempotent-replayed']
        ? { ...withBody(reply, { code: 'idempotency_key_in_use', message: '', status: 409 }), status: 409 }
        : reply,
    ),
    told: /of \d+ at once with one key it is not repeated afterwards/,
  },
  {
    of: 'requests at once: unique values',
    probe: 'requests at once',
    operations: ['createCategory'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      return request.method === 'PUT' && reply.status === 409 ? { ...reply, status: 200 } : reply
    },
    told: /of two that take one name at once 2 are taken/,
  },
  {
    of: 'changes that meet',
    operations: ['cancelOrder'],
    spoil: async (request, forward) => {
      if (!/^DELETE .store.orders/.test(nameOf(request))) return forward(request)
      const read = async (address: string) =>
        Object((await forward({ method: 'GET', url: address, headers: request.headers })).body)
      const { petId, quantity = 0 } = await read(request.url)
      const url = `/store/inventory/${petId}`
      const { quantity: before = 0 } = await read(url)
      const reply = await forward(request)
      const headers = { ...request.headers, 'content-type': 'application/json' }
      const body = JSON.stringify({ quantity: before + quantity })
      if (reply.status === 204) await forward({ method: 'PUT', url, headers, body })
      return reply
    },
    told: /cancelOrder at once end as they do in no order/,
  },
  {
    of: 'changes that meet: the last units',
    probe: 'changes that meet',
    operations: ['placeOrder'],
    spoil: judgesStockBefore(),
    told: /^placeOrder: placeOrder and placeOrder at once end as they do in no order: .*"available"/,
  },
  {
    of: 'changes that meet: failures',
    probe: 'changes that meet',
    operations: ['deleteCategory'],
    ...failsAtOnce(/^DELETE .categories/),
    told: /^deleteCategory: the log says: an animal refers to it$/,
    untold: /^(?!deleteCategory).*the log says/,
  },
  {
    of: 'credentials at once',
    operations: [],
    spoil: sharesReplies(/^POST .api-keys.\d+.rotate/, nameOf),
    told: /a credential that was replaced twice at once is answered 200 instead of 401/,
  },
  {
    of: 'credentials at once: servers',
    probe: 'credentials at once',
    operations: [],
    spoil: (request, forward) =>
      request.headers[otherServer] ? letsIn(/./, 401)(request, forward) : forward(request),
    told: /a credential that another server has disabled is answered 200 instead of 401/,
  },
  {
    of: 'credentials at once: bans',
    probe: 'credentials at once',
    operations: [],
    spoil: (request, forward) =>
      request.headers[otherServer] ? letsIn(/./, 403)(request, forward) : forward(request),
    told: /a key that another server has banned is answered 200 instead of 403/,
  },
  {
    of: 'versions at once',
    operations: ['updateCategory'],
    spoil: asks(/^PATCH .categories/, one => without(one, 'if-match')),
    told: /changes of the version .* at once \d are taken/,
  },
  {
    of: 'versions at once: contents',
    probe: 'versions at once',
    operations: ['updateCategory'],
    spoil: keepsFirstTag(/^PATCH .categories/),
    told: /as it is changed by others at once, its ETag .* stands for two contents/,
  },
  {
    of: 'reads at once',
    operations: ['getCategory'],
    spoil: sharesReplies(/^GET .categories.\d/, () => 'any'),
    told: /as others are read at once/,
  },
  {
    of: 'changes at once',
    operations: ['updateCategory'],
    spoil: sharesReplies(/^PATCH .categories/, nameOf),
    told: /^updateCategory: as two properties are changed at once, \w+ stays what it was/,
  },
  {
    of: 'forms of requests: empty texts',
    probe: 'forms of requests',
    operations: ['updateCategory'],
    spoil: asks(/^PATCH .categories/, request =>
      bodyOf(request).description === ''
        ? { ...request, body: JSON.stringify({ ...bodyOf(request), description: null }) }
        : request,
    ),
    told: /^updateCategory: \/body\/description of its least length: description was sent as "", and its reply shows undefined/,
  },
  {
    of: 'forms of requests: days',
    probe: 'forms of requests',
    operations: ['updateOrder'],
    spoil: sends(/^PATCH .store.orders/, body =>
      String(body.shipDate).startsWith('2026-02-30') ? { ...body, shipDate: '2026-03-02T10:00:00Z' } : body,
    ),
    told: /^updateOrder: \/body\/shipDate of no day/,
  },
  {
    of: 'forms of requests',
    operations: ['createCategory'],
    spoil: sends(/^POST .categories/, body =>
      typeof body.name === 'string' ? { ...body, name: body.name.slice(0, 100) } : body,
    ),
    told: /createCategory: .*name/,
  },
  {
    of: 'rules of the business',
    operations: ['placeOrder'],
    spoil: answers(/^POST .store.orders/, reply =>
      isObject(reply.body) && reply.body.code === 'insufficient_stock'
        ? withBody(reply, { ...reply.body, code: 'pet_not_available' })
        : reply,
    ),
    told: /it is refused with pet_not_available, and nothing that this code stands for is so/,
  },
  {
    of: 'rules of the business: versions',
    probe: 'rules of the business',
    operations: ['replaceCategory'],
    spoil: answers(/^PUT .categories/, (reply, { headers }) =>
      reply.status === 409 && headers['if-match']
        ? { ...withBody(reply, { code: 'precondition_failed', message: '', status: 412 }), status: 412 }
        : reply,
    ),
    told: /^replaceCategory: the refusal of the present version is precondition_failed instead of/,
  },
  {
    of: 'callers: HEAD',
    probe: 'callers',
    operations: ['listCategories'],
    spoil: answers(/^HEAD .categories/, reply => (reply.status === 403 ? { ...reply, status: 200 } : reply)),
    told: /^listCategories: HEAD with a key without the scope \w+ is answered 200, and GET 403$/,
  },
  {
    of: 'callers: credentials in replies',
    probe: 'callers',
    operations: ['listCategories'],
    spoil: answers(/^GET .categories/, (reply, { headers }) =>
      reply.status === 401
        ? withBody(reply, { ...Object(reply.body), message: `The key ${headers['x-api-key']} is unknown` })
        : reply,
    ),
    told: /^listCategories: its reply repeats the credential that was sent as x-api-key$/,
  },
  {
    of: 'callers beside each other',
    operations: ['createCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    isOfTwo: true,
    spoil: answers(/^GET .categories(\?|$)/, (reply, { headers }) =>
      headers['x-api-key'] === given ? reply : withBody(reply, []),
    ),
    told: /^getCategory: one caller reads what another has made, which its list does not show/,
  },
  {
    of: 'callers: messages',
    probe: 'callers',
    operations: ['listCategories'],
    spoil: refuses(/^GET .categories/, 401, { message: ' ' }),
    told: /the message of the error says nothing/,
  },
  {
    of: 'callers',
    operations: ['listCategories'],
    spoil: letsIn(/^GET .categories/, 401),
    told: /no key is answered 200 instead of 401/,
  },
  {
    of: 'cost and end of quota',
    operations: ['listCategories'],
    spoil: async (request, forward) => {
      if (/^GET .categories/.test(nameOf(request))) await forward(request)
      return forward(request)
    },
    told: /a request costs other than 1 of each window/,
  },
  {
    of: 'long URLs',
    operations: ['listCategories'],
    spoil: refuses(/./, 414, { status: 400, code: 'invalid_request' }),
    told: /too long a URL is answered 400/,
  },
  {
    of: 'bodies',
    operations: ['createCategory'],
    spoil: refuses(/./, 413, { status: 400, code: 'invalid_request' }),
    told: /too large a body is answered 400/,
  },
  {
    of: 'header parameters',
    operations: ['getCategory'],
    document({ components }) {
      const { ifNoneMatch } = components?.parameters ?? {}
      Object.assign(ifNoneMatch ?? {}, { name: 'X-Strange' })
    },
    told: /the header X-Strange has no effect that is known here/,
  },
  {
    of: 'repeated requests',
    operations: ['createCategory'],
    spoil: lacks(/./, 'idempotent-replayed'),
    told: /a repeated request is not answered as the first one was, and marked/,
  },
  {
    of: 'known content',
    operations: ['getCategory'],
    spoil: asks(/./, one => without(one, 'if-none-match')),
    told: /content that is known alone is answered 200 instead of 304/,
  },
  {
    of: 'versions of records',
    operations: ['updateCategory'],
    spoil: asks(/./, one => without(one, 'if-match')),
    told: /a change of another version is answered/,
  },
  {
    of: 'versions of records: another kind',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: takesTagsOf(/^GET .pets/),
    told: /^updateCategory: a change of a version of a record of another kind is answered 200/,
  },
  {
    of: 'HEAD',
    operations: ['getCategory'],
    spoil: lacks(/^HEAD/, 'etag'),
    told: /HEAD is not GET without its content/,
  },
  {
    of: 'failures of the database',
    operations: ['listCategories'],
    told: /a client whose key the service can’t check gets in/,
  },
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
    of: 'kept replies',
    operations: ['createCategory'],
    spoil: asks(/^POST .categories/, one => without(one, 'idempotency-key')),
    told: /createCategory/,
  },
  {
    of: 'last records',
    operations: ['deleteCategory'],
    spoil: answers(/^DELETE .categories.1$/, reply => ({ ...reply, status: 500 })),
    told: /deleteCategory.* 500/,
  },
  {
    of: 'administrators',
    operations: ['revokeApiKey'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      return reply.status === 409 && request.method === 'DELETE' ? does204(request, forward) : reply
    },
    told: /last_admin_key/,
  },
  {
    of: 'administrators: nobody is left',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: answers(/^POST .api-keys$/, reply => ({
      ...withBody(reply, refusal(401, 'unauthenticated')),
      status: 401,
    })),
    told: /no credential is let in any more that can administer others \[some credential/,
  },
  {
    of: 'usage',
    operations: ['getUsage'],
    spoil: shows(/^GET .usage/, body => ({ ...body, plan: 'Free' })),
    told: /the plan that the caller gets is Free/,
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
  {
    of: 'health without Redis',
    operations: ['getHealth'],
    told: /degraded/,
  },
  {
    of: 'names of the document',
    operations: ['listCategories'],
    document({ components }) {
      Object.assign(components?.schemas ?? {}, { ErrorCode: { type: 'string' } })
    },
    told: /the document has no request_timeout, by which the check goes/,
  },
  {
    of: 'the document itself',
    operations: ['listCategories'],
    spoil: answers(/openapi.json/, reply => ({ ...reply, text: reply.text.replace('Pet Store', 'Shop') })),
    told: /openapi.json is not the document/,
  },
  {
    of: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: refuses(/^GET .there/, 404, { code: 'internal_error' }),
    told: /the unknown path .there.is.nothing.here is answered 404 internal_error/,
  },
  {
    of: 'methods',
    operations: ['listCategories'],
    spoil: lacks(/^OPTIONS .health/, 'allow'),
    told: /OPTIONS .health: Allow is undefined/,
  },
  {
    of: 'texts of the docs',
    operations: ['listCategories'],
    spoil: asks(/^GET .docs.operations.createPet.md/, one => ({ ...one, url: '/docs/operations/getPet.md' })),
    told: /^createPet: its text of the docs lacks "operationId createPet"/,
  },
  {
    of: 'texts of the docs',
    operations: ['listCategories'],
    spoil: answers(/^GET .docs.operations.no%20/, reply => ({ ...reply, status: 200, text: '' })),
    told: /the text .docs.operations.no%20listPets.md is answered 200/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/^GET .docs.changes.atom/, reply => ({ ...reply, status: 404 })),
    told: /GET .docs.changes.atom is answered 404/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/openapi.json/, reply => ({
      ...reply,
      headers: { ...reply.headers, 'content-type': 'text/plain; charset=utf-8' },
    })),
    told: /openapi.json is of the media type text.plain/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: lacks(/^GET .docs.llms.txt/, 'etag'),
    told: /docs.llms.txt, which is known by its ETag , is answered 200/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: refuses(/^POST .docs$/, 405, refusal(404, 'not_found')),
    told: /POST .docs is answered 404 not_found instead of 405 method_not_allowed/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/^POST .docs$/, reply => ({ ...reply, headers: { ...reply.headers, allow: 'GET' } })),
    told: /POST .docs: Allow is GET/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/llms.txt/, reply => ({ ...reply, text: reply.text.replaceAll('getPet', 'get') })),
    told: /^getPet: .docs.llms.txt does not name it/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      if (request.url === '/docs/changes.md') return { ...reply, text: '## 0.9.0 (2026-01-01)' }
      return request.url.startsWith('/docs/releases')
        ? { ...reply, status: 200, text: 'info: { version: 1.0.0 }' }
        : reply
    },
    told: /docs.releases.0.9.0.yaml is the document of 1.0.0/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/^GET .favicon.ico/, reply => ({
      ...reply,
      headers: { ...reply.headers, location: '/no' },
    })),
    told: /favicon.ico leads to .no/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: answers(/^GET .$/, reply => ({ ...reply, headers: { ...reply.headers, location: '/' } })),
    told: /the service: . leads to .$/,
  },
  {
    of: 'addresses of the docs',
    operations: ['listCategories'],
    spoil: lacks(/^GET .$/, 'link'),
    told: /the Link of . has no service-desc/,
  },
  {
    of: 'pages of other origins',
    operations: ['listCategories'],
    spoil: lacks(/^OPTIONS .categories$/, 'access-control-allow-headers'),
    told: /^\w+: access-control-allow-headers of .categories lacks X-API-Key/,
  },
  {
    of: 'targets and Hosts',
    operations: ['listCategories'],
    text: text => text.replace('Host: a b\r\n', 'Host: a\r\n'),
    told: /Host: a b is answered/,
  },
  {
    of: 'broken requests',
    operations: ['listCategories'],
    text: text => text.replace(/^HELLO/, 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: 1'),
    told: /a malformed HTTP request is answered 200/,
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
    of: 'warnings of ends',
    operations: ['getHealth', 'getPet'],
    spoil: shows(/^GET .health/, ({ warnings: _, ...body }) => body),
    told: /getPet is not warned of when it is time/,
  },
  {
    of: 'ends of operations',
    operations: ['getPet'],
    spoil: refuses(/./, 410, { status: 404, code: 'not_found' }),
    told: /instead of 410/,
  },
  {
    of: 'ends of operations: successors',
    probe: 'ends of operations',
    operations: ['getPet'],
    spoil: asks(/^GET .pets\?ids=/, request => ({ ...request, url: '/pets?name=nobody' })),
    told: /^getPet: its successor .pets\?ids=\d+ does not show the record/,
  },
  // The invariants, each upon what some probe comes by.
  {
    of: 'versions',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: answers(/^(GET|PUT) .categories.\d/, reply =>
      reply.headers.etag ? { ...reply, headers: { ...reply.headers, etag: '"1-cc266742fe2c"' } } : reply,
    ),
    told: /has the ETag .* for two contents/,
  },
  {
    of: 'records',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: shows(/^GET .categories.\d/, body => ({ ...body, name: 'another' })),
    told: /its reply has name as .* then as "another" \[the next read/,
  },
  {
    of: 'refusals',
    probe: 'versions of records',
    operations: ['replaceCategory'],
    spoil: async (request, forward) => {
      const reply = await forward(request)
      if (reply.status === 412) await forward(without(request, 'if-match'))
      return reply
    },
    told: /it was refused, but GET .* changes .*\[a refused request changes nothing/,
  },
  {
    of: 'absences',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: asks(/^PUT .categories/, one => ({ ...one, url: '/categories/999999' })),
    told: /nothing is found at .*, but GET .* is answered 200 \[a record that is not found/,
  },
  {
    of: 'effects',
    probe: 'changes',
    operations: ['replacePet'],
    spoil: shows(/^GET .pets.\d/, body => ({ ...body, categoryId: 1 })),
    told: /\[records become what the body and x-effects say/,
  },
  {
    of: 'codes',
    probe: 'rules of the business',
    operations: ['placeOrder'],
    spoil: answers(/^POST .store.orders/, reply =>
      isObject(reply.body) && reply.body.code === 'insufficient_stock'
        ? withBody(reply, { ...reply.body, code: 'pet_not_available' })
        : reply,
    ),
    told: /\[a code comes where x-effects has it/,
  },
  {
    of: 'pointers',
    probe: 'rules of the business',
    operations: ['createPet'],
    spoil: refuses(/^POST .pets$/, 409, { details: [{ path: 'categoryId', message: 'is not there' }] }),
    told: /it is refused for categoryId, which is no JSON Pointer \[a refusal points/,
  },
  {
    of: 'pointers',
    probe: 'rules of the business',
    operations: ['createPet'],
    spoil: refuses(/^POST .pets$/, 409, { details: [{ path: '/nowhere', message: 'is not there' }] }),
    told: /it is refused for .nowhere, which is nowhere in its body \[a refusal points/,
  },
  {
    of: 'echoes',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: shows(/^PUT .categories/, body => ({ ...body, name: 'another' })),
    told: /name was sent as .*, and its reply shows "another" \[the reply to a write/,
  },
  {
    of: 'inventory',
    probe: 'lives of records',
    operations: ['createCategory'],
    isToTheEnd: true,
    spoil: answers(/^GET .categories(\?|$)/, reply =>
      Array.isArray(reply.body) ? withBody(reply, reply.body.slice(0, -1)) : reply,
    ),
    told: /it does not list \d+, which was made and not removed/,
  },
  // A fault for each statement of its own, where a probe has several.
  {
    of: 'query parameters: filters',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: asks(/^GET .pets\?.*status=/, one => ({
      ...one,
      url: one.url.replace(/status=\w+/, 'limit=100'),
    })),
    told: /^listPets: the query parameter status has no meaning/,
  },
  {
    of: 'query parameters: repeated',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: asks(/^GET .pets\?ids=\d+&ids=/, one => ({ ...one, url: one.url.replace(/&ids=.*/, '') })),
    told: /^listPets: the parameter ids, repeated for each item, is not what it is once/,
  },
  {
    of: 'query parameters: cursors',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: answers(/^GET .categories\?cursor=/, reply => ({ ...reply, status: 203 })),
    told: /^listCategories: a cursor is answered 203 instead of 200/,
  },
  {
    of: 'query parameters: ends',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: answers(/^GET .categories\?cursor=/, reply =>
      Array.isArray(reply.body) ? withBody(reply, reply.body.slice(1)) : reply,
    ),
    told: /^listCategories: the query parameter cursor does not lead through the whole list/,
  },
  {
    of: 'callers: open operations',
    probe: 'callers',
    operations: ['getHealth'],
    spoil: (request, forward) =>
      request.headers['x-api-key'] ? forward(request) : forward({ ...request, url: '/api-keys' }),
    told: /^getHealth: an open operation without a key is answered 401/,
  },
  {
    of: 'callers: scopes',
    probe: 'callers',
    operations: ['listCategories'],
    spoil: letsIn(/^GET .categories/, 403),
    told: /^listCategories: a key without the scope read is answered 200 instead of 403/,
  },
  {
    of: 'callers: one scope',
    probe: 'callers',
    operations: ['listCategories'],
    spoil: ofLaterKeys(reply => withBody({ ...reply, status: 403 }, refusal(403, 'insufficient_scope'))),
    told: /^listCategories: a key with the scope read is answered 403/,
  },
  {
    of: 'cost and end of quota: free requests',
    probe: 'cost and end of quota',
    operations: ['getUsage'],
    spoil: ofLaterKeys(reply => withBody({ ...reply, status: 429 }, refusal(429, 'rate_limited'))),
    told: /^getUsage: a request without cost, over the limit, is answered 429/,
  },
  {
    of: 'cost and end of quota: over the limit',
    probe: 'cost and end of quota',
    operations: ['listCategories'],
    spoil: letsIn(/^GET .categories/, 429),
    told: /^listCategories: a request over the limit is answered 200 instead of 429/,
  },
  {
    of: 'long URLs: the longest',
    probe: 'long URLs',
    operations: ['listCategories'],
    spoil: refuses(/undeclared=b/, 400, { status: 414, code: 'uri_too_long' }),
    told: /^listCategories: the longest URL is answered 414/,
  },
  {
    of: 'failures of the database: other statuses',
    probe: 'failures of the database',
    operations: ['listCategories'],
    spoil: ofLaterKeys(reply => withBody({ ...reply, status: 404 }, refusal(404, 'not_found'))),
    told: /^listCategories: while the database fails it is answered 404/,
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
    of: 'hindrances: their end',
    probe: 'hindrances',
    operations: ['deleteCategory'],
    spoil: remembersRefusals(/^DELETE .categories/),
    told: /^deleteCategory: a request that no record of \w+ hinders is answered 409/,
  },
  {
    of: 'usage: windows',
    probe: 'usage',
    operations: ['getUsage'],
    spoil: shows(/^GET .usage/, body => ({ ...body, windows: [] })),
    told: /^getUsage: windows is \[\] instead of \[/,
  },
  {
    of: 'credentials: before their use',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({ ...body, lastUsedAt: '2026-11-21T08:15:00.000Z' })),
    told: /lastUsedAt is named before any use/,
  },
  {
    of: 'credentials: expired as they are issued',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: refuses(/^POST .api-keys$/, 400, { status: 409 }),
    told: /^createApiKey: a credential that expires now is answered 409/,
  },
  {
    of: 'credentials: minutes later',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: otherwiseEachTime(/^GET .api-keys.\d/, (body, count) => ({ ...body, name: `name ${count}` })),
    told: /name, after minutes without a change, is /,
  },
  {
    of: 'credentials: after a replacement',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: otherwiseEachTime(/^GET .api-keys.\d/, (body, count) =>
      count > 1 ? { ...body, lastUsedAt: `2026-11-2${count}T08:15:00.000Z` } : body,
    ),
    told: /lastUsedAt, after a replacement, is /,
  },
  {
    of: 'credentials: the end of a secret',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({
      ...body,
      previousSecretExpiresAt: '2040-01-01T00:00:00.000Z',
    })),
    told: /a replaced secret is said to end at /,
  },
  {
    of: 'versions: 304',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: answers(/^GET .categories.\d/, reply =>
      reply.status === 304 ? { ...reply, headers: { ...reply.headers, etag: '"another"' } } : reply,
    ),
    told: /is answered 304 for "another", and what is there has the ETag/,
  },
  {
    of: 'versions: two ETags',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: countsTags(/^GET .categories.\d/),
    told: /has two ETags for one content/,
  },
  {
    of: 'versions: without a write',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: otherwiseEachTime(/^GET .categories.\d/, (body, count) => ({ ...body, name: `name ${count}` })),
    told: /changes without a write/,
  },
  {
    of: 'records: ETags',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: answers(/^PUT .categories.\d/, reply => ({
      ...reply,
      headers: { ...reply.headers, etag: '"a"' },
    })),
    told: /its reply has the ETag "a", and GET .categories.\d+ then/,
  },
  {
    of: 'echoes: items',
    probe: 'forms of requests',
    operations: ['createPets'],
    spoil: answers(/^POST .pets.batch/, reply =>
      reply.status < 300 && Array.isArray(reply.body) ? withBody(reply, reply.body.slice(1)) : reply,
    ),
    told: /^createPets: .*\d items were sent, and its reply shows \d/,
  },
  {
    of: 'echoes: times',
    probe: 'lives of records',
    operations: ['createApiKey'],
    spoil: shows(/^POST .api-keys$/, body => ({ ...body, createdAt: '2020-01-01T00:00:00.000Z' })),
    told: /^createApiKey: what was just made has createdAt 2020/,
  },
  {
    of: 'pointers: what is there',
    probe: 'rules of the business',
    operations: ['createPet'],
    spoil: answers(/^POST .pets$/, reply =>
      reply.status === 201
        ? withBody({ ...reply, status: 409 }, refusal(409, 'category_not_found', '/categoryId'))
        : reply,
    ),
    told: /^createPet: it is refused for .categoryId, but GET .categories.\d+ is answered 200/,
  },
  {
    of: 'pointers: all of them',
    probe: 'rules of the business',
    operations: ['createPets'],
    spoil: answers(/^POST .pets.batch/, reply =>
      reply.status === 409 && isObject(reply.body) && Array.isArray(reply.body.details)
        ? withBody(reply, { ...reply.body, details: reply.body.details.slice(0, 1) })
        : reply,
    ),
    told: /^createPets: the refusal names .\d+.categoryId but leaves out .\d+.categoryId/,
  },
  {
    of: 'inventory: twice',
    probe: 'lives of records',
    operations: ['createCategory'],
    isToTheEnd: true,
    spoil: answers(/^GET .categories(\?|$)/, reply =>
      Array.isArray(reply.body) ? withBody(reply, [...reply.body, ...reply.body.slice(-1)]) : reply,
    ),
    told: /it lists a record twice/,
  },
  {
    of: 'inventory: made by nobody',
    probe: 'lives of records',
    operations: ['createCategory'],
    isToTheEnd: true,
    spoil: answers(/^GET .categories(\?|$)/, reply =>
      Array.isArray(reply.body) ? withBody(reply, [...reply.body, { id: 77, name: 'x' }]) : reply,
    ),
    told: /it lists 77, which nobody has made/,
  },
  {
    of: 'inventory: single records',
    probe: 'lives of records',
    operations: ['createCategory'],
    isToTheEnd: true,
    spoil: isGoneAfter(/^GET .categories.\d/, /^GET .categories(\?|$)/),
    told: /it lists \d+, and GET .categories.\d+ is answered 404/,
  },
  {
    of: 'repeated requests: the end of a payload',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: forgetsKeys(422),
    told: /^createCategory: an Idempotency-Key with a payload that ends otherwise is answered 201/,
  },
  {
    of: 'repeated requests: under way',
    probe: 'repeated requests',
    operations: ['createCategory'],
    told: /^createCategory: a request that is still running is answered .* instead of 409 idempotency_key_in_use/,
  },
  {
    of: 'repeated requests: held up',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: answers(/^POST .categories/, (reply, { headers }) =>
      /^in-flight/.test(headers['idempotency-key'] ?? '') ? { ...reply, status: 500 } : reply,
    ),
    told: /^createCategory: a request that was held up is answered 500/,
  },
  {
    of: 'repeated requests: other callers',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: sharesKeys(key => key),
    told: /^createCategory: an Idempotency-Key of another caller counts/,
  },
  {
    of: 'repeated requests: other operations',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: sharesKeys(key => key),
    told: /: an Idempotency-Key of createCategory counts/,
  },
  {
    of: 'repeated requests: other keys',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: sharesKeys(key => key.toLowerCase()),
    told: /^createCategory: an Idempotency-Key that ends otherwise, or in another case, counts/,
  },
  {
    of: 'known content: the ETag of a 304',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: answers(/^GET .categories.\d/, reply =>
      reply.status === 304 ? { ...reply, headers: { ...reply.headers, etag: '"another"' } } : reply,
    ),
    told: /^getCategory: the ETag of a 304 is "another" instead of/,
  },
  {
    of: 'known content: HEAD',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: answers(/^HEAD .categories.\d/, reply => ({ ...reply, status: 200 })),
    told: /^getCategory: HEAD of content that is known alone is answered 200/,
  },
  {
    of: 'known content: another ETag',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: answers(/^GET .categories.\d/, (reply, { headers }) =>
      headers['if-none-match'] === '"another"' ? { ...reply, status: 304 } : reply,
    ),
    told: /^getCategory: content with another ETag is answered 304/,
  },
  {
    of: 'known content: header fields',
    probe: 'known content',
    operations: ['getCategory'],
    spoil: answers(/^GET .categories.\d/, reply =>
      reply.status === 304 ? { ...reply, headers: { etag: reply.headers.etag ?? '' } } : reply,
    ),
    told: /^getCategory: the header [\w-]+ of a 304 is undefined/,
  },
  {
    of: 'versions of records: any',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: refusesVersions(tags => tags === '*'),
    told: /^updateCategory: a change of any version is answered 412/,
  },
  {
    of: 'versions of records: one of some',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: refusesVersions(tags => tags.includes(',')),
    told: /^updateCategory: a change of one of some versions is answered 412/,
  },
  {
    of: 'versions of records: the present one',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: refusesVersions(tags => /^"\d/.test(tags)),
    told: /^updateCategory: a change of the present version is answered 412/,
  },
  {
    of: 'pages of lists: sizes',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: asks(/^GET .categories\?limit=21$/, one => ({ ...one, url: '/categories?limit=20' })),
    told: /^listCategories: a page of 21 has 20 of \d+ items/,
  },
  {
    of: 'pages of lists: next ones',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: answers(/^GET .categories\?(limit=17&cursor|cursor=.*limit=17)/, reply => withBody(reply, [])),
    told: /^listCategories: rel="next" of a page of 17 does not lead to the 17 after it/,
  },
  {
    of: 'pages of lists: other sizes',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: answers(/^GET .categories\?(limit=2&cursor|cursor=.*limit=2$)/, reply => withBody(reply, [])),
    told: /^listCategories: a cursor with another limit does not lead on/,
  },
  {
    of: 'pages of lists: filters',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: answers(/^GET .pets\?(?=.*status=)(?!.*limit=100)(?=.*cursor=)/, reply => withBody(reply, [])),
    told: /^listPets: pages of \d+ with status=\w+ are together not the page of 100/,
  },
  {
    of: 'pages of lists: cursors of other lists',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: async (request, forward) => {
      const reply = await forward(request)
      const isStrange = /^GET .pets\?.*cursor=/.test(nameOf(request)) && reply.status === 400
      return isStrange ? forward({ ...request, url: '/pets?limit=1' }) : reply
    },
    told: /^listPets: a cursor of listCategories is answered 200/,
  },
  {
    of: 'the document for all pages',
    operations: ['listCategories'],
    spoil: lacks(/^GET .docs.llms.txt/, 'access-control-allow-origin'),
    told: /a page of another origin can’t read .docs.llms.txt/,
  },
  {
    of: 'the document itself: its place',
    probe: 'the document itself',
    operations: ['listCategories'],
    spoil: answers(/llms.txt/, reply => ({
      ...reply,
      text: `${reply.text} ${someOrigin}`,
    })),
    told: /.docs.llms.txt, asked for at shop.example:81, leads elsewhere/,
  },
  {
    of: 'unknown paths and fields: no parameter',
    probe: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: refuses(/^GET .api-keys.$/, 404, { status: 400, code: 'invalid_request' }),
    told: /the path .api-keys. without its parameter is answered 400 invalid_request/,
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
    of: 'shown uses',
    operations: ['getApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({ ...body, lastUsedAt: '2026-01-01T00:00:00.000Z' })),
    told: /^getApiKey: lastUsedAt of the credential in use is 2026-01-01/,
  },
  {
    of: 'shown uses: their unit',
    probe: 'shown uses',
    operations: ['getApiKey'],
    spoil: shows(/^GET .api-keys.\d/, body => ({ ...body, lastUsedAt: '2026-11-21T11:59:59.000Z' })),
    told: /^getApiKey: lastUsedAt is .*, and its description says to the minute/,
  },
  {
    of: 'shown uses: the credential itself',
    probe: 'shown uses',
    operations: ['getApiKey'],
    spoil: answers(/^GET .api-keys$/, reply => withBody(reply, [])),
    told: /^listApiKeys: it does not show the credential in use/,
  },
]
