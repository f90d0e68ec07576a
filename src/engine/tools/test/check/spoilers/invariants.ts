import { isObject } from 'spec-served-document/pointer'
import type { Spoil } from 'spec-served-lab/support/mock-world'
import {
  answers,
  asks,
  nameOf,
  ofAnotherMake,
  otherwiseEachTime,
  type Row,
  refusal,
  refuses,
  shows,
  withBody,
  without,
} from '../spoiling.ts'

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

/** Faults that the invariants must see. */
export const rows: readonly Row[] = [
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
  {
    of: 'echoes: times',
    probe: 'lives of records',
    operations: ['createApiKey'],
    spoil: shows(/^POST .api-keys$/, body => ({ ...body, createdAt: '2020-01-01T00:00:00.000Z' })),
    told: /^createApiKey: what was just made has createdAt 2020/,
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
    of: 'absences',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: asks(/^PUT .categories/, one => ({ ...one, url: '/categories/999999' })),
    told: /nothing is found at .*, but GET .* is answered 200 \[a record that is not found/,
  },
  {
    of: 'echoes',
    probe: 'changes',
    operations: ['replaceCategory'],
    spoil: shows(/^PUT .categories/, body => ({ ...body, name: 'another' })),
    told: /name was sent as .*, and its reply shows "another" \[the reply to a write/,
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
    of: 'kept',
    probe: 'forms of requests',
    operations: ['createCategory'],
    document: ofAnotherMake,
    paths: /^.categories/,
    spoil: shows(/^POST .categories/, ({ description: _, ...body }) => body),
    told: /^createCategory: description was sent as ".*", and its reply shows absent, as each time/,
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
]
