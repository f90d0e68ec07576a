import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Bytes } from 'spec-served-document/values/schemas'
import { describe, expect, test } from 'vitest'
import { serveReading } from './support.ts'

type Result =
  | { kind: 'none' | 'missing' | 'too-large' }
  | { kind: 'read'; mediaType: string | undefined; value: unknown }
  | { kind: 'unsupported'; message: string }
  | { kind: 'malformed'; reason: string }
  | { kind: 'invalid'; faults: unknown }

/** Serves an operation with a body; sends it bodies, each with its header fields. */
async function reader(requestBody: object | undefined, limit?: number, openapi = '3.0.3') {
  const post = { ...(requestBody && { requestBody }), responses: { 200: { description: '' } } }
  let read: Result = { kind: 'none' }
  const app = await serveReading(
    { openapi, paths: { '/a': { post } } },
    ({ body: value, acceptedBody }) => {
      read =
        value === undefined ? { kind: 'none' } : { kind: 'read', mediaType: acceptedBody?.declared, value }
      return {}
    },
    { ...(limit !== undefined && { bodyBytes: limit }) },
  )
  return async (
    headers: Record<string, string | undefined>,
    payload: string | Buffer = '',
  ): Promise<Result> => {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
    const reply = await app.inject({
      method: 'POST',
      url: '/a',
      headers: sent as Record<string, string>,
      ...(payload !== '' && { payload }),
    })
    if (reply.statusCode === 200) return read
    const { code, message, details } = reply.json()
    if (code === 'unsupported_media_type') return { kind: 'unsupported', message }
    if (code === 'payload_too_large') return { kind: 'too-large' }
    if (message === 'This operation needs a body.') return { kind: 'missing' }
    if (details) return { kind: 'invalid', faults: details }
    return { kind: 'malformed', reason: /^The body (.*)\.$/.exec(message)?.[1] ?? message }
  }
}

const noJson = 'is not valid JSON'
const nameOrEnd = 'a name in double quotes or `}`'

const object = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
const list = (type: string) => ({ type: 'array', items: { type } })

/** Sends a body to an operation that takes the content given. */
async function send(
  content: object,
  type: string | undefined,
  body: string | Buffer,
  { limit = 100_000, openapi = '3.0.3' } = {},
  headers: Record<string, string> = {},
) {
  const read = await reader({ required: true, content }, limit, openapi)
  return read({ 'content-type': type, 'content-length': String(Buffer.byteLength(body)), ...headers }, body)
}

const valueIn = async (result: Promise<Awaited<ReturnType<typeof send>>>) => {
  const read = await result
  return read.kind === 'read' && !Buffer.isBuffer(read.value) ? JSON.parse(JSON.stringify(read.value)) : read
}
const invalid = (...faults: [path: string, message: string][]) => ({
  kind: 'invalid',
  faults: faults.map(([path, message]) => ({ path, message })),
})

describe('a media type', () => {
  const any = { schema: {} }
  test.each([
    [['application/json'], 'Application/JSON; Charset="UTF-8"', 'application/json'],
    [['application/json'], 'application/json;charset=latin1', 'charset'],
    [['application/json'], 'application/xml', 'type'],
    [['application/json'], 'application/jsonx', 'type'],
    [['application/json'], 'json', 'type'],
    [['application/json'], undefined, 'type'],
    [['*/*'], undefined, '*/*'],
    [['application/octet-stream'], undefined, 'application/octet-stream'],
    [['application/*', 'application/json', '*/*'], 'application/json', 'application/json'],
    [['*/*', 'application/*'], 'application/xml', 'application/*'],
    [['*/*', 'application/*'], 'image/png', '*/*'],
    [['application/*'], 'image/png', 'type'],
    [['application/vnd.a+json'], 'application/vnd.A+json', 'application/vnd.a+json'],
    [
      ['application/json; version=1', 'application/json; version=2'],
      'application/json;version=2',
      'application/json; version=2',
    ],
    [['application/json; charset=utf-8'], 'application/json', 'application/json; charset=utf-8'],
    [['application/json, text/plain'], 'application/json', 'application/json, text/plain'],
    [['application/json; version=2', 'application/json'], 'application/json', 'application/json'],
    [['application/json; version=2', 'application/json'], 'application/json; version=3', 'application/json'],
    [['application/json; version=2', 'application/*'], 'application/json', 'application/*'],
    [['application/json; version=2'], 'application/json', 'application/json; version=2'],
    [['application/json; version=2'], 'application/json; version=3', 'type'],
    [
      ['application/json; a=1', 'application/json; b=2; a=1'],
      'application/json; a=1; b=2; c=3',
      'application/json; b=2; a=1',
    ],
    [['application/*', 'application/*+json'], 'application/vnd.a+json', 'application/*+json'],
    [['application/*+json'], 'application/json', 'type'],
    [['application/*+json'], 'text/a+json', 'type'],
  ])('a body of %j, sent as %s, is %s', async (declared, type, expected) => {
    const content = Object.fromEntries(declared.map(name => [name, any]))
    const result = await send(content, type, '{"a": "something"}')
    if (['type', 'charset'].includes(expected))
      expect(result).toEqual({
        kind: 'unsupported',
        message: `Send the body as ${declared.join(' or ')} in UTF-8.`,
      })
    else expect(result).toMatchObject({ kind: 'read', mediaType: expected })
  })

  test('a compressed body is not read', async () => {
    const result = await send({ '*/*': {} }, 'a/b', 'x', {}, { 'content-encoding': 'identity, gzip' })
    expect(result).toEqual({ kind: 'unsupported', message: 'Send the body without a Content-Encoding.' })
  })
})

describe('a body whose operation has a parameter for its coding', () => {
  const parameters = [{ name: 'Content-Encoding', in: 'header', schema: { type: 'string' } }]
  const content = { 'application/json': { schema: object }, 'image/png': {} }
  const post = { parameters, requestBody: { content }, responses: { 200: { description: '' } } }
  const sent = async (payload: Buffer, coding: string, type = 'application/json') => {
    let body: unknown
    const app = await serveReading({ openapi: '3.0.3', paths: { '/a': { post } } }, request => {
      body = request.body
      return {}
    })
    const headers = { 'content-type': type, 'content-encoding': coding }
    const reply = await app.inject({ method: 'POST', url: '/a', headers, payload })
    return reply.statusCode === 200 ? body : [reply.statusCode, reply.json().message]
  }
  const json = Buffer.from('{"n":1}')
  test.each([
    ['gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', json],
  ])('is decoded: %s', async (coding, payload) => {
    expect(await sent(payload, coding)).toEqual({ n: 1 })
  })
  test('is handed on as it was sent, if it is bytes', async () => {
    expect(await sent(gzipSync(json), 'gzip', 'image/png')).toEqual(gzipSync(json))
  })
  test('is refused if it is not in that coding, in another one, or too long', async () => {
    expect(await sent(json, 'gzip')).toEqual([400, 'The body is not gzip.'])
    expect(await sent(json, 'gzip, br')).toEqual([
      415,
      'Send the body in gzip or deflate or br, or without a Content-Encoding.',
    ])
    expect(await sent(gzipSync(Buffer.alloc(2 ** 21, ' ')), 'gzip')).toEqual([
      413,
      'The body has more than 1048576 bytes once it is decoded.',
    ])
  })
})

describe('the presence of a body', () => {
  const content = { 'application/json': { schema: object } }
  test('a missing body is reported where it is required', async () => {
    const read = await reader({ required: true, content })
    expect(await read({})).toEqual({ kind: 'missing' })
    expect(await read({ 'content-length': '0' })).toEqual({ kind: 'missing' })
  })
  test('a body of any type may be missing where it is optional', async () => {
    const read = await reader({ content })
    expect(await read({})).toEqual({ kind: 'none' })
    expect(await read({ 'content-type': 'application/json', 'content-length': '0' })).toEqual({
      kind: 'none',
    })
    expect(await read({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })).toEqual({
      kind: 'none',
    })
  })
  test('a body is not read where the document has none', async () => {
    const read = await reader(undefined)
    expect(await read({ 'content-type': 'a/b' }, 'x')).toEqual({ kind: 'none' })
  })
})

describe('JSON', () => {
  const content = {
    'application/json': { schema: object },
    'application/merge-patch+json': { schema: object },
  }
  const json = (body: string | Buffer) => send(content, 'application/json', body)
  test.each(['application/json', 'application/merge-patch+json'])('as %s', async type => {
    expect(await valueIn(send(content, type, '{"n": 5}'))).toEqual({ n: 5 })
  })
  test.each([
    ['{"n": "5"}', invalid(['/n', 'must be integer'])],
    ['{}', invalid(['/n', 'is required'])],
    [
      '{',
      { kind: 'malformed', reason: `${noJson}: line 1, column 2: expected ${nameOrEnd} and found the end` },
    ],
    [' ', { kind: 'malformed', reason: 'is empty; send a JSON value' }],
    [Buffer.from('{"n": "\xff"}', 'latin1'), { kind: 'malformed', reason: 'is not UTF-8' }],
  ])('%s', async (body, expected) => {
    expect(await json(body)).toEqual(expected)
  })
  test('a JSON body that is too long is refused', async () => {
    expect(await send(content, 'application/json', '{"n":5}', { limit: 5 })).toEqual({ kind: 'too-large' })
  })
})

describe('texts and bytes', () => {
  test('a text is read', async () => {
    expect(await valueIn(send({ 'text/plain': { schema: { type: 'string' } } }, 'text/plain', 'ä'))).toBe('ä')
  })
  test('a text is read in its character set', async () => {
    const sent = send({ 'text/*': {} }, 'text/plain; charset=iso-8859-1', Buffer.from('ä', 'latin1'))
    expect(await valueIn(sent)).toBe('ä')
  })
  test('a number is read from a text', async () => {
    const content = { 'text/plain': { schema: { type: 'integer' } } }
    expect(await valueIn(send(content, 'text/plain', '5'))).toBe(5)
    expect(await send(content, 'text/plain', 'x')).toEqual(invalid(['', 'must be integer']))
  })
  test('a text of another media type is not parsed', async () => {
    expect(await valueIn(send({ 'text/xml': { schema: object } }, 'text/xml', '<n>5</n>'))).toBe('<n>5</n>')
  })
  test.each(['application/octet-stream', 'application/xml', 'image/png'])('bytes, as %s', async type => {
    const bytes = Buffer.from([0, 255, 1])
    expect(await send({ [type]: { schema: object } }, type, bytes)).toEqual({
      kind: 'read',
      mediaType: type,
      value: bytes,
    })
  })
})

describe('bytes', () => {
  const binary = { schema: { type: 'string', format: 'binary' } }
  test.each([
    ['*/*', binary, 'application/json'],
    ['*/*', {}, 'application/json'],
    ['application/*', binary, 'application/x-www-form-urlencoded'],
    ['text/csv', binary, 'text/csv'],
    ['image/*', {}, 'image/svg+xml'],
    ['image/png', { schema: { type: 'string', contentMediaType: 'image/png' } }, 'image/png'],
    ['application/octet-stream', {}, undefined],
  ])('a body declared as %s %j is read as bytes when sent as %s', async (declared, media, type) => {
    const bytes = Buffer.from('{"a":\xff', 'latin1')
    const sent = send({ [declared]: media }, type, bytes, { openapi: '3.1.0' })
    expect(await sent).toMatchObject({ value: bytes })
  })
  test('JSON described as bytes, and JSON in a range with a schema, are read as JSON', async () => {
    expect(await valueIn(send({ 'application/json': binary }, 'application/json', '"a"'))).toBe('a')
    expect(await valueIn(send({ '*/*': { schema: object } }, 'application/json', '{"n":1}'))).toEqual({
      n: 1,
    })
  })
})

describe('a form', () => {
  const type = 'application/x-www-form-urlencoded'
  const form = (shape: object, body: string, encoding: object = {}) =>
    send({ [type]: { schema: shape, encoding } }, type, body)
  const properties = {
    n: { type: 'integer', default: 3 },
    tags: list('string'),
    flag: { type: 'boolean' },
    address: { type: 'object', properties: { street: { type: 'string' }, no: { type: 'integer' } } },
    lines: { type: 'array', items: { type: 'object', properties: { no: { type: 'integer' } } } },
    rows: { type: 'array', items: list('integer') },
  }
  const schema = { type: 'object', properties, required: ['tags'] }
  test.each([
    ['n=5&tags=a+b&tags=c%2Cd&flag=true', {}, { n: 5, tags: ['a b', 'c,d'], flag: true }],
    ['tags=a', {}, { n: 3, tags: ['a'] }],
    ['tags=a,b%2Cc', { tags: { style: 'form', explode: false } }, { n: 3, tags: ['a', 'b,c'] }],
    ['tags=a|b', { tags: { style: 'pipeDelimited', explode: false } }, { n: 3, tags: ['a', 'b'] }],
    ['tags=a&street=x&no=1', {}, { n: 3, tags: ['a'], address: { street: 'x', no: 1 } }],
    ['tags=a&address={"no":1}', {}, { n: 3, tags: ['a'], address: { no: 1 } }],
    ['tags=a&address[no]=1', { address: { style: 'deepObject' } }, { n: 3, tags: ['a'], address: { no: 1 } }],
    ['tags=["a"]', { tags: { contentType: 'application/json' } }, { n: 3, tags: ['a'] }],
    ['tags="a"&tags="b"', { tags: { contentType: 'application/json' } }, { n: 3, tags: ['a', 'b'] }],
    ['tags=a&lines={"no":1}&lines={"no":2}', {}, { n: 3, tags: ['a'], lines: [{ no: 1 }, { no: 2 }] }],
    ['tags=a&lines={"no":1}', {}, { n: 3, tags: ['a'], lines: [{ no: 1 }] }],
    ['tags=a&lines=[{"no":1}]', {}, { n: 3, tags: ['a'], lines: [{ no: 1 }] }],
    ['tags=a&rows=[1,2]&rows=[]', {}, { n: 3, tags: ['a'], rows: [[1, 2], []] }],
    ['tags=a&rows=[[1,2]]', {}, { n: 3, tags: ['a'], rows: [[1, 2]] }],
    ['tags=a&other=1&more=1&more=2', {}, { n: 3, tags: ['a'], other: '1', more: ['1', '2'] }],
    ['tags=a&__proto__=1', {}, JSON.parse('{"n":3,"tags":["a"],"__proto__":"1"}')],
    ['', {}, { kind: 'none' }],
  ])('a form is read: %s %j', async (body, encoding, expected) => {
    const read = await reader({ content: { [type]: { schema, encoding } } })
    const sent = read({ 'content-type': type, 'content-length': String(body.length) }, body)
    expect(await valueIn(sent)).toEqual(expected)
  })
  test.each([
    ['n=1', invalid(['/tags', 'is required'])],
    ['n=x&tags=a', invalid(['/n', 'must be integer'])],
    ['n=1&n=2', invalid(['/n', 'is given more than once'])],
    ['tags=a&lines={"no":"x"}&lines={}', invalid(['/lines/0/no', 'must be integer'])],
    ['n=%', { kind: 'malformed', reason: 'holds a broken percent-encoding' }],
    ['a&'.repeat(10_001), { kind: 'malformed', reason: 'holds more than 10000 fields' }],
  ])('a form is refused: %.20s', async (body, expected) => {
    expect(await form(schema, body)).toEqual(expected)
  })
  test('a form of too many items is refused', async () => {
    const result = send(
      { [type]: { schema, encoding: { tags: { explode: false } } } },
      type,
      `tags=${'%00,'.repeat(20_000)}`,
    )
    expect(await result).toEqual(invalid(['/tags', 'holds more than 10000 items']))
  })
  test('a form of a closed schema is refused for an unknown field', async () => {
    const closed = { ...schema, additionalProperties: false }
    expect(await form(closed, 'tags=a&other=1')).toEqual(invalid(['/other', 'is not known']))
  })
})

describe('a form of several parts', () => {
  const type = 'multipart/form-data'
  type Sent = [header: string, data: string | Buffer]
  const bodyOf = (parts: readonly Sent[], end = '--xx--\r\n') =>
    Buffer.concat([
      ...parts.flatMap(([header, data]) => [
        Buffer.from(`--xx\r\nContent-Disposition: form-data; ${header}\r\n\r\n`),
        Buffer.from(data),
        Buffer.from('\r\n'),
      ]),
      Buffer.from(end),
    ])
  const properties = {
    n: { type: 'integer' },
    tags: list('integer'),
    meta: { type: 'object', properties: { no: { type: 'integer' } } },
    file: { type: 'string', format: 'binary' },
    files: { type: 'array', items: { type: 'string', format: 'binary' }, maxItems: 2 },
    objects: { type: 'array', items: { type: 'object', required: ['no'] } },
  }
  const form = (parts: readonly Sent[], encoding: object = {}, end?: string) =>
    send(
      { [type]: { schema: { type: 'object', properties }, encoding } },
      `${type}; boundary=xx`,
      bodyOf(parts, end),
    )

  test.each<[string, Sent[], object, object]>([
    [
      'values',
      [
        ['name=n', '5'],
        ['name="tags"', '1'],
        ['name="tags"', '2'],
      ],
      {},
      { n: 5, tags: [1, 2] },
    ],
    ['an object, which is JSON', [['name="meta"', '{"no":1}']], {}, { meta: { no: 1 } }],
    [
      'an object that says so',
      [['name="meta"; filename="blob"\r\nContent-Type: application/json', '{"no":1}']],
      {},
      { meta: { no: 1 } },
    ],
    ['a list in JSON', [['name="tags"\r\nContent-Type: application/json', '[1,2]']], {}, { tags: [1, 2] }],
    [
      'a list of one object',
      [['name="objects"\r\nContent-Type: application/json', '{"no":1}']],
      {},
      { objects: [{ no: 1 }] },
    ],
    ['a whole list of objects as text', [['name="objects"', '[{"no":1}]']], {}, { objects: [{ no: 1 }] }],
    [
      'objects of a list',
      [
        ['name="objects"', '{"no":1}'],
        ['name="objects"\r\nContent-Type: application/json', '{"no":2}'],
      ],
      {},
      { objects: [{ no: 1 }, { no: 2 }] },
    ],
    ['a text in JSON', [['name="n"\r\nContent-Type: application/json', '5']], {}, { n: 5 }],
    ['another text', [['name="n"\r\nContent-Type: text/html', '5']], {}, { n: 5 }],
    ['further texts', [['name="ä ö"', 'ü']], {}, { 'ä ö': 'ü' }],
    ['names as any other', [['name="__proto__"', 'x']], {}, JSON.parse('{"__proto__":"x"}')],
  ])('a form of several parts: %s', async (_, parts, encoding, expected) => {
    expect(await valueIn(form(parts, encoding))).toEqual(expected)
  })

  test('files of a form are read with their names and types', async () => {
    const data = Buffer.from([0, 255, 13, 10])
    const result = await form([
      ['name="file"; filename="../a b.png"\r\nContent-Type: image/png', data],
      ['name="files"', data],
      ['name="other"; filename="c"', data],
    ])
    expect(result).toMatchObject({
      kind: 'read',
      value: {
        file: new Bytes(data, 'image/png', 'a b.png'),
        files: [new Bytes(data, 'text/plain', undefined)],
        other: new Bytes(data, 'text/plain', 'c'),
      },
    })
  })

  test.each(['application/octet-stream', 'application/octet-stream; a=b'])(
    'files that are described as %s are bytes of any type, singly and in lists',
    async contentMediaType => {
      const bytes = { type: 'string', contentMediaType }
      const fields = { one: bytes, some: { type: 'array', items: bytes } }
      const content = {
        [type]: { schema: { type: 'object', properties: fields } },
        'image/*': { schema: bytes },
      }
      const parts = ['one', 'some', 'some'].map(
        (name): Sent => [`name="${name}"; filename="a.png"\r\nContent-Type: image/png`, 'x'],
      )
      const file = new Bytes(Buffer.from('x'), 'image/png', 'a.png')
      const result = await send(content, `${type}; boundary=xx`, bodyOf(parts), { openapi: '3.1.0' })
      expect(result).toMatchObject({ value: { one: file, some: [file, file] } })
      expect(await send(content, 'image/png', 'x', { openapi: '3.1.0' })).toMatchObject({
        value: Buffer.from('x'),
      })
    },
  )

  test('files whose type their schema names are read as that', async () => {
    const png = { type: 'string', contentMediaType: 'image/png' }
    const content = { [type]: { schema: { type: 'object', properties: { image: png } } } }
    const image = (sent: string) =>
      send(content, `${type}; boundary=xx`, bodyOf([[`name="image"${sent}`, 'x']]), { openapi: '3.1.0' })
    expect(await image('\r\nContent-Type: image/png')).toMatchObject({
      value: { image: new Bytes(Buffer.from('x'), 'image/png', undefined) },
    })
    for (const sent of ['\r\nContent-Type: image/gif', ''])
      expect(await image(sent)).toEqual(invalid(['/image', 'must be sent as image/png']))
  })

  test.each<[string, Sent[], object, object]>([
    ['a value', [['name="n"', 'x']], {}, invalid(['/n', 'must be integer'])],
    [
      'two of one',
      [
        ['name="n"', '1'],
        ['name="n"', '1'],
      ],
      {},
      invalid(['/n', 'is given more than once']),
    ],
    [
      'an item',
      [
        ['name="tags"', '1'],
        ['name="tags"', 'x'],
      ],
      {},
      invalid(['/tags/1', 'must be integer']),
    ],
    [
      'too many files',
      [
        ['name="files"', ''],
        ['name="files"', ''],
        ['name="files"', ''],
      ],
      {},
      invalid(['/files', 'must have at most 2 items']),
    ],
    [
      'broken JSON',
      [['name="meta"', '{']],
      {},
      invalid(['/meta', `${noJson}: line 1, column 2: expected ${nameOrEnd} and found the end`]),
    ],
    ['within JSON', [['name="meta"', '{"no":"1"}']], {}, invalid(['/meta/no', 'must be integer'])],
    [
      'another type than the document has',
      [['name="file"; filename="a"\r\nContent-Type: text/html', 'x']],
      { file: { contentType: 'image/png, image/*' } },
      invalid(['/file', 'must be sent as image/png, image/*']),
    ],
    ...[
      ['n', 'application/octet-stream', 'text/*, application/json'],
      ['n', 'image/png', 'text/*, application/json'],
      ['meta', 'application/xml', 'application/json, text/plain'],
    ].map(([name, sent, taken]): [string, Sent[], object, object] => [
      `${name} as ${sent}`,
      [[`name="${name}"\r\nContent-Type: ${sent}`, '1']],
      {},
      invalid([`/${name}`, `must be sent as ${taken}`]),
    ]),
    [
      'a file without its type',
      [['name="file"', 'x']],
      { file: { contentType: 'image/*' } },
      invalid(['/file', 'must be sent as image/*']),
    ],
    ['bytes for a text', [['name="a"', Buffer.from([255])]], {}, invalid(['/a', 'is not UTF-8'])],
    ['NUL', [['name="a"', '\0']], {}, invalid(['/a', 'must not hold a NUL character'])],
    ['no name', [['filename="a"', '']], {}, { kind: 'malformed', reason: 'has a part without a name' }],
    [
      'a long name',
      [[`name="${'a'.repeat(201)}"`, '']],
      {},
      { kind: 'malformed', reason: 'has a part whose name is longer than 200 characters' },
    ],
  ])('a form of parts is refused: %s', async (_, parts, encoding, expected) => {
    expect(await form(parts, encoding)).toEqual(expected)
  })

  test('a form of many parts is refused', async () => {
    const parts = Array.from({ length: 1_001 }, (): Sent => ['name="a"', ''])
    expect(await form(parts)).toEqual({ kind: 'malformed', reason: 'has more than 1000 parts' })
    expect(await form(parts.slice(1))).toMatchObject({ kind: 'read' })
  })

  test.each([
    [
      'that breaks off',
      `${type}; boundary=xx`,
      '--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc',
    ],
    ['with another boundary', `${type}; boundary=yy`, bodyOf([['name="a"', 'x']])],
    ['without a boundary', type, bodyOf([['name="a"', 'x']])],
    ['that is a text', `${type}; boundary=xx`, 'Hello'],
  ])('a form with one %s is refused', async (_, sent, body) => {
    expect(await send({ [type]: {} }, sent, body)).toMatchObject({ kind: 'malformed' })
  })
})
