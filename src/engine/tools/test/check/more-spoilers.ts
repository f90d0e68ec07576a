import type { Spoil } from 'spec-served-lab/support/mock-world'
import type { WireReply, WireRequest } from '../../records/messages.ts'
import {
  answers,
  asks,
  bodyOf,
  forgetsKeys,
  lacks,
  letsIn,
  nameOf,
  ofAnotherMake,
  otherwiseEachTime,
  type Row,
  refusal,
  refuses,
  refusesVersions,
  sends,
  sharesKeys,
  shows,
  withBody,
  without,
} from './spoilers.ts'

/** Answers with another status, and with the body of a refusal where one is given. */
const turns = (of: RegExp, from: (status: number) => boolean, to: number, body?: object): Spoil =>
  answers(of, reply =>
    from(reply.status) ? { ...(body ? withBody(reply, body) : reply), status: to } : reply,
  )
const isSuccess = (status: number) => status < 300
const is = (due: number) => (status: number) => status === due

/** Changes header fields; one that is undefined is left out. */
const tells = (
  of: RegExp,
  change: (reply: WireReply) => Readonly<Record<string, string | undefined>>,
): Spoil =>
  answers(of, reply => {
    const all = Object.entries({ ...reply.headers, ...change(reply) })
    const headers = Object.fromEntries(all.filter(([, value]) => value !== undefined))
    return { ...reply, headers: headers as WireReply['headers'] } // without those that are undefined
  })

/** Several faults, of which the first is nearest to the check. */
const both =
  (...spoils: readonly Spoil[]): Spoil =>
  (request, forward) =>
    spoils.reduceRight<(request: WireRequest) => Promise<WireReply>>(
      (inner, spoil) => sent => spoil(sent, inner),
      forward,
    )(request)

/** Does something else with requests of a kind that come while others are under way. */
function atOnce(of: RegExp, change: (reply: WireReply, count: number) => WireReply): Spoil {
  let [underWay, count] = [0, 0]
  return async (request, forward) => {
    const isAlone = underWay++ === 0
    const reply = await forward(request).finally(() => underWay--)
    return isAlone || !of.test(nameOf(request)) ? reply : change(reply, ++count)
  }
}

/** The fields of quotas are others in each reply. */
function countsQuotas(): Spoil {
  let count = 0
  return tells(/^GET/, ({ headers }) => {
    count += 1
    return {
      'ratelimit-policy': `"minute";q=${count};w=61`,
      ratelimit: headers.ratelimit?.replace(/r=\d+/g, 'r=7'),
      'x-ratelimit-limit': '0',
      'x-ratelimit-remaining': '8',
      'x-ratelimit-reset': '9',
    }
  })
}

/** Goes on to do something once a kind of reply has come. */
function onceAnswered(isCause: (reply: WireReply) => boolean, spoil: Spoil): Spoil {
  let isOn = false
  return async (request, forward) => {
    const reply = await (isOn ? spoil(request, forward) : forward(request))
    isOn ||= isCause(reply)
    return reply
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

/** A failure of the server. */
const failed = (reply: WireReply): WireReply => ({
  ...withBody(reply, refusal(500, 'internal_error')),
  status: 500,
})

/** Orders keep naming the animal that they named first, and change with each reading. */
function keepsNames(): Spoil {
  const names = new Map<unknown, unknown>()
  let count = 0
  return shows(/^GET .store.orders.\d/, body => {
    if (!names.has(body.id)) names.set(body.id, body.petId)
    return { ...body, petId: names.get(body.id), quantity: ++count }
  })
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

const key = /^(GET|PATCH) .api-keys.\d+$/

/** Faults by which several statements of a probe come to name one: the cause is that of the last of them. */
export const moreRows: readonly Row[] = [
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
      sends(key, ({ bannedUntil: _, ...body }) => ({ ...body, unknown: 1 })),
    ),
    told: /a ban that was taken away goes on/,
  },
  {
    of: 'codings: ETags',
    probe: 'codings',
    operations: ['getCategory'],
    spoil: spoilsCodings(),
    told: /^\w+: the version .*, read in \w+, is not the present one/,
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
    of: 'changes at once: failures',
    probe: 'changes at once',
    operations: ['updatePet'],
    spoil: atOnce(/^PATCH .pets/, failed),
    told: /^updatePet: of \d at once it is answered 500/,
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
    of: 'versions of records: unread ones',
    probe: 'versions of records',
    operations: ['updateCategory'],
    document: ({ paths }) => void delete paths['/categories/{categoryId}']?.get,
    told: /^updateCategory: no operation reads the version that If-Match asks for/,
  },
  {
    of: 'versions of records: none is let in',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: refusesVersions(tags => /^"\d/.test(tags)),
    told: /^updateCategory: it is never taken of a record that has changed/,
  },
  {
    of: 'versions of records: all are let in',
    probe: 'versions of records',
    operations: ['updateCategory'],
    spoil: asks(/./, one => without(one, 'if-match')),
    told: /^updateCategory: what would be taken of the present version is answered 200/,
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
    of: 'changes: empty ones',
    probe: 'changes',
    operations: ['updateCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: sends(/^PATCH .categories/, body => (Object.keys(body).length > 0 ? body : { name: 'another' })),
    told: /^updateCategory: name becomes "another" by an empty change/,
  },
  {
    of: 'callers: none',
    probe: 'callers',
    operations: ['getHealth'],
    document: ofAnotherMake,
    spoil: turns(/^GET .health/, isSuccess, 401, refusal(401, 'unauthenticated')),
    told: /^getHealth: an operation that needs no credential asks for one/,
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
    of: 'forms of requests: rules',
    probe: 'forms of requests',
    operations: ['createCategory'],
    document({ components }) {
      const { NewCategory } = components?.schemas ?? {}
      Object.assign(Object(Object(NewCategory).properties).name, { 'x-further-rule': true })
    },
    told: /^createCategory: no request was refused for the further rule of .body.name/,
  },
  {
    of: 'rules of the business: other versions',
    probe: 'rules of the business',
    operations: ['replaceCategory'],
    spoil: turns(/^PUT .categories/, is(412), 409, refusal(409, 'category_exists')),
    told: /^replaceCategory: what a rule refuses, of another version, is answered 409/,
  },
  {
    of: 'rules of the business: what is left',
    probe: 'rules of the business',
    operations: ['deletePet'],
    spoil: keepsNames(),
    told: /^getOrder: its petId is \d+, which deletePet has removed/,
  },
  {
    of: 'repeated requests: other secrets',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: asks(/^POST .categories/, one => {
      const { 'idempotency-key': sent = '', 'x-api-key': caller = '' } = one.headers
      const isOther = sent.startsWith('other-secret')
      return isOther ? { ...one, headers: { ...one.headers, 'idempotency-key': caller.slice(0, 30) } } : one
    }),
    told: /^createCategory: a repetition with another secret of its key is not the same/,
  },
  {
    of: 'repeated requests: refusals',
    probe: 'repeated requests',
    operations: ['createCategory'],
    spoil: tells(/^POST .categories/, ({ status }) =>
      status === 409 ? { 'idempotent-replayed': undefined } : {},
    ),
    told: /^createCategory: a refusal is not repeated as the first one was/,
  },
  {
    of: 'repeated requests: other records',
    probe: 'repeated requests',
    operations: ['rotateApiKey'],
    spoil: forgetsKeys(422),
    told: /^rotateApiKey: an Idempotency-Key with another record is answered 200/,
  },
  {
    of: 'repeated requests: secrets',
    probe: 'repeated requests',
    operations: ['createApiKey'],
    spoil: both(forgetsKeys(409), forgetsKeys(422)),
    told: /^createApiKey: a repetition with another secret is answered 201/,
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
    of: 'unknown paths and fields: ids',
    probe: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: tells(/^GET/, () => ({ 'x-request-id': 'same' })),
    told: /the request id a{128} is not sent back/,
  },
  {
    of: 'the document itself: other places',
    probe: 'the document itself',
    operations: ['listCategories'],
    spoil: answers(/openapi.json/, reply => ({
      ...reply,
      text: reply.text.replace('Pet Store', 'Shop').replaceAll('shop.example', 'example'),
    })),
    told: /.openapi.json, asked for at shop.example:81, leads elsewhere/,
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
    of: 'credentials at once: each change',
    probe: 'credentials at once',
    operations: [],
    spoil: (request, forward) =>
      request.headers['x-other-server']
        ? both(turns(/^GET/, is(200), 203), letsIn(/./, 401))(request, forward)
        : forward(request),
    told: /a credential that another server has removed is answered 203 instead of 401/,
  },
  {
    of: 'methods: statuses',
    probe: 'methods',
    operations: ['listCategories'],
    spoil: both(refuses(/./, 405, refusal(404, 'not_found')), turns(/^OPTIONS/, is(204), 200)),
    told: /^the service: OPTIONS .* is answered 200/,
  },
  {
    of: 'pages of other origins: readers',
    probe: 'pages of other origins',
    operations: ['listCategories'],
    spoil: both(
      lacks(/^OPTIONS/, 'access-control-allow-origin'),
      lacks(/^GET/, 'access-control-expose-headers'),
    ),
    told: /^\w+: a page of another origin can’t read /,
  },
  {
    of: 'targets and Hosts: other forms',
    probe: 'targets and Hosts',
    operations: ['listCategories'],
    text: text =>
      text.replace('Host: example.com:80\r\n', 'Host: a b\r\n').replace('OPTIONS * ', 'OPTIONS /health '),
    told: /^the service: OPTIONS \* is answered/,
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
    of: 'administrators: at once',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: atOnce(/^PATCH .api-keys/, reply => ({ ...reply, status: 200 })),
    told: /of the last 2 at once 2 are disabled/,
  },
  {
    of: 'administrators: bans',
    probe: 'administrators',
    operations: ['revokeApiKey'],
    spoil: onceAnswered(
      ({ status }) => status === 429,
      both(
        turns(/^GET/, is(403), 429, refusal(429, 'rate_limited')),
        turns(/^PATCH .api-keys/, isSuccess, 409, refusal(409, 'last_admin_key')),
      ),
    ),
    told: /^updateApiKey: the end of the last one beside one that is banned/,
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
    of: 'bodies: refusals',
    probe: 'bodies',
    operations: ['updateCategory'],
    spoil: both(
      refuses(/./, 400, { details: [{ path: '/x', message: 'is wrong' }] }),
      lacks(/./, 'accept-patch'),
      answers(/^PATCH .categories/, (reply, { headers }) =>
        headers['content-type']?.includes(';') && reply.status < 300 ? { ...reply, status: 415 } : reply,
      ),
    ),
    told: /^updateCategory: a body as \S+; charset=utf-8 is answered 415/,
  },
]
