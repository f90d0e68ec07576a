import { isObject } from 'spec-served-document/pointer'
import { given, type Spoil } from 'spec-served-lab/support/mock-world'
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
  ofAnotherMake,
  type Row,
  refusal,
  refuses,
  sharesKeys,
  shows,
  tells,
  turns,
  withBody,
  without,
} from '../spoiling.ts'

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

/** Does what it has refused with a status, as if nobody had sent its Idempotency-Key before. */
function forgetsKeys(status: number): Spoil {
  return async (request, forward) => {
    const reply = await forward(request)
    return reply.status === status ? forward(without(request, 'idempotency-key')) : reply
  }
}

/** Takes some versions for others than the present one. */
const refusesVersions = (isRefused: (tags: string) => boolean): Spoil =>
  answers(/./, (reply, { headers }) =>
    isRefused(headers['if-match'] ?? '')
      ? withBody({ ...reply, status: 412 }, refusal(412, 'precondition_failed'))
      : reply,
  )

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

/** Orders keep naming the animal that they named first, and change with each reading. */
function keepsNames(): Spoil {
  const names = new Map<unknown, unknown>()
  let count = 0
  return shows(/^GET .store.orders.\d/, body => {
    if (!names.has(body.id)) names.set(body.id, body.petId)
    return { ...body, petId: names.get(body.id), quantity: ++count }
  })
}

/** Faults that the probes of the service “refusals and conditions” must see. */
export const rows: readonly Row[] = [
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
    of: 'callers: none',
    probe: 'callers',
    operations: ['getHealth'],
    document: ofAnotherMake,
    spoil: turns(/^GET .health/, isSuccess, 401, refusal(401, 'unauthenticated')),
    told: /^getHealth: an operation that needs no credential asks for one/,
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
    of: 'cost and end of quota',
    operations: ['listCategories'],
    spoil: async (request, forward) => {
      if (/^GET .categories/.test(nameOf(request))) await forward(request)
      return forward(request)
    },
    told: /a request costs other than 1 of each window/,
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
    of: 'long URLs',
    operations: ['listCategories'],
    spoil: refuses(/./, 414, { status: 400, code: 'invalid_request' }),
    told: /too long a URL is answered 400/,
  },
  {
    of: 'long URLs: the longest',
    probe: 'long URLs',
    operations: ['listCategories'],
    spoil: refuses(/undeclared=b/, 400, { status: 414, code: 'uri_too_long' }),
    told: /^listCategories: the longest URL is answered 414/,
  },
  {
    of: 'bodies',
    operations: ['createCategory'],
    spoil: refuses(/./, 413, { status: 400, code: 'invalid_request' }),
    told: /too large a body is answered 400/,
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
    of: 'known content',
    operations: ['getCategory'],
    spoil: asks(/./, one => without(one, 'if-none-match')),
    told: /content that is known alone is answered 200 instead of 304/,
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
    of: 'failures of the database: other statuses',
    probe: 'failures of the database',
    operations: ['listCategories'],
    spoil: ofLaterKeys(reply => withBody({ ...reply, status: 404 }, refusal(404, 'not_found'))),
    told: /^listCategories: while the database fails it is answered 404/,
  },
]
