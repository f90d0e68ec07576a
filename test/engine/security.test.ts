import { describe, expect, test } from 'vitest'
import {
  type Checkers,
  type CredentialSource,
  missingCheckers,
  securityReader,
} from '../../src/engine/access/security.ts'
import { modelFrom } from './support.ts'

const securitySchemes = {
  Header: { type: 'apiKey', in: 'header', name: 'X-Any-Name' },
  Query: { type: 'apiKey', in: 'query', name: 'my key' },
  Cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  Bearer: { type: 'http', scheme: 'Bearer' },
  Basic: { type: 'http', scheme: 'basic' },
  Digest: { type: 'http', scheme: 'digest' },
  OAuth: { type: 'oauth2', flows: {} },
  OpenId: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
}

const modelWith = (
  security: readonly Record<string, string[]>[],
  all: readonly Record<string, string[]>[] = [],
) =>
  modelFrom({
    security: all,
    paths: { '/a': { get: { operationId: 'a', security, responses: { 200: { description: '' } } } } },
    components: { securitySchemes },
  })

/** Takes each credential that holds no `wrong`, and says what it was. */
const says: Checkers<string, CredentialSource> = Object.fromEntries(
  Object.keys(securitySchemes).map(name => [
    name,
    async ({ scheme: _, ...credential }) => {
      const said = JSON.stringify(credential)
      return said.includes('wrong') ? undefined : said
    },
  ]),
)

async function check(
  security: readonly Record<string, string[]>[],
  url: string,
  headers: Record<string, string | string[]> = {},
) {
  const model = await modelWith(security)
  const [operation] = model.operations
  if (!operation) throw new Error('no operation')
  const access = await securityReader(model, operation, says)({ url, headers })
  if (access.kind === 'denied') return access
  return Object.fromEntries([...access.results].map(([name, said]) => [name, JSON.parse(said)]))
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const none = { url: '/a', headers: {} }

describe('a credential is read', () => {
  test.each([
    ['Header', '/a', { 'x-any-name': 'k y' }, { kind: 'apiKey', value: 'k y' }],
    ['Query', '/a?my+key=a%2Bb&x=1', {}, { kind: 'apiKey', value: 'a+b' }],
    ['Cookie', '/a', { cookie: 'a=1; sid=k%20y' }, { kind: 'apiKey', value: 'k y' }],
    ['Bearer', '/a', { authorization: 'bEaReR  abc.d-_~+/==' }, { kind: 'bearer', value: 'abc.d-_~+/==' }],
    [
      'Basic',
      '/a',
      { authorization: `Basic ${base64('ann:p:é')}` },
      { kind: 'basic', user: 'ann', password: 'p:é' },
    ],
    [
      'Digest',
      '/a',
      { authorization: 'Digest a="b", c=d' },
      { kind: 'http', authScheme: 'digest', value: 'a="b", c=d' },
    ],
    ['OAuth', '/a', { authorization: 'Bearer abc' }, { kind: 'bearer', value: 'abc' }],
    ['OpenId', '/a', { authorization: 'Bearer abc' }, { kind: 'bearer', value: 'abc' }],
  ])('of %s', async (scheme, url, headers, expected) => {
    expect(await check([{ [scheme]: ['read'] }], url, headers)).toEqual({
      [scheme]: { scopes: ['read'], ...expected },
    })
  })

  test.each([
    ['Header', '/a?X-Any-Name=k', {}],
    ['Header', '/a', { 'x-any-name': '' }],
    ['Header', '/a', { 'x-any-name': ['a', 'b'] }],
    ['Query', '/a?my%20key=a&my%20key=b', {}],
    ['Query', '/a?my%20key=%', {}],
    ['Cookie', '/a', { cookie: 'sid=a; sid=b' }],
    ['Bearer', '/a', { authorization: 'Basic abc' }],
    ['Bearer', '/a', { authorization: 'Bearer' }],
    ['Bearer', '/a', { authorization: 'Bearer a b' }],
    ['Basic', '/a', { authorization: `Basic ${base64('no colon')}` }],
    ['OAuth', '/a', {}],
  ] as [string, string, Record<string, string | string[]>][])(
    'but not of %s from %s %o',
    async (scheme, url, headers) => {
      expect(await check([{ [scheme]: [] }], url, headers)).toEqual({
        kind: 'denied',
        refused: [],
        missing: [scheme],
      })
    },
  )
})

describe('of several requirements', () => {
  const both = { Header: [], Cookie: [] }
  const either = [both, { Bearer: [] }]
  test('one is enough', async () => {
    expect(Object.keys(await check(either, '/a', { authorization: 'Bearer t' }))).toEqual(['Bearer'])
    expect(Object.keys(await check(either, '/a', { 'x-any-name': 'k', cookie: 'sid=s' }))).toEqual([
      'Header',
      'Cookie',
    ])
  })
  test('a half is none', async () => {
    expect(await check(either, '/a', { 'x-any-name': 'k' })).toEqual({
      kind: 'denied',
      refused: [],
      missing: ['Cookie', 'Bearer'],
    })
  })
  test('a wrong one does not count', async () => {
    expect(await check(either, '/a', { 'x-any-name': 'k', cookie: 'sid=wrong' })).toEqual({
      kind: 'denied',
      refused: ['Cookie'],
      missing: ['Bearer'],
    })
    const headers = { 'x-any-name': 'wrong', cookie: 'sid=s', authorization: 'Bearer t' }
    expect(Object.keys(await check(either, '/a', headers))).toEqual(['Bearer'])
  })
  test('an empty one lets everybody in, by name who has one', async () => {
    expect(await check([{}, { Header: [] }], '/a')).toEqual({})
    expect(Object.keys(await check([{}, { Header: [] }], '/a', { 'x-any-name': 'k' }))).toEqual(['Header'])
  })
  test('none lets everybody in', async () => {
    expect(await check([], '/a')).toEqual({})
  })
})

test('those of the document hold where an operation has none of its own', async () => {
  const model = await modelFrom({
    security: [{ Header: [] }],
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: '' } } } } },
    components: { securitySchemes },
  })
  const [operation] = model.operations
  if (!operation) throw new Error('no operation')
  expect(await securityReader(model, operation, says)(none)).toMatchObject({ kind: 'denied' })
})

describe('a scheme that nobody checks', () => {
  test('is named, with what to hand over', async () => {
    const model = await modelWith([{ Header: [] }, { Basic: [] }, { OAuth: [] }])
    expect(missingCheckers(model, { OAuth: () => undefined })).toEqual([
      {
        scheme: 'Header',
        operations: ['a'],
        message:
          'a asks for Header: hand over a checker of that name, which is given the key in the header X-Any-Name and returns who sent it, or undefined.',
      },
      { scheme: 'Basic', operations: ['a'], message: expect.stringContaining('a user and a password') },
    ])
  })
  test('keeps its operation from being read', async () => {
    const model = await modelWith([{ Header: [] }])
    const [operation] = model.operations
    expect(() => operation && securityReader(model, operation, {})).toThrow('Nobody checks Header')
  })
})
