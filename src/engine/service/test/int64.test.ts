import type { FastifyInstance } from 'fastify'
import { contractOf } from 'spec-served-cli/internal/generate/contract'
import { keepExactNumbers } from 'spec-served-cli/internal/generate/exact-numbers'
import { openMemoryParts } from 'spec-served-cli/internal/local/memory-parts'
import { standInsFor } from 'spec-served-cli/internal/mock/serve'
import { modelOf } from 'spec-served-document/model'
import { parseDocument } from 'spec-served-document/reading/read'
import { agentOf, formerClient } from 'spec-served-lab/support/agents'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createEngine } from '../engine.ts'
import { createReplyChecker } from '../validation/replies.ts'
import { registerReplyCheck } from '../validation/reply-checks.ts'

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n
const odd = 9007199254740993n // no double

const document = `
openapi: 3.1.0
info: { title: Counters, version: 1.0.0 }
components:
  schemas:
    Whole: { type: integer, format: int64 }
    Bounded: { type: integer, format: int64, minimum: -9007199254740993, exclusiveMaximum: 9223372036854775807 }
    Listed: { type: integer, format: int64, enum: [1, 9007199254740993] }
    Odd: { allOf: [{ $ref: '#/components/schemas/Whole' }, { maximum: 9007199254740993 }] }
    Unit: { type: integer, format: int64, multipleOf: 3 }
    Usual: { type: integer, format: int64, default: 9007199254740993 }
    Body:
      type: object
      additionalProperties: false
      properties:
        whole: { $ref: '#/components/schemas/Whole' }
        maybe: { type: [integer, 'null'], format: int64 }
        bounded: { $ref: '#/components/schemas/Bounded' }
        listed: { $ref: '#/components/schemas/Listed' }
        odd: { $ref: '#/components/schemas/Odd' }
        unit: { $ref: '#/components/schemas/Unit' }
        usual: { $ref: '#/components/schemas/Usual' }
        span: { type: object, properties: { from: { $ref: '#/components/schemas/Whole' } }, default: { from: 9007199254740993 } }
        all: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Whole' } }
        deep: { type: object, additionalProperties: { type: array, items: { $ref: '#/components/schemas/Whole' } } }
        either: { oneOf: [{ type: object, required: [n], properties: { n: { $ref: '#/components/schemas/Whole' } } }, { type: string }] }
        plain: { type: integer }
        number: { type: number }
        any: {}
    Reply: { type: object, properties: { n: { $ref: '#/components/schemas/Whole' }, bounded: { $ref: '#/components/schemas/Bounded' }, plain: { type: number } } }
    Hidden: { type: object, properties: { n: { $ref: '#/components/schemas/Whole' }, secret: { type: string, writeOnly: true } } }
    Open: { allOf: [{ $ref: '#/components/schemas/Reply' }], unevaluatedProperties: { $ref: '#/components/schemas/Whole' } }
paths:
  /hidden:
    get:
      operationId: hidden
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Hidden' } } } } }
  /open:
    post:
      operationId: open
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Open' } } } }
      responses: { '200': { description: ok } }
  /bodies:
    post:
      operationId: send
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Body' } } } }
      responses: { '200': { description: ok } }
    put:
      operationId: replace
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Body' } } } }
      responses: { '200': { description: ok } }
  /roots:
    post:
      operationId: root
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Whole' } } } }
      responses: { '200': { description: ok } }
  /lines:
    post:
      operationId: lines
      requestBody: { content: { application/jsonl: { schema: { type: array, items: { $ref: '#/components/schemas/Reply' } } } } }
      responses: { '200': { description: ok } }
  /forms:
    post:
      operationId: form
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Body' } }
          multipart/form-data: { schema: { $ref: '#/components/schemas/Body' } }
      responses: { '200': { description: ok } }
  /paths/{n}:
    get:
      operationId: parameters
      parameters:
        - { name: n, in: path, required: true, schema: { $ref: '#/components/schemas/Whole' } }
        - { name: all, in: query, schema: { type: array, items: { $ref: '#/components/schemas/Whole' } } }
        - { name: of, in: query, style: deepObject, schema: { type: object, properties: { n: { $ref: '#/components/schemas/Whole' } } } }
        - { name: bounded, in: query, schema: { $ref: '#/components/schemas/Bounded' } }
        - { name: usual, in: query, schema: { $ref: '#/components/schemas/Usual' } }
        - { name: either, in: query, schema: { oneOf: [{ $ref: '#/components/schemas/Whole' }, { type: boolean }] } }
        - { name: json, in: query, content: { application/json: { schema: { $ref: '#/components/schemas/Reply' } } } }
        - { name: X-Whole, in: header, schema: { $ref: '#/components/schemas/Whole' } }
        - { name: whole, in: cookie, schema: { $ref: '#/components/schemas/Whole' } }
      responses: { '200': { description: ok } }
  /replies:
    get:
      operationId: reply
      responses:
        '200':
          description: ok
          headers: { X-Whole: { schema: { $ref: '#/components/schemas/Whole' } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Reply' } } }
  /events:
    get:
      operationId: events
      responses:
        '200': { description: ok, content: { application/jsonl: { schema: { type: array, items: { $ref: '#/components/schemas/Reply' } } } } }
`

/** The last input of a handler. */
let got: Record<string, unknown> = {}
/** The reply of a handler. */
let reply: { body?: unknown; headers?: Record<string, unknown> } = {}

/** The contract, as it is read of generated files. */
async function contractWith(hasBigints: boolean) {
  const read = await parseDocument(document, 'counters.yaml')
  if (hasBigints) keepExactNumbers(read)
  const model = { ...modelOf(JSON.parse(JSON.stringify(read.document))), hasBigints }
  return { contract: contractOf(document, model), model }
}

async function serving(hasBigints: boolean, isChecked = false) {
  const { contract, model } = await contractWith(hasBigints)
  const handlers = Object.fromEntries(
    model.operations.map(({ id }) => [
      id,
      async (input: object) => {
        got = { ...input }
        return { status: 200, ...reply }
      },
    ]),
  )
  const log: string[] = []
  const app = await createEngine(contract, handlers, await openMemoryParts(contract, {}), {
    ...(isChecked && { prepare: (instance: FastifyInstance) => registerReplyCheck(instance, model) }),
    logger: { level: 'error', stream: { write: (line: string) => log.push(line) } },
  })
  await app.ready()
  return { app, log, model }
}

describe('with the setting', () => {
  let app: FastifyInstance
  beforeAll(async () => {
    app = (await serving(true)).app
    return () => app.close()
  })

  /** Sends a text of JSON. @returns the body that the handler got, or the details of the refusal */
  async function send(
    payload: string,
    url = '/bodies',
    method: 'POST' | 'PUT' = 'POST',
    type = 'application/json',
  ) {
    reply = {}
    const { statusCode, body } = await app.inject({ method, url, payload, headers: { 'content-type': type } })
    return statusCode === 200 ? got.body : JSON.parse(body).details
  }

  test.each([least, -odd, -1n, 0n, 7n, odd, most])(
    'a body’s %s arrives as it was sent, wherever it stands',
    async n => {
      const places = `"whole":${n},"maybe":${n},"all":[${n}],"deep":{"a/b":[1,${n}]},"either":{"n":${n}}`
      expect(await send(`{${places}}`)).toMatchObject({
        ...{ whole: n, maybe: n, all: [n], deep: { 'a/b': [1n, n] }, either: { n } },
      })
      expect(await send(String(n), '/roots')).toBe(n)
      expect(await send(`{"n":${n},"more":${n}}`, '/open')).toEqual({ n, more: n })
      expect(await send(`{"n":${n}}\n{"n":1}`, '/lines', 'POST', 'application/jsonl')).toEqual([
        { n },
        { n: 1n },
      ])
      const form = `whole=${n}&all=${n}&all=5`
      expect(await send(form, '/forms', 'POST', 'application/x-www-form-urlencoded')).toMatchObject({
        ...{ whole: n, all: [n, 5n] },
      })
      const part = `--x\r\nContent-Disposition: form-data; name="whole"\r\n\r\n${n}\r\n--x--\r\n`
      expect(await send(part, '/forms', 'POST', 'multipart/form-data; boundary=x')).toMatchObject({
        whole: n,
      })
    },
  )

  test('a whole number is one however it is written', async () => {
    expect(await send('{"whole":9007199254740993.0,"maybe":null,"odd":9.007199254740993e15}')).toMatchObject({
      ...{ whole: odd, maybe: null, odd },
    })
  })

  test.each([
    ['{"whole":9223372036854775808}', '/whole', `must be at most ${most}`],
    ['{"whole":-9223372036854775809}', '/whole', `must be at least ${least}`],
    ['{"whole":1e300}', '/whole', `must be at most ${most}`],
    ['{"all":[1,99999999999999999999]}', '/all/1', `must be at most ${most}`],
    ['{"whole":1.5}', '/whole', 'must be integer'],
    ['{"whole":"1"}', '/whole', 'must be integer'],
    ['{"whole":9007199254740993.5}', '/whole', 'must be a number that a double holds without a change'],
    ['{"bounded":-9007199254740994}', '/bounded', 'must be at least -9007199254740993'],
    ['{"bounded":9223372036854775807}', '/bounded', 'must be less than 9223372036854775807'],
    ['{"listed":9007199254740992}', '/listed', 'must be one of 1, 9007199254740993'],
    ['{"odd":9007199254740994}', '/odd', 'must be at most 9007199254740993'],
    ['{"unit":9007199254740994}', '/unit', 'must be a multiple of 3'],
    ['{"all":[9007199254740993,9007199254740993]}', '/all', 'must not hold an item twice'],
    ['{"plain":9007199254740993}', '/plain', 'must be a number that a double holds without a change'],
    ['{"any":{"x":[9007199254740993]}}', '/any/x/0', 'must be a number that a double holds without a change'],
  ])('%s is refused with its place', async (payload, path, message) => {
    expect(await send(payload)).toEqual([{ path, message }])
  })

  test('bounds beyond 2^53 are exact', async () => {
    const values = { bounded: -odd, listed: odd, odd, unit: 9007199254740993n, all: [odd, odd - 1n] }
    const text = Object.entries(values).map(
      ([name, value]) => `"${name}":${Array.isArray(value) ? `[${value}]` : value}`,
    )
    expect(await send(`{${text}}`)).toMatchObject(values)
    expect(await send('{"bounded":9223372036854775806,"listed":1}')).toMatchObject({
      bounded: most - 1n,
      listed: 1n,
    })
  })

  test('other numbers stay numbers, and defaults are bigints', async () => {
    expect(await send('{"plain":5,"number":1e21,"any":[1,2.5]}')).toEqual({
      ...{ plain: 5, number: 1e21, any: [1, 2.5], usual: odd, span: { from: odd } },
    })
    expect(await send('{}', '/bodies', 'PUT')).toMatchObject({ usual: odd, span: { from: odd }, whole: null })
  })

  test.each([least, 0n, 12n, odd, most])('the parameter %s arrives as it was sent', async n => {
    const json = encodeURIComponent(`{"n":${n}}`)
    const query = `all=${n},3&of[n]=${n}&either=${n}&json=${json}`.replace(`${n},3`, `${n}&all=3`)
    const headers = { 'x-whole': String(n), cookie: `whole=${n}` }
    const { statusCode, body } = await app.inject({ url: `/paths/${n}?${query}`, headers })
    expect([statusCode, body]).toEqual([200, expect.anything()])
    expect(got).toMatchObject({
      path: { n },
      query: { all: [n, 3n], of: { n }, either: n, json: { n }, usual: odd },
      headers: { 'x-whole': n },
      cookie: { whole: n },
    })
  })

  test.each([
    ['/paths/9223372036854775808', '/path/n', `must be at most ${most}`],
    ['/paths/1.5', '/path/n', 'must be integer'],
    ['/paths/1?all=1&all=-9223372036854775809', '/query/all/1', `must be at least ${least}`],
    ['/paths/1?bounded=9223372036854775807', '/query/bounded', `must be less than ${most}`],
  ])('%s is refused with its place', async (url, path, message) => {
    const { statusCode, body } = await app.inject(url)
    expect([statusCode, JSON.parse(body).details]).toEqual([400, [{ path, message }]])
  })
})

describe('replies with the setting', () => {
  async function answered(given: typeof reply, url = '/replies', isChecked = false) {
    const { app, log } = await serving(true, isChecked)
    onTestFinished(() => app.close())
    reply = given
    const { statusCode: status, body, headers } = await app.inject(url)
    return { status, body, type: headers['content-type'], header: headers['x-whole'], log: log.join('\n') }
  }

  test.each([least, -odd, 0n, odd, most])(
    '%s is sent as a number of JSON, and in a header field',
    async n => {
      const given = { headers: { 'X-Whole': n }, body: { n, plain: 1e21 } }
      const type = 'application/json; charset=utf-8'
      const sent = { type, status: 200, body: `{"n":${n},"plain":1e+21}`, header: String(n) }
      expect(await answered(given)).toMatchObject(sent)
      expect(await answered(given, '/replies', true)).toMatchObject(sent)
      expect(given.body.n).toBe(n)
      expect((await answered({ body: [{ n }, { n: 1n }] }, '/events', true)).body).toBe(
        `{"n":${n}}\n{"n":1}\n`,
      )
    },
  )

  test('a bigint of more than 64 bits is a 500, whose cause the log names', async () => {
    const beyond = { body: { n: most + 1n } }
    expect(await answered(beyond)).toMatchObject({
      status: 500,
      log: expect.stringContaining(
        'The property n is 9223372036854775808, beyond the whole numbers of 64 bits',
      ),
    })
    expect(await answered(beyond, '/replies', true)).toMatchObject({
      status: 500,
      log: expect.stringContaining(`the body/n must be at most ${most}`),
    })
    expect(await answered({ headers: { 'X-Whole': least - 1n }, body: {} })).toMatchObject({
      status: 500,
      log: expect.stringContaining('The header X-Whole is -9223372036854775809'),
    })
  })

  test('an agent reads the same digits', async () => {
    const { app } = await serving(true)
    onTestFinished(() => app.close())
    reply = { body: { n: most } }
    const client = await formerClient({
      url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`,
      headers: {},
    })
    onTestFinished(() => client.close())
    expect((await agentOf(client).call('reply')).text).toBe(`{"n":${most}}`)
  })

  test('a property that no reply shows is left out, and the digits of others stay', async () => {
    expect((await answered({ body: { n: odd, secret: 'sesame' } }, '/hidden')).body).toBe(`{"n":${odd}}`)
  })

  test('a reply that is checked after it was sent fits', async () => {
    const outcomes: string[] = []
    const { contract } = await contractWith(true)
    const handlers = Object.fromEntries(
      contract.model.operations.map(({ id }) => [
        id,
        async () => ({ status: 200, body: { n: most, bounded: most - 1n, plain: 1e21 } }),
      ]),
    )
    const observeReply = (_: string, outcome: string) => void outcomes.push(outcome)
    const parts = await openMemoryParts(contract, {})
    const app = await createEngine(contract, handlers, parts, { checkReplies: 1, observeReply })
    onTestFinished(() => app.close())
    await app.inject('/replies')
    await vi.waitFor(() => expect(outcomes).toEqual(['fits']))
  })

  test('a bigint in the place of another number is a fault of the reply', async () => {
    const { model } = await serving(true)
    const check = createReplyChecker(model)
    const headers = { 'content-type': 'application/json' }
    expect(check('reply', { status: 200, headers, body: { n: odd, plain: odd } })).toEqual([
      'reply 200: the body/plain must be a number that a double holds without a change',
    ])
  })
})

test('an operation without a handler answers from the document', async () => {
  const { contract } = await contractWith(true)
  const { handler } = standInsFor(contract)
  if (!handler) throw new Error('There are no stand-ins')
  const handlers = Object.fromEntries(
    contract.model.operations.map(({ id, ...more }) => [id, handler({ id, ...more })]),
  )
  const app = await createEngine(contract, handlers, await openMemoryParts(contract, {}), {})
  onTestFinished(() => app.close())
  const payload = { whole: 5, all: [1], usual: 3 }
  expect((await app.inject({ method: 'POST', url: '/bodies', payload })).statusCode).toBe(200)
  expect((await app.inject(`/paths/${most}?all=${odd}`)).statusCode).toBe(200)
  expect((await app.inject('/replies')).json()).toMatchObject({ n: expect.any(Number) })
})

test('without the setting a number beyond 2^53 − 1 is refused with the limit', async () => {
  const { app } = await serving(false)
  onTestFinished(() => app.close())
  reply = {}
  const limit = 'that a double holds without a change, as those up to 2^53 − 1 (9007199254740991)'
  expect(JSON.parse((await app.inject(`/paths/${odd}?all=${most}`)).body).details).toEqual([
    { path: '/path/n', message: `must be integer ${limit}` },
  ])
  expect(JSON.parse((await app.inject(`/paths/1?all=${most}`)).body).details).toEqual([
    { path: '/query/all/0', message: `must be integer ${limit}` },
  ])
  const { body } = await app.inject({ method: 'POST', url: '/bodies', payload: { whole: 5 } })
  expect([body, got.body]).toEqual(['', expect.objectContaining({ whole: 5 })])
})
