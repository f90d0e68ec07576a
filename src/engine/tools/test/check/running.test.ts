import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { insertApiKey } from 'spec-served/internal/callers/api-keys'
import { openResources } from 'spec-served/internal/process/resources'
import { buildServer } from 'spec-served/internal/process/server'
import type { Model } from 'spec-served-document/model'
import { isObject } from 'spec-served-document/pointer'
import { missingPackages, startSite } from 'spec-served-lab/cluster/site'
import { hashKey, mintKey, previewKey } from 'spec-served-lab/support/keys'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { expect, onTestFinished, test } from 'vitest'
import { emptyDatabase } from '../../check/empty-database.ts'
import type { ServiceName } from '../../check/probes.ts'
import { openRunning } from '../../check/running.ts'
import { checkContract } from '../../check/service.ts'
import { contractOf } from '../../generate/contract.ts'
import { readInterface } from '../../records/interface.ts'
import { recordIn } from '../../records/messages.ts'

/** Runs the check on a server that listens. */
async function check(
  model: Model,
  url: string,
  {
    keys = [] as string[],
    operations = [] as string[],
    writes = true,
    most = 5_000,
    services = undefined as ServiceName[] | undefined,
  } = {},
) {
  const world = await openRunning({
    contract: readInterface(model),
    url: new URL(url),
    keys,
    writes,
    most,
  })
  onTestFinished(() => world.end())
  const only = { operations: new Set(operations), limits: false, seen: model }
  return checkContract({
    model,
    open: async () => world,
    seed: 1,
    services,
    ...(operations.length > 0 && { only }),
  })
}

/** This service, on a port of its own. */
async function startOurs() {
  const model = await ownModel()
  const contract = contractOf('', model)
  const { db, close } = await emptyDatabase(service)
  const resources = await openResources(contract, db, { name: service.name })
  const app = await buildServer(service, contract, resources, { maxWaitMs: 60_000 })
  onTestFinished(() =>
    app
      .close()
      .then(() => resources.close())
      .then(close),
  )
  const key = mintKey()
  await insertApiKey(db, {
    name: 'First',
    preview: previewKey(key),
    hash: hashKey(key),
    plan: 'Business',
    quotas: null,
    scopes: ['read', 'write', 'admin'],
    createdAt: new Date(),
    expiresAt: null,
  })
  return { model, key, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

const refused = {
  description: 'No',
  content: { 'application/json': { schema: { type: 'object', required: ['message'] } } },
}
const book = { title: { type: 'string', minLength: 1, maxLength: 20 } }
const shown = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer' }, ...book },
}
const content = (schema: object) => ({ 'application/json': { schema } })
const bookDocument = {
  openapi: '3.0.3',
  info: { title: 'Library', version: '1' },
  paths: {
    '/books': {
      post: {
        operationId: 'addBook',
        requestBody: {
          required: true,
          content: content({
            type: 'object',
            required: ['title'],
            properties: book,
            additionalProperties: false,
          }),
        },
        responses: {
          201: {
            description: 'A book',
            headers: { Location: { required: true, schema: { type: 'string' } } },
            content: content(shown),
          },
          default: refused,
        },
      },
    },
    '/books/{bookId}': {
      get: {
        operationId: 'getBook',
        parameters: [
          {
            name: 'bookId',
            in: 'path',
            required: true,
            schema: { type: 'integer', minimum: 1, maximum: 9_999 },
          },
        ],
        responses: { 200: { description: 'A book', content: content(shown) }, default: refused },
      },
    },
  },
}

/** The same, for callers with a key. */
const lockedLibrary = {
  ...bookDocument,
  security: [{ Key: [] }],
  components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
}

/**
 * A server of another make for it.
 * @param spoil changes what a book is shown as
 * @param rules the request's title if it has none, and whether a key is right
 */
async function startLibrary(
  spoil: (book: { id: number; title: string }) => object,
  { untitled, isRight = () => true }: { untitled?: string; isRight?(key: unknown): boolean } = {},
) {
  const titles: string[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const send = (status: number, payload: object, more = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...more })
        .end(method === 'HEAD' ? '' : JSON.stringify(payload))
    if (!isRight(headers['x-api-key'])) return send(401, { message: 'No key' })
    const id = Number(/^\/books\/([1-9]\d{0,3})$/.exec(url)?.[1] ?? 0)
    const title = titles[id - 1]
    if (method !== 'POST')
      return title === undefined
        ? send(id > 0 ? 404 : 400, { message: 'There is none' })
        : send(200, spoil({ id, title }))
    let text = ''
    for await (const chunk of request) text += chunk
    const body = parsed(text)
    const { title: given = isObject(body) ? untitled : undefined, ...rest } = Object(body)
    const isTaken = typeof given === 'string' && /^[^\0\ufeff]{1,20}$/u.test(given) && given.isWellFormed()
    if (!isTaken || Object.keys(rest).length > 0 || !headers['content-type'] || url !== '/books')
      return send(400, { message: 'No book' })
    const made = { id: titles.push(given), title: given }
    return send(201, made, { location: `/books/${made.id}` })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test('the check of this service over HTTP finds nothing, and gives a reason for each probe that it leaves out', async () => {
  const { model, key, url } = await startOurs()
  const { faults, rows } = await check(model, url, {
    keys: [key],
    operations: ['deleteCategory'],
    services: ['refusals and conditions', 'last records'],
  })
  expect(faults).toEqual([])
  expect(rows.get('callers')?.assertions).toBeGreaterThan(2)
  expect([...(rows.get('failures of the database')?.left ?? [])]).toEqual(['needs the database'])
  expect([...(rows.get('last records')?.left ?? [])]).toEqual(['needs an empty database'])
})

test.skipIf(missingPackages().length > 0)(
  'nor in three servers with PostgreSQL and Redis, behind HAProxy',
  async () => {
    const site = await startSite({ servers: 3, haproxy: true, redis: true })
    onTestFinished(() => site.close())
    const { faults, rows } = await check(await ownModel(), String(site.url), {
      keys: [site.firstKey],
      operations: ['updateCategory', 'createCategory'],
      services: ['refusals and conditions'],
    })
    expect(faults).toEqual([])
    expect(rows.get('versions of records')?.assertions).toBeGreaterThan(10)
    expect(rows.get('repeated requests')?.assertions).toBeGreaterThan(10)
  },
  180_000, // ms: beside all other tests, the start alone takes a minute
)

test('a list that was long before the check is read to its end, and refused nothing', async () => {
  const { model, key, url } = await startOurs()
  const post = async (path: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(reply.status).toBe(201)
    return recordIn(await reply.json())
  }
  const { id } = await post('/categories', { name: 'Long' })
  for (let sent = 0; sent < 7; sent++)
    await post(
      '/pets/batch',
      Array.from({ length: 100 }, (_, index) => ({ name: `Pet ${sent} ${index}`, categoryId: id })),
    )
  const { faults, rows } = await check(model, url, {
    keys: [key],
    operations: ['listPets'],
    services: ['queries and sequences'],
  })
  expect(faults).toEqual([])
  expect(rows.get('pages of lists')?.assertions).toBeGreaterThan(50)
})

test('the check sends only safe methods without --writes', async () => {
  const { model, key, url } = await startOurs()
  const { faults, rows } = await check(model, url, {
    keys: [key],
    operations: ['listCategories', 'createCategory'],
    services: ['refusals and conditions', 'queries and sequences'],
    writes: false,
  })
  expect(faults).toEqual([])
  expect([...(rows.get('lives of records')?.left ?? [])]).toEqual(['needs --writes'])
  expect(rows.get('HEAD')?.assertions).toBe(1)
})

test('the check sends no more requests than --requests allows', async () => {
  const { model, key, url } = await startOurs()
  const { rows } = await check(model, url, {
    keys: [key],
    operations: ['listCategories'],
    services: ['refusals and conditions'],
    most: 20,
  })
  expect([...(rows.get('HEAD')?.left ?? [])]).toEqual(['needs more than --requests 20'])
})

test.each<[string, Parameters<typeof startLibrary>[0], RegExp | undefined]>([
  ['does as the document says', stored => stored, undefined],
  ['shows a number as a text', ({ id, title }) => ({ id: String(id), title }), /getBook.*id/],
  [
    'cuts what it is sent',
    ({ id, title }) => ({ id, title: title.slice(0, 3) }),
    /the next read shows what the write answered/,
  ],
  ['lacks a property', ({ id }) => ({ id }), /title/],
])('a server of another make that %s', async (_, spoil, told) => {
  const { faults } = await check(await modelFrom(bookDocument), await startLibrary(spoil))
  if (!told) return expect(faults).toEqual([])
  expect(faults.map(({ operation, message }) => `${operation}: ${message}`).join('\n')).toMatch(told)
  expect(faults[0]?.evidence).toMatch(/^came: \d{3} .*\n {4}curl -X /)
})

test.each<[string, object, Parameters<typeof startLibrary>[1], RegExp | undefined]>([
  ['takes a body without what it must hold', bookDocument, { untitled: 'None' }, /title left out/],
  ['asks each caller for a key', lockedLibrary, { isRight: key => key === 'right' }, undefined],
  ['serves callers without a key', lockedLibrary, { isRight: (key = 'right') => key === 'right' }, /no key/],
  ['takes any key', lockedLibrary, { isRight: key => key !== undefined }, /the unknown key/],
])('a server of another make that %s', async (_, document, rules, told) => {
  const url = await startLibrary(stored => stored, rules)
  const { faults } = await check(await modelFrom(document), url, { keys: ['right'] })
  if (!told) return expect(faults).toEqual([])
  expect(faults.map(({ operation, message }) => `${operation}: ${message}`).join('\n')).toMatch(told)
})

const ok = { description: 'Done' }
const withOrder = { orderId: { type: 'integer', minimum: 1, maximum: 1_000_000 } }
const int64 = { type: 'integer', format: 'int64', minimum: -(2 ** 63), maximum: 2 ** 63 }
const asParameter = (name: string, schema: object) => [{ name, in: 'path', required: true, schema }]
const asBody = (properties: object) => ({
  required: true,
  content: content({ type: 'object', required: Object.keys(properties), properties }),
})
const documentOf = (paths: object) => ({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths })

test.each<[string, number[], object, (path: string, body: unknown) => number]>([
  [
    'that its client identifies',
    [200, 201, 400],
    documentOf({
      '/orders': { post: { requestBody: asBody(withOrder), responses: { 201: ok, 400: ok, 409: ok } } },
      '/orders/{orderId}': {
        get: {
          parameters: asParameter('orderId', withOrder.orderId),
          responses: { 200: ok, 400: ok, 404: ok },
        },
      },
    }),
    (path, body) => (isBetween(body ? Object(body).orderId : path.split('/')[2]) ? (body ? 201 : 200) : 400),
  ],
  [
    'of which each needs another',
    [],
    documentOf({
      '/hens': {
        post: { requestBody: asBody({ eggId: { type: 'integer' } }), responses: { 201: ok, 400: ok } },
      },
      '/hens/{henId}': {
        get: {
          parameters: asParameter('henId', { type: 'integer' }),
          responses: { 200: ok, 400: ok, 404: ok },
        },
      },
      '/eggs': {
        post: { requestBody: asBody({ henId: { type: 'integer' } }), responses: { 201: ok, 400: ok } },
      },
      '/eggs/{eggId}': {
        get: {
          parameters: asParameter('eggId', { type: 'integer' }),
          responses: { 200: ok, 400: ok, 404: ok },
        },
      },
    }),
    path => (/^\/\w+(\/-?\d+)?$/.test(path) ? 404 : 400),
  ],
  [
    'with whole numbers of 64 bits',
    [204, 400],
    documentOf({
      '/counters/{n}': { get: { parameters: asParameter('n', int64), responses: { 204: ok, 400: ok } } },
    }),
    path => {
      const [, n] = /^\/counters\/(-?\d+)$/.exec(path) ?? []
      return n !== undefined && BigInt.asIntN(64, BigInt(n)) === BigInt(n) ? 204 : 400
    },
  ],
])(
  'the check of a right service ends, and tells no fault: records %s',
  async (_, seen, document, statusOf) => {
    const answered = new Set<number>()
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      const isJson = request.headers['content-type']?.startsWith('application/json') ?? false
      const body = isJson ? parsed(text) : undefined
      const { method = '', url = '' } = request
      const isKnown = method === 'POST' ? isObject(body) && isJson : method === 'GET' || method === 'HEAD'
      const status = isKnown ? statusOf(url, method === 'POST' ? body : undefined) : 400
      answered.add(status)
      response.writeHead(status, status === 201 ? { location: `${url}/${Object(body).orderId}` } : {}).end()
    })
    onTestFinished(() => void server.close())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens on a port
    const { faults } = await check(await modelFrom(document), `http://127.0.0.1:${port}`)
    expect(faults.map(({ operation, message, evidence }) => [operation, message, evidence])).toEqual([])
    expect([...answered].toSorted()).toEqual(seen)
  },
)

const isBetween = (given: unknown) =>
  /^\d+$/.test(String(given)) &&
  Number(given) >= 1 &&
  Number(given) <= 1_000_000 &&
  typeof given !== 'boolean'
