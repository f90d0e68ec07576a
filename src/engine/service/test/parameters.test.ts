import { unitsOf } from 'spec-served-lab/support/cost'
import { describe, expect, test } from 'vitest'
import type { Checkers } from '../callers/security.ts'
import { serveReading } from './support.ts'

/** The parts of a request that hold parameters. */
interface ParameterSource {
  url: string
  headers: Record<string, string>
}

const list = (type: string) => ({ type: 'array', items: { type } })
const colour = { type: 'object', properties: { R: { type: 'integer' }, G: { type: 'integer' } } }

/** Reads a request to an operation with the parameters given; `{x}` of its path is the parameter `x`. */
async function reader(
  parameters: readonly object[],
  parts: object = {},
  operation: object = {},
  checkers: Checkers = {},
) {
  const isInPath = parameters.some(parameter => 'in' in parameter && parameter.in === 'path')
  const path = isInPath ? '/a/{x}' : '/a'
  const get = { parameters, responses: { 200: { description: '' } }, ...operation }
  const names = namesIn(parameters, 'header')
  const app = await serveReading(
    { paths: { [path]: { get } }, ...parts },
    request => {
      const { params, query, cookieParameters: cookie = {}, headers } = request
      const header = Object.fromEntries(
        names.flatMap(name => (name in headers ? [[name, headers[name]]] : [])),
      )
      return { values: { path: params, query, header, cookie }, faults: [] }
    },
    { checkers },
  )
  return async ({ url, headers }: ParameterSource): Promise<Read> => {
    const reply = await app.inject({ url, headers })
    const { values = {}, faults, details = [], message } = reply.json()
    return { values, faults: faults ?? details, message }
  }
}

interface Read {
  values: { query?: object }
  faults: { path: string; message: string }[]
  message: string | undefined
}

const namesIn = (parameters: readonly object[], place: string) =>
  parameters.flatMap(parameter =>
    'in' in parameter && parameter.in === place && 'name' in parameter
      ? [String(parameter.name).toLowerCase()]
      : [],
  )

const fault = (path: string, message: string) => ({ path, message })

type Case = [what: string, parameter: object, sent: string, value: unknown]
const blue = ['blue', 'black']
const rg = { R: 100, G: 200 }

const queryCases: Case[] = [
  ['a text', { schema: { type: 'string' } }, 'x=a%20b+c%2Bd', 'a b c+d'],
  ['an empty text', { schema: { type: 'string' } }, 'x=', ''],
  ['a name alone', { schema: { type: 'string' } }, 'x', ''],
  ['a number', { schema: { type: 'number' } }, 'x=-1.50e2', -150],
  ['a boolean', { schema: { type: 'boolean' } }, 'x=true', true],
  ['an exploded list', { schema: list('string') }, 'x=a,b&x=c', ['a,b', 'c']],
  ['an exploded list of one', { schema: list('integer') }, 'x=1', [1]],
  ['a list with commas', { explode: false, schema: list('string') }, 'x=a,b%2Cc', ['a', 'b,c']],
  ['a list with commas, repeated', { explode: false, schema: list('integer') }, 'x=1,2&x=3', [1, 2, 3]],
  ['a list with spaces', { style: 'spaceDelimited', schema: list('string') }, 'x=blue%20black', blue],
  ['a list with plus signs', { style: 'spaceDelimited', schema: list('string') }, 'x=blue+black', blue],
  ['a list with bars', { style: 'pipeDelimited', schema: list('string') }, 'x=blue|black', blue],
  ['a list with encoded bars', { style: 'pipeDelimited', schema: list('string') }, 'x=blue%7Cblack', blue],
  [
    'an exploded list that names a delimiter',
    { style: 'pipeDelimited', explode: true, schema: list('string') },
    'x=a|b&x=c',
    ['a|b', 'c'],
  ],
  ['an exploded object', { schema: colour }, 'R=100&G=200', rg],
  ['an object with commas', { explode: false, schema: colour }, 'x=R,100,G,200', rg],
  ['a deep object', { style: 'deepObject', explode: true, schema: colour }, 'x[R]=100&x%5BG%5D=200', rg],
  [
    'a deeper object',
    {
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', properties: { a: { type: 'object', properties: { b: list('integer') } } } },
    },
    'x[a][b]=1&x[a][b]=2',
    { a: { b: [1, 2] } },
  ],
  ['a deep list', { style: 'deepObject', explode: true, schema: list('integer') }, 'x[]=1&x[]=2', [1, 2]],
  [
    'a deep list by index',
    { style: 'deepObject', explode: true, schema: list('integer') },
    'x[0]=1&x[1]=2',
    [1, 2],
  ],
  [
    'a deep object or a number',
    { style: 'deepObject', explode: true, schema: { anyOf: [colour, { type: 'integer' }] } },
    'x=7',
    7,
  ],
  [
    'JSON',
    { content: { 'application/json': { schema: colour } } },
    `x=${encodeURIComponent('{"R":100,"G":200}')}`,
    rg,
  ],
  [
    'objects in JSON, one in each pair',
    { schema: { type: 'array', items: colour } },
    `x=${encodeURIComponent('{"R":100,"G":200}')}&x=${encodeURIComponent('{"R":1}')}`,
    [rg, { R: 1 }],
  ],
  ['JSON with a text', { content: { 'application/json': { schema: { type: 'string' } } } }, 'x=%221%22', '1'],
  ['another content', { content: { 'text/plain': { schema: { type: 'string' } } } }, 'x=%221%22', '"1"'],
  [
    'a union, by its numbers',
    { schema: { oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^a' }] } },
    'x=5',
    5,
  ],
  [
    'a union, by its texts',
    { schema: { oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^a' }] } },
    'x=a5',
    'a5',
  ],
  [
    'a union of a list and a text, many',
    { schema: { anyOf: [list('string'), { type: 'string' }] } },
    'x=a&x=b',
    ['a', 'b'],
  ],
  ['an enum without a type', { schema: { enum: [1, 'two', true] } }, 'x=1', 1],
  ['an enum without a type, its text', { schema: { enum: [1, 'two', true] } }, 'x=two', 'two'],
  ['an enum without a type, its boolean', { schema: { enum: [1, 'two', true] } }, 'x=true', true],
  ['an enum of texts that look like numbers', { schema: { enum: ['1', '2'] } }, 'x=1', '1'],
  ['a type from allOf', { schema: { allOf: [{ $ref: '#/components/schemas/Size' }] } }, 'x=5', 5],
  ['no type at all', { schema: {} }, 'x=5', '5'],
  ['a nullable number', { schema: { type: 'integer', nullable: true } }, 'x=5', 5],
  ['a default', { schema: { type: 'integer', default: 20 } }, '', 20],
  ['a default from a component', { schema: { $ref: '#/components/schemas/Size' } }, '', 10],
  [
    'no value, where that is allowed',
    { allowEmptyValue: true, schema: { type: 'integer', default: 3 } },
    'x=',
    3,
  ],
  [
    'a pattern with escapes that Unicode mode has not',
    { schema: { type: 'string', pattern: '^[\\w\\-]\\_$' } },
    'x=-_',
    '-_',
  ],
  ['multiples of a hundredth', { schema: { type: 'number', multipleOf: 0.01 } }, 'x=19.99', 19.99],
]

const headerCases: Case[] = [
  ['a text with a comma', { schema: { type: 'string' } }, 'a, b', 'a, b'],
  ['a text that is not encoded', { schema: { type: 'string' } }, 'a%20b+c', 'a%20b+c'],
  ['a number', { schema: { type: 'integer' } }, '5', 5],
  ['a list', { schema: list('integer') }, '1, 2,,3', [1, 2, 3]],
  ['an object', { schema: colour }, 'R,100,G,200', rg],
  ['an exploded object', { explode: true, schema: colour }, 'R=100,G=200', rg],
]

const pathCases: Case[] = [
  ['a text', { schema: { type: 'string' } }, 'a%2Fb+c', 'a/b+c'],
  ['a list', { schema: list('string') }, 'a,b%2Cc', ['a', 'b,c']],
  ['an object', { schema: colour }, 'R,100,G,200', rg],
  ['an exploded object', { explode: true, schema: colour }, 'R=100,G=200', rg],
  ['a label', { style: 'label', schema: { type: 'string' } }, '.blue', 'blue'],
  ['a label with a list', { style: 'label', schema: list('string') }, '.blue.black', blue],
  ['a label with a list, by RFC 6570', { style: 'label', schema: list('string') }, '.blue,black', blue],
  [
    'an exploded label with a list',
    { style: 'label', explode: true, schema: list('string') },
    '.blue.black',
    blue,
  ],
  ['a label with an object', { style: 'label', schema: colour }, '.R.100.G.200', rg],
  ['an exploded label with an object', { style: 'label', explode: true, schema: colour }, '.R=100.G=200', rg],
  ['a matrix', { style: 'matrix', schema: { type: 'integer' } }, ';x=5', 5],
  ['an empty matrix', { style: 'matrix', schema: { type: 'string' } }, ';x', ''],
  ['a matrix with a list', { style: 'matrix', schema: list('string') }, ';x=blue,black', blue],
  [
    'an exploded matrix with a list',
    { style: 'matrix', explode: true, schema: list('string') },
    ';x=blue;x=black',
    blue,
  ],
  ['a matrix with an object', { style: 'matrix', schema: colour }, ';x=R,100,G,200', rg],
  [
    'an exploded matrix with an object',
    { style: 'matrix', explode: true, schema: colour },
    ';R=100;G=200',
    rg,
  ],
]

const cookieCases: Case[] = [
  ['a number', { schema: { type: 'integer' } }, 'other=1; x=5', 5],
  ['an encoded text', { schema: { type: 'string' } }, 'x=a%20b', 'a b'],
  ['an opaque text', { schema: { type: 'string' } }, 'x=100%', '100%'],
  ['a quoted text', { schema: { type: 'string' } }, 'x="a"', 'a'],
  ['a list', { explode: false, schema: list('integer') }, 'x=1,2', [1, 2]],
  ['an exploded list', { schema: list('integer') }, 'x=1; x=2', [1, 2]],
  ['an exploded object', { schema: colour }, 'R=100; G=200', rg],
]

const components = { schemas: { Size: { type: 'integer', default: 10 } } }

describe('a parameter is read', () => {
  const places: [string, Case[], (sent: string) => ParameterSource][] = [
    ['query', queryCases, sent => ({ url: `/a?${sent}`, headers: {} })],
    ['header', headerCases, sent => ({ url: '/a', headers: { x: sent } })],
    ['path', pathCases, sent => ({ url: `/a/${sent}`, headers: {} })],
    ['cookie', cookieCases, sent => ({ url: '/a', headers: { cookie: sent } })],
  ]
  for (const [place, cases, request] of places)
    test.each(cases)(`a parameter is read in ${place}: %s`, async (_, parameter, sent, value) => {
      const declared = { name: place === 'header' ? 'X' : 'x', in: place, ...parameter }
      const read = await (await reader([declared], { components }))(request(sent))
      expect(read.faults).toEqual([])
      expect(read.values).toEqual({
        path: {},
        query: {},
        header: {},
        cookie: {},
        [place]: { x: value },
      })
    })

  test('a parameter is read whatever its name', async () => {
    const names = ['__proto__', 'constructor', 'a[]', 'f(x)', 'ä ö']
    const parameters = names.map(name => ({ name, in: 'query', schema: { type: 'string' } }))
    const read = await (await reader(parameters))({
      url: `/a?${names.map(name => `${encodeURIComponent(name)}=1`).join('&')}`,
      headers: {},
    })
    expect(read.faults).toEqual([])
    expect(Object.entries(read.values.query ?? {})).toEqual(names.map(name => [name, '1']))
  })

  test('names that no other parameter has go to an object that takes any name', async () => {
    const read = await reader([
      { name: 'limit', in: 'query', schema: { type: 'integer' } },
      { name: 'filter', in: 'query', schema: { type: 'object', additionalProperties: { type: 'integer' } } },
    ])
    const { values } = await read({ url: '/a?limit=1&b=2', headers: {} })
    expect(values.query).toEqual({ limit: 1, filter: { b: 2 } })
    const { faults } = await read({ url: '/a?limit=1&b=2&c=x', headers: {} })
    expect(faults).toEqual([fault('/query/c', 'must be integer')])
  })

  test('a key that security asks for is not read as a parameter', async () => {
    const read = await reader(
      [],
      { components: { securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'api_key' } } } },
      { security: [{ Key: [] }] },
      { Key: { find: () => ({ id: 1, scopes: [], plan: 'Free', quotas: null, bannedUntil: null }) } },
    )
    expect((await read({ url: '/a?api_key=1', headers: {} })).faults).toEqual([])
  })
})

describe('a fault is named with its reason', () => {
  const integer = { schema: { type: 'integer' } }
  test.each([
    ...['1.0', '1e2', '01', '+1', '', '0x1', 'a'].map(text => [
      integer,
      `x=${text}`,
      '/query/x',
      'must be integer',
    ]),
    ...['9007199254740993', '-9223372036854775808'].map(text => [
      integer,
      `x=${text}`,
      '/query/x',
      'must be integer that a double holds without a change, as those up to 2^53 − 1 (9007199254740991)',
    ]),
    [
      ...[{ schema: { type: 'number' } }, 'x=1e400', '/query/x'],
      'must be number that a double holds without a change, as those up to 2^53 − 1 (9007199254740991)',
    ],
    [{ schema: { type: 'boolean' } }, 'x=1', '/query/x', 'must be boolean'],
    [integer, 'x=1&x=1', '/query/x', 'is given more than once'],
    [integer, 'y=1', '/query/y', 'is not known'],
    [integer, '__proto__=1', '/query/__proto__', 'is not known'],
    [integer, 'a%2Fb=1', '/query/a~1b', 'is not known'],
    [{ required: true, ...integer }, '', '/query/x', 'is required'],
    [{ schema: { type: 'string' } }, 'x=%00', '/query/x', 'must not hold a NUL character'],
    [{ schema: list('string') }, 'x=a&x=%00', '/query/x/1', 'must not hold a NUL character'],
    [{ schema: list('integer') }, 'x=1&x=b', '/query/x/1', 'must be integer'],
    [integer, 'x=%E0%A4%A', '/query', 'holds a broken percent-encoding'],
    [{ schema: colour }, 'R=a', '/query/R', 'must be integer'],
    [{ style: 'deepObject', schema: colour }, 'x[R]=a', '/query/x/R', 'must be integer'],
    [{ style: 'deepObject', schema: colour }, 'x[R]=1&x[R]=2', '/query/x/R', 'is given more than once'],
    [{ style: 'deepObject', schema: colour }, 'x=1', '/query/x', 'is not written in the style deepObject'],
    [
      { style: 'deepObject', schema: colour },
      `x${'[a]'.repeat(11)}=1`,
      `/query/x${'[a]'.repeat(11)}`,
      'is not known',
    ],
    [{ explode: false, schema: colour }, 'x=R,1,G', '/query/x', 'is not written in the style form'],
    [
      { content: { 'application/json': { schema: colour } } },
      'x={',
      '/query/x',
      'is not valid JSON: line 1, column 2: expected a name in double quotes or `}` and found the end',
    ],
    [{ content: { 'application/json': { schema: colour } } }, 'x={"R":"a"}', '/query/x/R', 'must be integer'],
    [{ schema: { type: 'object', additionalProperties: false } }, 'R=1', '/query/R', 'is not known'],
  ] as [object, string, string, string][])('%o, sent as %s', async (parameter, sent, path, message) => {
    const read = await reader([{ name: 'x', in: 'query', ...parameter }])
    expect((await read({ url: `/a?${sent}`, headers: {} })).faults).toEqual([fault(path, message)])
  })

  test.each([
    ['pageSzie', 'pageSize'],
    ['page_size', 'pageSize'],
    ['PAGESIZE', 'pageSize'],
    ['colr', 'color'],
    ['Api-Key', 'api_key'],
    ['filter', undefined],
    ['x', undefined],
  ])('an unknown parameter %s is refused with the near name: %s', async (name, meant) => {
    const colours = { type: 'object', properties: { color: { type: 'string' } } }
    const read = await reader(
      [
        { name: 'pageSize', in: 'query', ...integer },
        { name: 'y', in: 'query', ...integer },
        { name: 'colours', in: 'query', schema: { ...colours, additionalProperties: false } },
      ],
      { components: { securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'api_key' } } } },
    )
    const message = meant ? `is not known: did you mean \`${meant}\`?` : 'is not known'
    expect((await read({ url: `/a?${name}=1`, headers: {} })).faults).toEqual([
      fault(`/query/${name}`, message),
    ])
  })

  test('faults of parameters are named place by place', async () => {
    const read = await reader([
      { name: 'x', in: 'path', required: true, style: 'matrix', ...integer },
      { name: 'X-Size', in: 'header', ...integer },
      { name: 'size', in: 'cookie', required: true, ...integer },
    ])
    const headers = { 'x-size': 'a' }
    const faultsOf = async (url: string, sent: object) => (await read({ url, headers: { ...sent } })).faults
    expect(await faultsOf('/a/5?q=1', headers)).toEqual([
      fault('/path/x', 'is not written in the style matrix'),
    ])
    expect(await faultsOf('/a/;x=5?q=1', headers)).toEqual([fault('/query/q', 'is not known')])
    expect(await faultsOf('/a/;x=5', headers)).toEqual([fault('/header/x-size', 'must be integer')])
    expect(await faultsOf('/a/;x=5', {})).toEqual([fault('/cookie/size', 'is required')])
  })
})

describe('a hostile query costs little time', () => {
  test.each([
    ['10,000 names', Array.from({ length: 10_000 }, (_, i) => `n${i}=1`).join('&'), 10_000],
    ['10,000 times one name', 'x=1&'.repeat(10_000), 0],
    ['10,000 names in brackets', Array.from({ length: 10_000 }, (_, i) => `d[${i}]=1`).join('&'), 0],
    ['brackets without end', `d${'['.repeat(8_000)}=1&d${'[a]'.repeat(3_000)}=1`, 2],
    ['commas', `c=${','.repeat(8_000)}`, 0],
    ['a long name', `${'~'.repeat(8_000)}=1`, 1],
  ])('a hostile query is read at once: %s', async (_, query, count) => {
    const read = await reader([
      { name: 'x', in: 'query', schema: list('integer') },
      { name: 'c', in: 'query', explode: false, schema: list('string') },
      { name: 'd', in: 'query', style: 'deepObject', schema: { type: 'object' } },
    ])
    const hostile = () => read({ url: `/a?${query}`, headers: {} })
    expect(await unitsOf(hostile, 100)).toBeLessThan(100)
    const { faults, message } = await hostile()
    const [, more = 0] = /\(and (\d+) more\)/.exec(message ?? '') ?? []
    expect(faults.length > 0 ? 1 + Number(more) : 0).toBe(count)
    for (const { path } of faults) expect(path.length).toBeLessThan(500)
  })
})

test('a parameter of any JSON, of which the document says no more, is read', async () => {
  const read = await reader([{ name: 'any', in: 'query', content: { 'application/json': {} } }])
  expect(await read({ url: `/a?any=${encodeURIComponent('{"b":[1]}')}`, headers: {} })).toMatchObject({
    values: { query: { any: { b: [1] } } },
    faults: [],
  })
})
