import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createReplyChecker } from 'spec-served/internal/validation/replies'
import { judge } from 'spec-served-cli/internal/changes/judge'
import { serveMocks } from 'spec-served-cli/internal/mock/serve'
import { type Call, invalidCalls, validCalls } from 'spec-served-cli/internal/samples/calls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { modelOf } from '../model.ts'
import { formatFaults } from '../reading/fault.ts'
import { parseDocument, readDocument } from '../reading/read.ts'
import { createSchemas } from '../values/schemas.ts'

const fileOf = (name: string) => `src/engine/document/test/documents/${name}.yaml`
const names = ['library', 'telemetry', 'payments'] as const

/** Serves a document by its mock, on a socket. */
async function listen(name: string) {
  const { document, text: source } = await readDocument(fileOf(name))
  const model = modelOf(document)
  const app = await serveMocks(source, model, { isOurs: false })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo // it listens to TCP
  const send = async ({
    method,
    url,
    headers = {},
    payload,
  }: Omit<Partial<Call>, 'payload'> & { payload?: string | Buffer }) => {
    const reply = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
      request({ port, host: '127.0.0.1', method, path: url, headers, agent: false }, resolve)
        .on('error', reject)
        .end(payload),
    )
    return { status: reply.statusCode ?? 0, headers: reply.headers, body: await text(reply) }
  }
  return { model, send, close: () => app.close() }
}

const valueIn = (type: unknown, body: string): unknown => {
  if (body === '') return undefined
  return String(type).startsWith('application/json') && !String(type).includes('seq')
    ? JSON.parse(body)
    : body
}

describe.each(names)('the document %s', name => {
  test('is answered by its mock as it says, and refuses what it does not take', async () => {
    const { model, send, close } = await listen(name)
    const check = createReplyChecker(model)
    const schemas = createSchemas(model)
    for (const operation of model.operations) {
      for (const call of await validCalls(schemas, operation)) {
        const { status, headers, body } = await send(call)
        const of = `${operation.id} with ${call.about}: ${body}`
        expect([of, status]).toEqual([of, [...operation.responses.keys()].map(Number)[0]])
        const reply = { status, headers, body: valueIn(headers['content-type'], body) }
        expect(check(operation.id, reply)).toEqual([])
      }
      for (const call of await invalidCalls(schemas, operation))
        expect([operation.id, call.about, (await send(call)).status >= 400]).toContain(true)
    }
    await close()
  })

  test('is its own equal for the judge', async () => {
    const document = await readDocument(fileOf(name))
    expect(judge(document, await readDocument(fileOf(name)), '2026-06-15')).toEqual([])
  })
})

test('Allow lists methods of any name, and the server reads their bodies', async () => {
  const { send, close } = await listen('library')
  const headers = { authorization: 'Bearer abc', 'content-type': 'application/json' }
  const url = '/v1/books/9780000000001'
  const wrong = await send({ method: 'LINK', url, headers, payload: '{"series":1}' })
  expect([wrong.status, JSON.parse(wrong.body).details]).toEqual([
    400,
    [{ path: '/series', message: 'must be string' }],
  ])
  expect((await send({ method: 'LINK', url, headers, payload: '{"series":"Cats"}' })).status).toBe(204)
  const refused = await send({ method: 'POST', url })
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, LINK, PURGE, HEAD, OPTIONS'])
  const found = await send({ method: 'QUERY', url: '/v1/books', headers, payload: '{"words":"cats"}' })
  expect(JSON.parse(found.body)).toEqual([{ isbn: '9780000000001', title: 'Cats' }])
  await close()
})

test('the whole of a query is one parameter', async () => {
  const { send, close } = await listen('library')
  const get = async (query: string) =>
    (await send({ method: 'GET', url: `/v1/books?${query}`, headers: { authorization: 'Bearer abc' } }))
      .status
  expect(
    await Promise.all(['shelf=1&author=a&author=b', 'author=a', 'shelf=a', 'shelf=1&other=1'].map(get)),
  ).toEqual([200, 400, 400, 400])
  await close()
})

test('sequences are read and written item by item', async () => {
  const { send, close } = await listen('telemetry')
  const reading = '{"at":"2026-01-31T12:00:00Z","value":1}'
  const post = async (type: string, payload: string) => {
    const { status, body } = await send({
      method: 'POST',
      url: '/readings',
      headers: { 'content-type': type },
      payload,
    })
    return status === 200 ? 200 : JSON.parse(body).details
  }
  expect(await post('application/jsonl', `${reading}\n\n${reading}`)).toBe(200)
  expect(await post('application/json-seq', `\x1e${reading}\n\x1e${reading}\n`)).toBe(200)
  expect(await post('text/event-stream', ': hello\n\ndata: a\ndata: b\nevent: reading\r\n\r\n')).toBe(200)
  expect(await post('application/jsonl', `${reading}\n{"value":"1"}`)).toEqual([
    { path: '/1/at', message: 'is required' },
    { path: '/1/value', message: 'must be number' },
  ])
  expect(await post('application/jsonl', `${reading}\n{`)).toEqual([
    { path: '/1', message: expect.stringContaining('is not valid JSON: line 1, column ') },
  ])
  expect(await post('text/event-stream', 'data: a\nevent: other\n\n')).toEqual([
    { path: '/0/event', message: 'must be one of reading' },
  ])
  const exported = await send({ method: 'GET', url: '/readings/export' })
  expect(exported.body.trim().split('\n')).toHaveLength(2)
  await close()
})

test('a discriminator’s default alternative takes values that name none', async () => {
  const { document } = await readDocument(fileOf('payments'))
  const schemas = createSchemas(modelOf(document))
  const faults = (value: unknown) =>
    schemas.check({ $ref: '#/components/schemas/Payment' }, value).map(({ path }) => path)
  expect(
    [{ iban: 'CH93' }, { kind: 'wire', iban: 'CH93' }, { kind: 'card', number: '1' }].map(faults),
  ).toEqual([[], [], []])
  expect(faults({ kind: 'card', iban: 'CH93' })).toEqual(['/number'])
  expect(faults({ number: '1' })).toEqual(['/iban'])
})

describe('the judge of 3.2 documents', () => {
  const findings = async (name: string, change: (source: string) => string) => {
    const source = await readFile(fileOf(name), 'utf8')
    const changed = change(source)
    expect(changed).not.toBe(source)
    const [base, next] = [
      await parseDocument(source, 'base'),
      await parseDocument(changed.replace('version: 1.0.0', 'version: 2.0.0'), 'next'),
    ]
    return judge(base, next, '2026-06-15').map(
      ({ severity, rule, places }) => `${severity} ${rule} ${places[0] ?? ''}`,
    )
  }

  test.each<[string, string, RegExp | string, string, string]>([
    [
      'a method goes',
      'library',
      / {6}PURGE:[\s\S]*?forgotten it. \} \}\n/,
      '',
      'breaking operation-removed PURGE /books/{isbn} (forgetBook)',
    ],
    [
      'what a QUERY takes is more',
      'library',
      'required: [words]',
      'required: [words, lang]',
      'breaking property-became-required QUERY /books (searchBooks) request body .lang',
    ],
    [
      'a webhook goes',
      'library',
      'overdue:',
      'x-overdue:',
      'breaking webhook-removed webhook POST overdue (bookOverdue)',
    ],
    [
      'items of a request have more',
      'telemetry',
      'required: [at, value]',
      'required: [at, value, unit]',
      'breaking property-became-required POST /readings (sendReadings) request body [].unit',
    ],
    [
      'another alternative is the default',
      'payments',
      'defaultMapping: Transfer',
      'defaultMapping: Card',
      'breaking discriminator-target-narrowed POST /payments (pay) request body',
    ],
  ])('%s', async (_, name, from, to, finding) => {
    expect((await findings(name, source => source.replace(from, to))).join('\n')).toContain(finding)
  })
})

const server = async (source: string) => {
  const { document } = await parseDocument(source, 'document.yaml')
  const app = await serveMocks(source, modelOf(document), { isOurs: false })
  onTestFinished(() => app.close())
  return { document, app }
}

test('an example is sent as it is written for its media type', async () => {
  const both = { dataValue: [{ id: 1 }], serializedValue: '<ids><id>1</id></ids>' }
  const csv = { dataValue: [{ id: 1 }], serializedValue: 'id\n1\n' }
  const content = {
    'application/json': { examples: { one: { $ref: '#/components/examples/Both' } } },
    'application/xml': { examples: { one: { $ref: '#/components/examples/Both' } } },
    'text/csv': { schema: { type: 'array' }, examples: { one: csv } },
    'text/plain': { examples: { one: { dataValue: { id: 1 }, serializedValue: 'id 1' } } },
    'text/xml': { examples: { one: { dataValue: { id: 1 } } } },
  }
  const source = JSON.stringify({
    ...{ openapi: '3.2.0', info: { title: 'T', version: '1' }, components: { examples: { Both: both } } },
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: 'ok', content } } } } },
  })
  const { app } = await server(source)
  const get = async (accept: string) => (await app.inject({ url: '/a', headers: { accept } })).payload
  expect(await get('application/xml')).toBe(both.serializedValue)
  expect(await get('text/csv')).toBe(csv.serializedValue)
  expect(await get('text/plain')).toBe('id 1')
  expect(JSON.parse(await get('application/json'))).toEqual([{ id: 1 }])
  expect((await app.inject({ url: '/a', headers: { accept: 'text/xml' } })).statusCode).toBe(406)
})

test('a security requirement names a scheme by its URI, and a server keeps its name', async () => {
  const head = (uri: string, version = '3.2.0') => `openapi: ${version}
info: { title: T, version: "1" }
servers: [{ url: /v1, name: prod }, { url: 'https://other.example/v1', name: test, description: Of tests }]
security: [{ '${uri}': [] }]
paths: { /a: { get: { operationId: a, responses: { "200": { description: ok } } } } }
components: { securitySchemes: { Key: { type: apiKey, in: header, name: X-Own-Key } } }
`
  const { document, app } = await server(head('#/components/securitySchemes/Key'))
  expect(document.security).toEqual([{ Key: [] }])
  expect((await app.inject('/v1/a')).statusCode).toBe(401)
  expect((await app.inject({ url: '/v1/a', headers: { 'x-own-key': 'a' } })).statusCode).toBe(200)
  expect((await app.inject('/openapi.json')).json().servers).toMatchObject([
    { name: 'prod' },
    { name: 'test', description: 'Of tests' },
  ])
  await expect(server(head('#/components/securitySchemes/None'))).rejects.toThrow(
    /#\/components\/securitySchemes\/None leads nowhere/,
  )
  await expect(server(head('#/components/securitySchemes/Key', '3.1.0'))).rejects.toThrow(
    /no security scheme/,
  )
})

describe('a part of 3.2 that can’t be served is refused by name', () => {
  const reading = (item: string) =>
    parseDocument(
      `openapi: 3.2.0\ninfo: { title: T, version: '1' }\npaths:\n  /a: ${item}\n`,
      'document.yaml',
    )
  const done = 'responses: { "204": { description: Done. } }'
  test.each([
    [`{ additionalOperations: { POST: { ${done} } } }`, /:4:.*POST has a field of its own: write it as post/],
    [
      `{ additionalOperations: { LINKS: { ${done} } } }`,
      /:4:.*can't read requests of the method LINKS: write LINK/,
    ],
    [`{ additionalOperations: { link: { ${done} } } }`, /method link: write LINK/],
    [
      `{ get: { parameters: [{ in: querystring, name: q, content: { application/json: {} } }], ${done} } }`,
      /read as application\/x-www-form-urlencoded alone, and not as application\/json: describe it so/,
    ],
    [
      `{ get: { parameters: [{ in: querystring, name: q, content: { application/x-www-form-urlencoded: {} } }, { in: query, name: a }], ${done} } }`,
      /q is the whole of the query, and there are others in it/,
    ],
  ])('%s', async (item, message) => {
    await expect(reading(item)).rejects.toThrow(message)
  })

  test('a part of 3.2 in a document of 3.1 is told as that', async () => {
    const readAs = (paths: string, version: string) =>
      parseDocument(
        `openapi: ${version}\ninfo: { title: T, version: '1' }\npaths:\n  /a: ${paths}\n`,
        'document.yaml',
      )
    const items = `{ "200": { description: Done., summary: Done, content: { text/event-stream: { itemSchema: {} } } } }`
    const item = `{ query: { ${done} }, additionalOperations: { COPY: { ${done} } }, get: { responses: ${items} } }`
    const notes = (await readAs(item, '3.1.1'))
      .notes()
      .filter(({ message }) => message.includes('brought it'))
    expect(notes.map(({ pointer }) => pointer.split('/').at(-1)).sort()).toEqual([
      ...['additionalOperations', 'itemSchema', 'query', 'summary'],
    ])
    expect(notes[0]?.message).toBe(
      'query says nothing here (pathItem), as OpenAPI 3.2 brought it and the document says 3.1: write `openapi: 3.2.0`, or leave it out.',
    )
    const older = await readAs(`{ get: { ${done} } }\nwebhooks: {}`, '3.0.3')
    expect(formatFaults(older.notes())).toContain('as OpenAPI 3.1 brought it and the document says 3.0')
    const whole = `{ get: { parameters: [{ in: querystring, name: q, content: { application/json: {} } }], ${done} } }`
    await expect(readAs(whole, '3.1.0')).rejects.toThrow(
      /in querystring is of OpenAPI 3\.2: write `openapi: 3\.2\.0`/,
    )
    expect(formatFaults((await readAs(item, '3.2.0')).notes())).not.toContain('brought it')
  })

  test('a part of 3.2 that is read in another way is noted', async () => {
    const notes = await Promise.all(
      names.map(async name => formatFaults((await readDocument(fileOf(name))).notes())),
    )
    expect(notes[0]).toMatch(/library.yaml:40:.*It is read as form, whose escapes/)
    expect(notes[1]).toMatch(/The items of multipart\/mixed are not read one by one/)
    expect(notes[1]).toMatch(/Parts differ by their names alone/)
    expect(notes[2]).toBe('')
  })
})
