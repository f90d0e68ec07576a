import { someOrigin } from 'spec-served-document/contract/addresses'
import { answers, asks, both, is, lacks, type Row, refusal, refuses, tells, turns } from '../spoiling.ts'

/** Faults that the probes of the service “elsewhere” must see. */
export const rows: readonly Row[] = [
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
    of: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: refuses(/^GET .there/, 404, { code: 'internal_error' }),
    told: /the unknown path .there.is.nothing.here is answered 404 internal_error/,
  },
  {
    of: 'unknown paths and fields: no parameter',
    probe: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: refuses(/^GET .api-keys.$/, 404, { status: 400, code: 'invalid_request' }),
    told: /the path .api-keys. without its parameter is answered 400 invalid_request/,
  },
  {
    of: 'unknown paths and fields: ids',
    probe: 'unknown paths and fields',
    operations: ['listCategories'],
    spoil: tells(/^GET/, () => ({ 'x-request-id': 'same' })),
    told: /the request id a{128} is not sent back/,
  },
  {
    of: 'methods',
    operations: ['listCategories'],
    spoil: lacks(/^OPTIONS .health/, 'allow'),
    told: /OPTIONS .health: Allow is undefined/,
  },
  {
    of: 'methods: statuses',
    probe: 'methods',
    operations: ['listCategories'],
    spoil: both(refuses(/./, 405, refusal(404, 'not_found')), turns(/^OPTIONS/, is(204), 200)),
    told: /^the service: OPTIONS .* is answered 200/,
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
    of: 'targets and Hosts',
    operations: ['listCategories'],
    text: text => text.replace('Host: a b\r\n', 'Host: a\r\n'),
    told: /Host: a b is answered/,
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
    of: 'broken requests',
    operations: ['listCategories'],
    text: text => text.replace(/^HELLO/, 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: 1'),
    told: /a malformed HTTP request is answered 200/,
  },
]
