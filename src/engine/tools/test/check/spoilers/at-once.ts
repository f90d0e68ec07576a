import { otherServer, type Spoil, type Spoiler } from 'spec-served-lab/support/mock-world'
import type { WireReply, WireRequest } from '../../../records/messages.ts'
import {
  answers,
  asks,
  atOnce,
  bodyOf,
  both,
  is,
  letsIn,
  nameOf,
  otherwiseEachTime,
  type Row,
  refusal,
  shows,
  turns,
  withBody,
  without,
} from '../spoiling.ts'

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

/** A failure of the server. */
const failed = (reply: WireReply): WireReply => ({
  ...withBody(reply, refusal(500, 'internal_error')),
  status: 500,
})

/** Faults that the probes of the service “at once” must see. */
export const rows: readonly Row[] = [
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
    of: 'requests at once: everything',
    probe: 'requests at once',
    operations: ['createCategory', 'deleteCategory'],
    spoil: both(
      atOnce(/^(POST|PUT) .categories/, (reply, count) => (count % 3 === 0 ? failed(reply) : reply)),
      atOnce(/^DELETE .categories/, (reply, count) => ({ ...reply, status: count % 3 === 0 ? 409 : 204 })),
      asks(/^POST .categories/, one => without(one, 'idempotency-key')),
    ),
    told: /^deleteCategory: one of \d removals at once is answered 409/,
  },
  {
    of: 'requests at once: one key',
    probe: 'requests at once',
    operations: ['createPet'],
    spoil: asks(/^POST .pets/, one => without(one, 'idempotency-key')),
    told: /^createPet: of \d at once with one key it makes \d records/,
  },
  {
    of: 'requests at once: numbers',
    probe: 'requests at once',
    operations: ['placeOrder'],
    spoil: otherwiseEachTime(/^GET .store.inventory.\d/, (body, count) => ({ ...body, quantity: count })),
    told: /^placeOrder: \d of \d at once are taken, and quantity of .petId. becomes/,
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
    of: 'reads at once: lists',
    probe: 'reads at once',
    operations: ['listPets'],
    spoil: sharesReplies(/^GET .pets.[^c]/, () => 'any'),
    told: /^listPets: as others are read at once/,
  },
  {
    of: 'changes at once',
    operations: ['updateCategory'],
    spoil: sharesReplies(/^PATCH .categories/, nameOf),
    told: /^updateCategory: as two properties are changed at once, \w+ stays what it was/,
  },
  {
    of: 'changes at once: failures',
    probe: 'changes at once',
    operations: ['updatePet'],
    spoil: atOnce(/^PATCH .pets/, failed),
    told: /^updatePet: of \d at once it is answered 500/,
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
    of: 'credentials at once: each change',
    probe: 'credentials at once',
    operations: [],
    spoil: (request, forward) =>
      request.headers[otherServer]
        ? both(turns(/^GET/, is(200), 203), letsIn(/./, 401))(request, forward)
        : forward(request),
    told: /a credential that another server has removed is answered 203 instead of 401/,
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
]
