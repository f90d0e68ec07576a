import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { Checker } from '../../src/engine/access/callers.ts'
import { createCallers } from '../../src/engine/access/callers.ts'
import {
  type Credential,
  type CredentialSource,
  credentialsOf,
  missingCheckers,
  secretOf,
  waysInto,
} from '../../src/engine/access/security.ts'
import { openBans } from '../../src/engine/limits/bans.ts'
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

/** Takes each credential that holds no `wrong`, and calls its holder by it. */
const checker: Checker = {
  find: credential => (secretOf(credential).includes('wrong') ? { fault: 'is wrong' } : holderOf(credential)),
  recall: credential => (secretOf(credential).includes('wrong') ? undefined : holderOf(credential)),
  forget() {},
}
const holderOf = ({ scheme }: Credential) => ({
  id: scheme,
  scopes: [],
  plan: '',
  quotas: null,
  bannedUntil: null,
})
const checkers = Object.fromEntries(Object.keys(securitySchemes).map(name => [name, checker]))

type Security = readonly Record<string, string[]>[]

/** What of a request counts as credentials, by each way into the operation. */
async function read(security: Security, request: CredentialSource) {
  const model = await modelWith(security)
  return model.operations
    .flatMap(operation => waysInto(model, operation))
    .map(way => credentialsOf(way, request))
}

/** Whose request it is (null: a stranger's), and how it is refused if it must be. */
async function identify(security: Security, request: CredentialSource, all: Security = []) {
  const model = await modelWith(security, all)
  const bans = await openBans(0, undefined, () => new Date())
  const callers = createCallers(model, checkers, undefined, bans, 'here')
  const asked = { ip: '203.0.113.1', ...request } as unknown as FastifyRequest // all that is read of it
  const { caller, fault } = await callers.identify(asked, 'a')
  const { message, headers } = callers.unauthenticated('a', fault)
  const recalled = callers.recall(asked, 'a')
  await bans.close()
  expect(recalled.counter).toBe(caller.counter)
  return {
    holder: caller.kind === 'key' ? caller.keyId : null,
    message,
    challenge: headers['WWW-Authenticate'],
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

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
    expect(await read([{ [scheme]: ['read'] }], { url, headers })).toEqual([
      [{ scheme, scopes: ['read'], ...expected }],
    ])
  })

  test.each([
    ['Header', '/a?X-Any-Name=k', {}],
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
      expect(await read([{ [scheme]: [] }], { url, headers })).toEqual([undefined])
    },
  )
})

describe('of several requirements', () => {
  const both = { Header: [], Cookie: [] }
  const either = [both, { Bearer: [] }]
  const whose = async (security: Security, headers: Record<string, string>, all?: Security) =>
    (await identify(security, { url: '/a', headers }, all)).holder
  test('one is enough', async () => {
    expect(await whose(either, { authorization: 'Bearer t' })).toBe('Bearer')
    expect(await whose(either, { 'x-any-name': 'k', cookie: 'sid=s' })).toBe('Header')
  })
  test('a half is none', async () => {
    expect(await whose(either, { 'x-any-name': 'k' })).toBeNull()
  })
  test('a wrong one does not count', async () => {
    expect(await whose(either, { 'x-any-name': 'k', cookie: 'sid=wrong' })).toBeNull()
    const headers = { 'x-any-name': 'wrong', cookie: 'sid=s', authorization: 'Bearer t' }
    expect(await whose(either, headers)).toBe('Bearer')
  })
  test('an empty one lets everybody in, by name who has one', async () => {
    expect(await whose([{}, { Header: [] }], {})).toBeNull()
    expect(await whose([{}, { Header: [] }], { 'x-any-name': 'k' })).toBe('Header')
  })
  test('where there are none, any credential tells whose quota it is', async () => {
    expect(await whose([], {})).toBeNull()
    expect(await whose([], { authorization: 'Bearer t' })).toBe('Bearer')
  })
})

describe('who is refused', () => {
  test('is told what to send, and how', async () => {
    const security = [{ Header: [] }, { Query: [] }, { Basic: [] }, { Bearer: [] }]
    expect(await identify(security, { url: '/a', headers: {} })).toEqual({
      holder: null,
      message:
        'Send an API key as X-Any-Name, or an API key as the query parameter my key, or your user and password as Authorization, or a bearer token as Authorization.',
      challenge: 'ApiKey realm="here", Basic realm="here", charset="UTF-8", Bearer realm="here"',
    })
  })
  test('is told what has to be sent together', async () => {
    const security = [{ Header: [], Bearer: [] }, { Query: [] }]
    expect((await identify(security, { url: '/a', headers: {} })).message).toBe(
      'Send an API key as X-Any-Name together with a bearer token as Authorization, or an API key as the query parameter my key.',
    )
  })
  test('is told what is wrong with what was sent', async () => {
    const sent = { url: '/a', headers: { authorization: 'Bearer wrong' } }
    expect((await identify([{ Bearer: [] }], sent)).message).toBe('The bearer token is wrong.')
  })
})

test('the requirements of the document hold where an operation has none of its own', async () => {
  const model = await modelFrom({
    security: [{ Header: [] }],
    paths: { '/a': { get: { operationId: 'a', responses: { 200: { description: '' } } } } },
    components: { securitySchemes },
  })
  expect(model.operations.flatMap(operation => waysInto(model, operation))).toMatchObject([
    [{ name: 'Header' }],
  ])
})

describe('a scheme that nobody checks', () => {
  test('is named, with what to hand over', async () => {
    const model = await modelWith([{ Header: [] }, { Basic: [] }, { OAuth: [] }])
    expect(missingCheckers(model, { OAuth: () => undefined })).toEqual([
      'a asks for Header: hand over a checker of that name, which is given the key in the header X-Any-Name and finds who sent it.',
      expect.stringContaining('a user and a password'),
    ])
  })
  test('keeps the service from starting', async () => {
    const model = await modelWith([{ Header: [] }])
    const bans = await openBans(0, undefined, () => new Date())
    expect(() => createCallers(model, {}, undefined, bans, 'here')).toThrow('a asks for Header')
    await bans.close()
  })
})
