import { isObject } from 'spec-served-document/pointer'
import type { Spoil } from 'spec-served-lab/support/mock-world'
import type { WireReply } from '../../../records/messages.ts'
import {
  answers,
  asks,
  bodyOf,
  both,
  countsQuotas,
  does204,
  is,
  isSuccess,
  lacks,
  letsIn,
  nameOf,
  ofAnotherMake,
  otherwiseEachTime,
  type Row,
  refusal,
  refuses,
  sends,
  shows,
  tells,
  turns,
  withBody,
  without,
} from '../spoiling.ts'

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

/** A list has another page, which is empty, after each one. */
function neverEnds(of: RegExp): Spoil {
  let known: WireReply | undefined
  return async (request, forward) => {
    if (known && /cursor=/.test(request.url)) return known
    const reply = await forward(request)
    if (!of.test(nameOf(request)) || reply.status !== 200) return reply
    const headers = { ...reply.headers, link: '</categories?cursor=x>; rel="next"' }
    known = { ...withBody(reply, []), headers }
    return { ...reply, headers }
  }
}

/** Refuses a unique value of another record with a wrong pointer, but for the first time. */
function namesOthers(): Spoil {
  let count = 0
  return answers(/^POST .categories/, reply =>
    reply.status === 409 && ++count > 1
      ? withBody(reply, { ...Object(reply.body), details: [{ path: '/x', message: 'is not there' }] })
      : reply,
  )
}

/** Faults that the probes of the service “queries and sequences” must see. */
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
    of: 'query parameters: pages of repeated ones',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: answers(/^GET .pets\?(?=.*ids=\d+&ids=)(?=.*cursor=)/, reply => withBody(reply, [])),
    told: /^listPets: the second page with ids repeated is not the second item/,
  },
  {
    of: 'pages of lists: no end',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: neverEnds(/^GET .categories(\?|$)/),
    told: /^listCategories: its pages do not come to an end/,
  },
  {
    of: 'pages of lists: full ones',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: answers(/^GET .categories\?limit=\d+$/, (reply, { url }) =>
      reply.headers.link?.includes('rel="next"') || `${[reply.body].flat().length}` !== url.split('=')[1]
        ? reply
        : { ...reply, headers: { ...reply.headers, link: `<${url}>; rel="next"` } },
    ),
    told: /^listCategories: a page that holds the last \d+ leads on/,
  },
  {
    of: 'pages of lists: the first',
    probe: 'query parameters',
    operations: ['listCategories'],
    paths: /^.categories/,
    spoil: tells(/^GET .categories\?/, ({ headers }) => ({
      link: headers.link?.replace(/<[^>]*>(?=; rel="first")/, '</categories?limit=2>'),
    })),
    told: /^listCategories: rel="first" of a page with {} leads elsewhere/,
  },
  {
    of: 'pages of lists: cursors of filters',
    probe: 'query parameters',
    operations: ['listPets'],
    paths: /^.(pets|categories)/,
    spoil: async (request, forward) => {
      const isPair = /status=/.test(request.url) && /categoryId=/.test(request.url)
      const reply = await forward(request)
      if (isPair && reply.status === 200) return withBody(reply, [])
      const isOther = reply.status === 400 && /status=/.test(request.url) && /cursor=/.test(request.url)
      return isOther ? forward({ ...request, url: '/pets?limit=1' }) : reply
    },
    told: /^listPets: .* keeps 0 items, and each of them alone has \d+ in common/,
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
    of: 'lives of records: places',
    probe: 'lives of records',
    operations: ['createCategory'],
    spoil: both(
      lacks(/^POST .categories/, 'location'),
      shows(/^POST .categories/, ({ id: _, ...body }) => body),
    ),
    told: /^createCategory: Location does not lead to the new record/,
  },
  {
    of: 'lives of records: 410',
    probe: 'lives of records',
    operations: ['deleteCategory'],
    spoil: both(turns(/.categories.\d/, is(404), 410), turns(/^DELETE .categories/, is(204), 202)),
    told: /Category: a deleted record is answered 410/,
  },
  {
    of: 'lives of records: nothing is made',
    probe: 'lives of records',
    operations: ['createCategory'],
    spoil: turns(/^POST .categories/, isSuccess, 409, refusal(409, 'category_exists', '/name')),
    told: /^createCategory: even the last of many requests is answered 409/,
  },
  {
    of: 'lives of records: nothing is done to one',
    probe: 'lives of records',
    operations: ['createApiKey'],
    spoil: turns(/rotate$/, isSuccess, 409, refusal(409, 'internal_error')),
    told: /^rotateApiKey: even the last of many requests is answered 409/,
  },
  {
    of: 'lives of records: what nothing shows',
    probe: 'lives of records',
    operations: ['rotateApiKey'],
    spoil: sends(/rotate$/, body => ({ ...body, overlapHours: 24 })),
    told: /^rotateApiKey: the property overlapHours of its body makes no difference/,
  },
  {
    of: 'lives of records: made by nobody',
    probe: 'lives of records',
    operations: ['createCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: turns(/^GET .categories.\d{7}/, is(404), 200, { id: 7, name: 'x' }),
    told: /^getCategory: a record that nobody made is answered 200/,
  },
  {
    of: 'lives of records: forgotten removals',
    probe: 'lives of records',
    operations: ['createCategory'],
    document: changed => {
      ofAnotherMake(changed)
      // As generators write it that know of no refusal but that of the input.
      const { get } = changed.paths['/categories/{categoryId}'] ?? {}
      if (get) delete get.responses[404]
    },
    paths: /^.categories/,
    spoil: (request, forward) =>
      /^DELETE .categories/.test(nameOf(request))
        ? Promise.resolve({ status: 204, headers: {}, text: '', length: 0, body: undefined })
        : forward(request),
    told: /^getCategory: it was removed by deleteCategory, and is read as before/,
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
    of: 'what is unique: pointers',
    probe: 'what is unique',
    operations: ['createCategory'],
    spoil: namesOthers(),
    told: /the name of another in other letters does not name .name/,
  },
  {
    of: 'what is unique: new ones',
    probe: 'what is unique',
    operations: ['createCategory'],
    spoil: answers(/^POST .categories/, (reply, request) =>
      /of createCategory by /.test(String(bodyOf(request).name)) && reply.status < 300
        ? { ...withBody(reply, refusal(409, 'category_exists', '/name')), status: 409 }
        : reply,
    ),
    told: /^createCategory: a new name is answered 409/,
  },
  {
    of: 'what is unique: changes',
    probe: 'what is unique',
    operations: ['createCategory'],
    spoil: turns(/^(PUT|PATCH) .categories/, isSuccess, 409, refusal(409, 'category_exists', '/name')),
    told: /Category: its own name in other letters is answered 409/,
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
    of: 'records in lists: pages',
    probe: 'records in lists',
    operations: ['listCategories'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: turns(/^GET .categories.*cursor=/, is(200), 404, refusal(404, 'not_found')),
    told: /^listCategories: the page that the one before it leads to is answered 404/,
  },
  {
    of: 'records in lists: an end',
    probe: 'records in lists',
    operations: ['listCategories'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: answers(/^GET .categories.*cursor=/, (reply, { url }) => ({
      ...withBody(reply, []),
      headers: { ...reply.headers, link: `<${url}>; rel="next"` },
    })),
    told: /^listCategories: its pages do not come to an end/,
  },
  {
    of: 'records in lists: on pages',
    probe: 'records in lists',
    operations: ['listCategories'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: answers(/^GET .categories.*(cursor=|limit=2\b)/, reply => withBody(reply, [])),
    told: /^listCategories: its pages show none of the records that were just made/,
  },
  {
    of: 'records in lists: filters',
    probe: 'records in lists',
    operations: ['listPets'],
    document: ofAnotherMake,
    paths: /^.(pets|categories)/,
    spoil: answers(/^GET .pets\?.*status=/, reply => withBody(reply, [])),
    told: /^listPets: status=\w+ gives none, and the list has some/,
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
    probe: 'changes',
    operations: ['replacePet'],
    spoil: shows(/^GET .pets.\d/, body => ({ ...body, categoryId: 1 })),
    told: /\[records become what the body and x-effects say/,
  },
  {
    of: 'changes: empty ones',
    probe: 'changes',
    operations: ['updateCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: sends(/^PATCH .categories/, body => (Object.keys(body).length > 0 ? body : { name: 'another' })),
    told: /^updateCategory: name becomes "another" by an empty change/,
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
    of: 'hindrances: their end',
    probe: 'hindrances',
    operations: ['deleteCategory'],
    spoil: remembersRefusals(/^DELETE .categories/),
    told: /^deleteCategory: a request that no record of \w+ hinders is answered 409/,
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
  {
    of: 'ends of operations: before',
    probe: 'ends of operations',
    operations: ['getPet'],
    spoil: turns(/^GET .pets.\d/, is(200), 410, refusal(410, 'gone')),
    told: /^getPet: a request before its sunset date is answered 410/,
  },
  {
    of: 'ends of operations: HEAD',
    probe: 'ends of operations',
    operations: ['getPet'],
    spoil: both(
      turns(/^GET .pets\?ids=/, isSuccess, 404, refusal(404, 'not_found')),
      turns(/^HEAD .pets/, is(410), 404),
    ),
    told: /^getPet: HEAD from its sunset date on is answered 404/,
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
    of: 'credentials: previews and changes',
    probe: 'lives of credentials',
    operations: ['createApiKey'],
    spoil: both(
      shows(/^POST .api-keys/, body => ({ ...body, preview: 'another…' })),
      turns(/^GET/, is(200), 203),
      turns(/^PATCH/, is(200), 303),
    ),
    told: /^updateApiKey: {"disabled":true} is answered 303/,
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
    of: 'entitlements: everything',
    probe: 'entitlements',
    operations: ['updateApiKey'],
    spoil: both(
      refuses(/^(PATCH|POST) .api-keys/, 400, {
        status: 409,
        details: [{ path: '/x', message: 'is wrong' }],
      }),
      shows(/^GET .api-keys.\d/, body => ({ ...body, plan: 'x', quotas: { minute: 1 } })),
      countsQuotas(),
      turns(/^GET/, is(200), 203),
    ),
    told: /^\w+: a key with the scopes .* is answered 203 instead of 200/,
  },
]
