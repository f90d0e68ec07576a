import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { modelOf } from 'spec-served-document/model'
import { readDocument } from 'spec-served-document/reading/read'
import { modelFrom } from 'spec-served-lab/support/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMemoryParts } from '../local/memory-parts.ts'
import type { Collection } from '../mock/collections.ts'
import { createKeeper } from '../mock/keeper.ts'
import { createRecords, Full, recordLimits } from '../mock/records.ts'
import { readSeed } from '../mock/seed.ts'
import { mockContract, serveContract } from '../mock/serve.ts'

const json = (schema: object, example?: unknown) => ({
  description: 'ok',
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})
const none = { description: 'no' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const inPath = (name: string, type = 'integer') => ({ name, in: 'path', required: true, schema: { type } })
const asked = (name: string, schema: object) => ({ name, in: 'query', schema })
const body = (name: string) => ({ required: true, content: { 'application/json': { schema: ref(name) } } })

/** Books with wrapped lists and records, their reviews, settings, and a report that nothing changes. */
const library = {
  openapi: '3.0.3',
  info: { title: 'Library', version: '1' },
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          asked('author', { type: 'string' }),
          asked('sort', { type: 'string', enum: ['pages', '-pages'] }),
          asked('offset', { type: 'integer', minimum: 0 }),
          asked('limit', { type: 'integer', minimum: 1, default: 10 }),
        ],
        responses: {
          200: json(
            {
              type: 'object',
              required: ['books', 'total'],
              properties: { books: { type: 'array', items: ref('Book') }, total: { type: 'integer' } },
            },
            { books: [{ book_id: 'a1', title: 'Emma', author: 'Austen', pages: 400 }], total: 1 },
          ),
        },
      },
      post: {
        operationId: 'addBook',
        requestBody: body('NewBook'),
        responses: { 201: { ...json(ref('Book')), headers: { Location: { schema: { type: 'string' } } } } },
      },
    },
    '/books/{bookId}': {
      get: {
        operationId: 'getBook',
        parameters: [inPath('bookId', 'string')],
        responses: { 200: json(ref('Book')), 404: none },
      },
      put: {
        operationId: 'replaceBook',
        parameters: [inPath('bookId', 'string')],
        requestBody: body('NewBook'),
        responses: { 200: json(ref('Book')), 404: none },
      },
      patch: {
        operationId: 'changeBook',
        parameters: [inPath('bookId', 'string')],
        requestBody: body('BookPatch'),
        responses: { 200: json(ref('Book')), 404: none },
      },
      delete: {
        operationId: 'removeBook',
        parameters: [inPath('bookId', 'string')],
        responses: { 204: none, 404: none },
      },
    },
    '/books/{bookId}/reviews': {
      get: {
        operationId: 'listReviews',
        parameters: [inPath('bookId', 'string')],
        responses: { 200: json({ type: 'array', items: ref('Review') }) },
      },
      post: {
        operationId: 'addReview',
        parameters: [inPath('bookId', 'string')],
        requestBody: body('NewReview'),
        responses: { 201: json(ref('Review')) },
      },
    },
    '/books/{bookId}/reviews/{reviewId}': {
      get: {
        operationId: 'getReview',
        parameters: [inPath('bookId', 'string'), inPath('reviewId')],
        responses: { 200: json(ref('Review')), 404: none },
      },
    },
    '/settings': {
      get: { operationId: 'getSettings', responses: { 200: json(ref('Settings'), { colour: 'red' }) } },
      put: {
        operationId: 'setSettings',
        requestBody: body('Settings'),
        responses: { 200: json(ref('Settings')) },
      },
    },
  },
  components: {
    schemas: {
      NewBook: {
        type: 'object',
        required: ['title'],
        properties: {
          title: { type: 'string' },
          author: { type: 'string' },
          pages: { type: 'integer' },
          pin: { type: 'string', writeOnly: true },
        },
      },
      BookPatch: {
        type: 'object',
        properties: { title: { type: 'string' }, author: { type: 'string', nullable: true } },
      },
      Book: {
        type: 'object',
        required: ['book_id', 'title', 'createdAt'],
        properties: {
          book_id: { type: 'string' },
          title: { type: 'string' },
          author: { type: 'string', nullable: true },
          pages: { type: 'integer' },
          createdAt: { type: 'string', format: 'date-time' },
          pin: { type: 'string', writeOnly: true },
        },
      },
      NewReview: { type: 'object', required: ['stars'], properties: { stars: { type: 'integer' } } },
      Review: {
        type: 'object',
        required: ['id', 'stars'],
        properties: { id: { type: 'integer' }, stars: { type: 'integer' } },
      },
      Settings: { type: 'object', required: ['colour'], properties: { colour: { type: 'string' } } },
    },
  },
}

let app: FastifyInstance
beforeAll(async () => {
  const contract = mockContract(JSON.stringify(library), await modelFrom(library), false)
  app = await serveContract(contract, { keeper: createKeeper(contract) })
})
afterAll(() => app.close())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const ask = async (method: Method, url: string, payload?: object, of = app) => {
  const reply = await of.inject({ method, url, ...(payload && { payload }) })
  return {
    status: reply.statusCode,
    body: reply.body === '' ? undefined : reply.json(),
    headers: reply.headers,
  }
}
const reset = () => ask('POST', '/__reset')

test('a mock begins with the records of the examples, and a reset brings them back', async () => {
  await reset()
  const emma = { book_id: 'a1', title: 'Emma', author: 'Austen', pages: 400 }
  expect((await ask('GET', '/books/a1')).body).toMatchObject(emma)
  await ask('DELETE', '/books/a1')
  expect((await ask('GET', '/books')).body).toEqual({ books: [], total: 0 })
  expect((await reset()).status).toBe(204)
  expect((await ask('GET', '/books')).body).toMatchObject({ books: [emma], total: 1 })
  expect((await ask('GET', '/__reset')).status).toBe(405)
})

test('a record that a client made is found, listed, changed, replaced and removed', async () => {
  await reset()
  const made = await ask('POST', '/books', { title: 'Dune', author: 'Herbert', pages: 500, pin: 'secret' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ title: 'Dune', author: 'Herbert', pages: 500 })
  expect(made.body).not.toHaveProperty('pin')
  expect(Math.abs(Date.parse(made.body.createdAt) - Date.now())).toBeLessThan(60_000)
  const url = String(made.headers.location)
  expect(url).toBe(`/books/${made.body.book_id}`)
  expect((await ask('GET', url)).body).toEqual(made.body)
  expect((await ask('GET', '/books')).body.books).toContainEqual(made.body)
  expect((await ask('PATCH', url, { title: 'Dune II' })).body).toEqual({ ...made.body, title: 'Dune II' })
  expect((await ask('PATCH', url, { author: null })).body).not.toHaveProperty('author', 'Herbert')
  expect((await ask('PUT', url, { title: 'Emma' })).body).not.toHaveProperty('pages')
  expect((await ask('DELETE', url)).status).toBe(204)
  for (const method of ['GET', 'DELETE'] as const) expect((await ask(method, url)).status).toBe(404)
  expect((await ask('PATCH', url, { title: 'a' })).status).toBe(404)
  expect((await ask('POST', '/books', { title: 'Dune' })).body.book_id).not.toBe(made.body.book_id)
})

test('a list has the records that its filters keep, in order, and page by page', async () => {
  await reset()
  for (const [title, author, pages] of [
    ['Dune', 'Herbert', 500],
    ['Persuasion', 'Austen', 250],
    ['Lady Susan', 'Austen', 100],
  ] as const)
    await ask('POST', '/books', { title, author, pages })
  const titles = async (query: string) => {
    const { body: reply } = await ask('GET', `/books?${query}`)
    return [reply.total, ...reply.books.map(({ title }: { title: string }) => title)]
  }
  expect(await titles('author=Austen&sort=pages')).toEqual([3, 'Lady Susan', 'Persuasion', 'Emma'])
  expect(await titles('sort=-pages&limit=2')).toEqual([4, 'Dune', 'Emma'])
  expect(await titles('sort=-pages&limit=2&offset=2')).toEqual([4, 'Persuasion', 'Lady Susan'])
  expect(await titles('author=Aust')).toEqual([0])
})

test('a client’s own identifier stays, and the next record gets another one', async () => {
  const own = { type: 'object', properties: { id: { type: 'integer', minimum: 5 } } }
  const things = {
    openapi: '3.0.3',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        post: {
          operationId: 'addThing',
          requestBody: { content: { 'application/json': { schema: own } } },
          responses: { 200: json(own) },
        },
      },
      '/things/{thingId}': {
        get: { operationId: 'getThing', parameters: [inPath('thingId')], responses: { 200: json(own) } },
      },
    },
  }
  const contract = mockContract(JSON.stringify(things), await modelFrom(things), false)
  const served = await serveContract(contract, { keeper: createKeeper(contract, { seed: {} }) })
  const make = async (thing: object) => (await ask('POST', '/things', thing, served)).body.id
  const greatest = Number.MAX_SAFE_INTEGER
  expect(await make({ id: greatest })).toBe(greatest)
  const others = [await make({ id: greatest }), await make({}), await make({})]
  expect(new Set([...others, greatest]).size).toBe(4)
  expect(others.every(id => id >= 5)).toBe(true)
  await served.close()
})

test('a change of a record that is not there makes it, where the document has no 404 for that', async () => {
  const own = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, name: { type: 'string' } },
  }
  const changed = { content: { 'application/json': { schema: own } } }
  const things = {
    openapi: '3.0.3',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'getThing',
          parameters: [inPath('id', 'string')],
          responses: { 200: json(own), 404: none },
        },
        put: {
          ...{ operationId: 'setThing', parameters: [inPath('id', 'string')], requestBody: changed },
          responses: { 200: json(own) },
        },
      },
    },
  }
  const contract = mockContract(JSON.stringify(things), await modelFrom(things), false)
  const served = await serveContract(contract, { keeper: createKeeper(contract, { seed: {} }) })
  expect((await ask('PUT', '/things/a', { id: 'a', name: 'Emma' }, served)).status).toBe(200)
  expect((await ask('GET', '/things/a', undefined, served)).body).toEqual({ id: 'a', name: 'Emma' })
  await served.close()
})

test('a record of which no single read is declared keeps what a PUT is sent, and the identifier of its path', async () => {
  const own = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, name: { type: 'string' } },
  }
  const more = { ...own, properties: { ...own.properties, note: { type: 'string' } } }
  const sent = { content: { 'application/json': { schema: more } } }
  const parameters = [inPath('id', 'string')]
  const things = {
    openapi: '3.0.3',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: { operationId: 'listThings', responses: { 200: json({ type: 'array', items: own }) } },
        post: { operationId: 'addThing', requestBody: sent, responses: { 201: json(own) } },
      },
      '/things/{id}': {
        put: {
          ...{ operationId: 'setThing', parameters, requestBody: sent },
          responses: { 200: json(more) },
        },
      },
    },
  }
  const contract = mockContract(JSON.stringify(things), await modelFrom(things), false)
  const served = await serveContract(contract, { keeper: createKeeper(contract, { seed: {} }) })
  const made = await ask('POST', '/things', { id: 'a', name: 'x' }, served)
  const put = (id: string) => ask('PUT', `/things/${id}`, { id: 'other', note: 'n' }, served)
  expect((await put(made.body.id)).body).toEqual({ id: made.body.id, note: 'n' })
  expect((await put('b')).body).toEqual({ id: 'b', note: 'n' })
  expect((await ask('GET', '/things', undefined, served)).body).toEqual([{ id: made.body.id }, { id: 'b' }])
  await served.close()
})

test('records below another record belong to it alone', async () => {
  await reset()
  const { body: review } = await ask('POST', '/books/a1/reviews', { stars: 5 })
  expect((await ask('GET', '/books/a1/reviews')).body).toEqual([review])
  expect((await ask('GET', `/books/a1/reviews/${review.id}`)).body).toEqual(review)
  expect((await ask('GET', '/books/b2/reviews')).body).toEqual([])
  expect((await ask('GET', `/books/b2/reviews/${review.id}`)).status).toBe(404)
})

test('a single record that no parameter names stays as it was set', async () => {
  await reset()
  expect((await ask('GET', '/settings')).body).toEqual({ colour: 'red' })
  expect((await ask('PUT', '/settings', { colour: 'blue' })).body).toEqual({ colour: 'blue' })
  expect((await ask('GET', '/settings')).body).toEqual({ colour: 'blue' })
})

test('a client that prefers another reply gets it, and changes nothing', async () => {
  await reset()
  const preferred = await app.inject({ method: 'DELETE', url: '/books/a1', headers: { prefer: 'code=404' } })
  expect(preferred.statusCode).toBe(404)
  expect((await ask('GET', '/books/a1')).status).toBe(200)
})

test('pages of any origin may call a mock', async () => {
  const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' }
  const reply = await app.inject({ method: 'OPTIONS', url: '/books', headers })
  expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*' })
})

test('a seed gives the records of the start, and one that does not fit is refused with its place', async () => {
  const contract = mockContract(JSON.stringify(library), await modelFrom(library), false)
  const seeded = await serveContract(contract, {
    keeper: createKeeper(contract, {
      seed: { books: [{ book_id: 'z', title: 'Zorba', createdAt: '2026-01-01T00:00:00Z' }] },
    }),
  })
  expect((await ask('GET', '/books/z', undefined, seeded)).body.title).toBe('Zorba')
  expect((await ask('GET', '/books/a1', undefined, seeded)).status).toBe(404)
  await seeded.close()
  const told = (seed: Record<string, object[]>) => () =>
    createKeeper(contract, { seed: seed as Record<string, Record<string, unknown>[]> }) // objects
  expect(told({ films: [] })).toThrow('The document has no collection films; it has /books')
  expect(told({ '/books': [{ title: 'Emma' }] })).toThrow('/books/0 lacks book_id')
  expect(told({ '/books': [{ book_id: 'a', title: 3 }] })).toThrow(
    /^\/books\/0 does not fit the schema of its reply: \/title must be string\.$/,
  )
  const file = join(await mkdtemp(join(tmpdir(), 'seed-')), 'seed.json')
  for (const [text, fault] of [
    ['[]', 'holds no object of lists'],
    ['{', 'is no JSON'],
    ['{"books":[1]}', 'books is no list of objects'],
  ] as const) {
    await writeFile(file, text)
    await expect(readSeed(file)).rejects.toThrow(fault)
  }
})

test('a mock refuses a record that is one too many', () => {
  const books: Collection = {
    ...{ path: '/books/{id}', parameter: 'id', identifier: 'id' },
    ...{ maker: undefined, list: undefined, reader: undefined, shownIn: [], isKept: true },
  }
  const records = createRecords()
  for (let id = 1; id <= recordLimits.records; id++) records.add(books, {}, id, {})
  expect(() => records.add(books, {}, 0, {})).toThrow(Full)
  const [first] = records.all(books)
  if (first) records.remove(books, first)
  records.add(books, {}, 0, {})
  const text = 'a'.repeat(recordLimits.bytes / 50)
  const changeAll = () => {
    for (const record of records.all(books)) records.change(record, { text })
  }
  expect(changeAll).toThrow(Full)
  records.clear()
  expect(records.count()).toBe(0)
})

test('a mock of the pet store keeps x-effects, unique names, versions, retries and pages', async () => {
  const { document } = await readDocument('spec/openapi.yaml')
  const contract = mockContract(await readFile('spec/openapi.yaml', 'utf8'), modelOf(document), true)
  const store = await serveContract(contract, {
    keeper: createKeeper(contract, { seed: {}, secrets: ['key'] }),
  })
  const send = async (
    method: Method,
    target: string,
    payload?: object,
    more: Record<string, string> = {},
  ) => {
    const headers = { 'x-api-key': 'key', ...more }
    const reply = await store.inject({ method, url: target, headers, ...(payload && { payload }) })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      text: reply.body,
      body: reply.body ? reply.json() : {},
    }
  }
  const category = await send('POST', '/categories', { name: 'Straße' })
  expect((await send('POST', '/categories', { name: 'STRASSE' })).body).toMatchObject({
    code: 'category_name_taken',
    details: [{ path: '/name' }],
  })
  expect((await send('POST', '/pets', { name: 'Rex', categoryId: 99 })).body.code).toBe('category_not_found')
  const pet = await send(
    'POST',
    '/pets',
    { name: 'Rex', categoryId: category.body.id },
    { 'idempotency-key': 'a' },
  )
  const again = await send(
    'POST',
    '/pets',
    { name: 'Rex', categoryId: category.body.id },
    { 'idempotency-key': 'a' },
  )
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([pet.body, 'true'])
  const { id } = pet.body
  expect((await send('DELETE', `/categories/${category.body.id}`)).body.code).toBe('category_in_use')
  expect((await send('POST', '/store/orders', { petId: id, quantity: 2 })).body.code).toBe(
    'insufficient_stock',
  )
  const order = await send('POST', '/store/orders', { petId: id, quantity: 1 })
  expect((await send('GET', `/store/inventory/${id}`)).body).toEqual({
    petId: id,
    quantity: 0,
    status: 'pending',
  })
  expect((await send('DELETE', `/pets/${id}`)).body.code).toBe('pet_in_use')
  await send('PATCH', `/store/orders/${order.body.id}`, { complete: true })
  expect((await send('GET', `/pets?ids=${id}`)).body).toMatchObject([{ status: 'sold' }])
  const tag = String((await send('GET', `/categories/${category.body.id}`)).headers.etag)
  const url = `/categories/${category.body.id}`
  expect((await send('GET', url, undefined, { 'if-none-match': tag })).status).toBe(304)
  expect((await send('PATCH', url, { description: 'a' }, { 'if-match': tag })).status).toBe(200)
  expect((await send('PATCH', url, { description: 'b' }, { 'if-match': tag })).body.code).toBe(
    'precondition_failed',
  )
  for (const name of ['Cats', 'Dogs']) await send('POST', '/categories', { name })
  const first = await send('GET', '/categories?limit=2')
  const next = await send('GET', `/categories?limit=2&cursor=${first.headers['x-next-cursor']}`)
  expect([...first.body, ...next.body].map(({ name }) => name)).toEqual(['Straße', 'Cats', 'Dogs'])
  expect((await send('GET', '/categories?limit=2&cursor=abc')).status).toBe(400)
  const key = await send('POST', '/api-keys', { name: 'a', plan: 'Free', scopes: ['read'] })
  const own = { 'x-api-key': key.body.secret }
  expect((await send('GET', '/categories', undefined, own)).status).toBe(200)
  expect((await send('POST', '/categories', { name: 'b' }, own)).body.code).toBe('insufficient_scope')
  await send('DELETE', `/api-keys/${key.body.id}`)
  expect((await send('GET', '/categories', undefined, own)).status).toBe(401)
  await send('POST', '/__reset')
  const { id: categoryId } = (await send('POST', '/categories', { name: 'Straße' })).body
  const fresh = await send('POST', '/pets', { name: 'Rex', categoryId }, { 'idempotency-key': 'a' })
  expect([fresh.status, fresh.headers['idempotent-replayed']]).toEqual([201, undefined])
  await store.close()
})

test('a mock of the pet store begins with records of which every reply shows the same, and takes a first order', async () => {
  const { document } = await readDocument('spec/openapi.yaml')
  const contract = mockContract(await readFile('spec/openapi.yaml', 'utf8'), modelOf(document), true)
  const store = await serveContract(contract, { keeper: createKeeper(contract) })
  const send = async (method: Method, url: string, payload?: object) => {
    const headers = { 'x-api-key': 'key' }
    const reply = await store.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: reply.statusCode, body: reply.json() }
  }
  const pets: { id: number; categoryId: number; status: string }[] = (await send('GET', '/pets')).body
  const stock: { petId: number; quantity: number }[] = (await send('GET', '/store/inventory')).body
  expect(stock.map(({ petId }) => petId)).toEqual(pets.map(({ id }) => id))
  const categories: { id: number; name: string }[] = (await send('GET', '/categories')).body
  expect(new Set(categories.map(({ name }) => name)).size).toBe(categories.length)
  for (const { categoryId } of pets) {
    const category = await send('GET', `/categories/${categoryId}`)
    expect(category).toMatchObject({ status: 200, body: categories.find(({ id }) => id === categoryId) })
  }
  for (const one of stock) expect((await send('GET', `/store/inventory/${one.petId}`)).body).toEqual(one)
  for (const { id, status } of pets) {
    const quantity = stock.find(({ petId }) => petId === id)?.quantity
    const { body: order } = await send('POST', '/store/orders', { petId: id, quantity })
    expect(order, JSON.stringify(stock)).toMatchObject(
      status === 'available' ? { petId: id, quantity } : { code: 'pet_not_available' },
    )
    if (status === 'available')
      expect((await send('GET', `/store/inventory/${id}`)).body).toEqual({
        ...{ petId: id, quantity: 0, status: 'pending' },
      })
  }
  await store.close()
})

/** Items as other frameworks describe them, with errors in their form. */
const otherForm = (isRead: boolean) => {
  const item = {
    type: 'object',
    required: ['id', 'owner_id'],
    properties: { id: { type: 'integer' }, owner_id: { type: 'integer' }, title: { type: 'string' } },
  }
  const place = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }
  const fault = {
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: { loc: place, msg: { type: 'string' }, type: { type: 'string' } },
  }
  const refused = json({ type: 'object', properties: { detail: { type: 'array', items: fault } } })
  const missing = json({ type: 'object', properties: { detail: { type: 'string' } } })
  const all = [1, 2, 3].map(id => ({ id, owner_id: id > 1 ? 2 : 1, title: `no. ${id}` }))
  const number = { type: 'integer' }
  return {
    openapi: '3.1.0',
    info: { title: 'Items', version: '1' },
    paths: {
      '/items': {
        get: {
          operationId: 'listItems',
          parameters: [asked('owner_id', number), asked('min_id', number), asked('limit', number)],
          responses: { 200: json({ type: 'array', items: item }, all), 422: refused },
        },
        ...(!isRead && {
          post: {
            operationId: 'addItem',
            requestBody: { content: { 'application/json': { schema: item } } },
            responses: { 201: json(item), 422: refused },
          },
        }),
      },
      '/items/{item_id}': {
        get: {
          operationId: 'getItem',
          parameters: [inPath('item_id')],
          responses: { 200: json(item), 404: missing, 422: refused },
        },
      },
      '/news': {
        get: {
          operationId: 'news',
          parameters: [asked('limit', number)],
          responses: { 200: json({ type: 'array', items: number }, [1, 2, 3]) },
        },
      },
      '/stream': {
        get: {
          operationId: 'stream',
          responses: {
            200: {
              description: 'ok',
              content: { 'application/jsonl': { schema: { type: 'array', items: { const: 1 } } } },
            },
          },
        },
      },
    },
  }
}

test.each([true, false])(
  'a mock finds, filters and cuts the records of the examples, reading alone: %s',
  async isRead => {
    const contract = mockContract('', await modelFrom(otherForm(isRead)), false)
    const own = await serveContract(contract, { keeper: createKeeper(contract) })
    const ids = async (query: string) =>
      (await ask('GET', `/items${query}`, undefined, own)).body.map(({ id }: { id: number }) => id)
    expect(await ids('?owner_id=2')).toEqual([2, 3])
    expect(await ids('?min_id=3')).toEqual([3])
    expect(await ids('?limit=2')).toEqual([1, 2])
    expect((await ask('GET', '/items/3', undefined, own)).body).toEqual({
      id: 3,
      owner_id: 2,
      title: 'no. 3',
    })
    expect(await ask('GET', '/items/9', undefined, own)).toMatchObject({
      status: 404,
      body: { detail: 'There is no item 9.' },
    })
    expect(await ask('GET', '/items?owner_id=x', undefined, own)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'owner_id'], msg: 'must be integer', type: 'invalid_request' }] },
    })
    expect((await ask('GET', '/news?limit=2', undefined, own)).body).toEqual([1, 2])
    expect((await own.inject('/stream')).payload).toBe('1\n1\n1\n')
    await own.close()
  },
)

test('no page of another origin resets a mock or calls its tools, unless CORS_ORIGINS names it', async () => {
  const contract = mockContract(JSON.stringify(library), await modelFrom(library), false)
  const own = await serveContract(contract, {
    keeper: createKeeper(contract),
    corsOrigins: ['https://ours.example'],
  })
  const post = async (url: string, origin?: string, served = own) => {
    const headers = { accept: 'application/json, text/event-stream', ...(origin && { origin }) }
    const payload = url.includes('reset') ? {} : { payload: { jsonrpc: '2.0', id: 1, method: 'ping' } }
    return (await served.inject({ method: 'POST', url, headers, ...payload })).statusCode
  }
  for (const url of ['/__reset', '/__reset?a', '/mcp']) {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:5173',
      'http://localhost.evil.example',
    ])
      for (const served of [own, app]) expect(await post(url, origin, served), `${url} ${origin}`).toBe(403)
    expect(await post(url, 'https://ours.example')).toBeLessThan(300)
    for (const served of [own, app])
      for (const origin of [undefined, 'http://localhost:80'])
        expect(await post(url, origin, served)).toBeLessThan(300)
  }
  await own.close()
})

test('a mock repeats a reply for as long as the document says', async () => {
  const contract = mockContract('', await modelFrom(library), false)
  const { replies, close } = await openMemoryParts({ ...contract, lifetimes: { idempotentReplies: 60 } }, {})
  const request = { scope: 'a', key: '1' }
  const at = (seconds: number) => new Date(seconds * 1_000)
  const find = async (seconds: number) => (await replies.claim({}, request, at(seconds))).earlier
  await replies.save({}, request, { fingerprint: '', reply: 'x' }, at(0))
  expect(await find(59)).toMatchObject({ reply: 'x' })
  expect(await find(60)).toBeUndefined()
  await close()
})

test('the replies that a mock repeats are bounded in bytes', async () => {
  const { replies, close } = await openMemoryParts(mockContract('', await modelFrom(library), false), {})
  const request = (key: number) => ({ scope: 'a', key: `${key}` })
  const find = async (key: number) => (await replies.claim({}, request(key), new Date())).earlier
  const reply = 'x'.repeat(2 ** 20)
  for (let i = 0; i < 100; i++) await replies.save({}, request(i), { fingerprint: '', reply }, new Date())
  expect(await find(0)).toBeUndefined()
  expect(await find(99)).toMatchObject({ reply })
  await close()
})
