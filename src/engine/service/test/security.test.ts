import { serve } from 'spec-served-lab/support/engine'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Checker, type Credential, missingCheckers } from '../callers/security.ts'
import type { Context } from '../context.ts'
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

type Security = readonly Record<string, string[]>[]

const documentWith = (security: Security | undefined, all: Security = []) => ({
  openapi: '3.0.3',
  info: { title: 'T', version: '1' },
  security: all,
  paths: {
    '/a': {
      get: { operationId: 'a', ...(security && { security }), responses: { 200: { description: '' } } },
    },
  },
  components: { securitySchemes },
})

/**
 * Calls an operation; each credential that holds no `wrong` is right, and its holder is called by its scheme.
 * @returns whose request it is (null: nobody's), what was checked, and how it was refused if it was
 */
async function call(
  security: Security | undefined,
  url: string,
  headers: Record<string, string>,
  all?: Security,
) {
  const checked: Credential[] = []
  const checker: Checker = {
    find(credential) {
      checked.push(credential)
      if (credential.value.includes('wrong')) return { fault: 'is wrong' }
      return { id: credential.scheme, scopes: [], plan: '', quotas: null, bannedUntil: null }
    },
  }
  const checkers = Object.fromEntries(Object.keys(securitySchemes).map(name => [name, checker]))
  let holder: unknown = 'refused'
  const app = await serve(
    documentWith(security, all),
    {
      async a(_, context) {
        const { caller } = context as Context<unknown> // of this operation, as of all that may not be repeated
        holder = caller.kind === 'key' ? caller.keyId : null
        return { status: 200 }
      },
    },
    checkers,
  )
  onTestFinished(() => app.close())
  const reply = await app.inject({ url, headers })
  if (reply.statusCode === 200) return { holder, checked }
  expect(reply.statusCode).toBe(401)
  return { holder, checked, message: reply.json().message, challenge: reply.headers['www-authenticate'] }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a credential is read', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['Header', '/a', { 'x-any-name': 'k y' }, 'k y'],
    ['Query', '/a?my+key=a%2Bb', {}, 'a+b'],
    ['Cookie', '/a', { cookie: 'a=1; sid=k%20y' }, 'k y'],
    ['Bearer', '/a', { authorization: 'bEaReR  abc.d-_~+/==' }, 'abc.d-_~+/=='],
    ['Basic', '/a', { authorization: `Basic ${base64('ann:p:é')}` }, 'ann:p:é'],
    ['Digest', '/a', { authorization: 'Digest a="b", c=d' }, 'a="b", c=d'],
    ['OAuth', '/a', { authorization: 'Bearer abc' }, 'abc'],
    ['OpenId', '/a', { authorization: 'Bearer abc' }, 'abc'],
  ])('a credential of %s is read', async (scheme, url, headers, value) => {
    const { holder, checked } = await call([{ [scheme]: ['read'] }], url, headers)
    expect(holder).toBe(scheme)
    expect(checked).toEqual([{ scheme, scopes: ['read'], value }])
  })

  test.each<[string, string, Record<string, string>]>([
    ['Header', '/a?X-Any-Name=k', {}],
    ['Query', '/a?my%20key=a&my%20key=b', {}],
    ['Query', '/a?my%20key=%', {}],
    ['Cookie', '/a', { cookie: 'sid=a; sid=b' }],
    ['Bearer', '/a', { authorization: 'Basic abc' }],
    ['Bearer', '/a', { authorization: 'Bearer' }],
    ['Bearer', '/a', { authorization: 'Bearer a b' }],
    ['Basic', '/a', { authorization: `Basic ${base64('no colon')}` }],
    ['OAuth', '/a', {}],
  ])('a credential is not read of %s from %s %o', async (scheme, url, headers) => {
    expect(await call([{ [scheme]: [] }], url, headers)).toMatchObject({ holder: 'refused', checked: [] })
  })
})

describe('of several requirements', () => {
  const either = [{ Header: [], Cookie: [] }, { Bearer: [] }]
  const whose = async (security: Security, headers: Record<string, string>) =>
    (await call(security, '/a', headers)).holder
  test('one of several security requirements is enough', async () => {
    expect(await whose(either, { authorization: 'Bearer t' })).toBe('Bearer')
    expect(await whose(either, { 'x-any-name': 'k', cookie: 'sid=s' })).toBe('Header')
  })
  test('half a security requirement is none', async () => {
    expect(await whose(either, { 'x-any-name': 'k' })).toBe('refused')
  })
  test('a wrong credential does not count beside a right one', async () => {
    expect(await whose(either, { 'x-any-name': 'k', cookie: 'sid=wrong' })).toBe('refused')
    const headers = { 'x-any-name': 'wrong', cookie: 'sid=s', authorization: 'Bearer t' }
    expect(await whose(either, headers)).toBe('Bearer')
  })
  test('an empty requirement lets everybody in, and says whose credential is there', async () => {
    expect(await whose([{}, { Header: [] }], {})).toBeNull()
    expect(await whose([{}, { Header: [] }], { 'x-any-name': 'k' })).toBe('Header')
  })
  test('without requirements, any credential says whose quota it is', async () => {
    expect(await whose([], {})).toBeNull()
    expect(await whose([], { authorization: 'Bearer t' })).toBe('Bearer')
  })
})

describe('who is refused', () => {
  test('an unauthenticated client hears what to send, and how', async () => {
    const security = [{ Header: [] }, { Query: [] }, { Basic: [] }, { Bearer: [] }]
    expect(await call(security, '/a', {})).toMatchObject({
      message:
        'Send an API key as X-Any-Name, or an API key as the query parameter my key, or your user and password as Authorization, or a bearer token as Authorization.',
      challenge: 'ApiKey realm="memory", Basic realm="memory", charset="UTF-8", Bearer realm="memory"',
    })
  })
  test('an unauthenticated client hears what has to be sent together', async () => {
    expect((await call([{ Header: [], Bearer: [] }, { Query: [] }], '/a', {})).message).toBe(
      'Send an API key as X-Any-Name together with a bearer token as Authorization, or an API key as the query parameter my key.',
    )
  })
  test.each<[string, string, string, Record<string, string>]>([
    ['Authorization', 'Header', '/a', { authorization: 'Bearer s3cret' }],
    ['Authorization', 'Header', '/a', { authorization: 's3cret' }],
    ['Apikey', 'Header', '/a', { apikey: 's3cret' }],
    ['the query parameter api_key', 'Header', '/a?api_key=s3cret', {}],
    ['the query parameter x-any-name', 'Header', '/a?x-any-name=s3cret', {}],
    ['the query parameter my key', 'Bearer', '/a?my+key=s3cret', {}],
    ['the cookie access_token', 'Bearer', '/a', { cookie: 'a=b; access_token=s3cret' }],
    ['X-Any-Name', 'Query', '/a', { 'x-any-name': 's3cret' }],
  ])('%s is named as the wrong place, where %s is asked for', async (place, scheme, url, headers) => {
    const toSend = (await call([{ [scheme]: [] }], '/a', {})).message.replace('Send', 'send')
    const { message } = await call([{ [scheme]: [] }], url, headers)
    expect(message).toBe(`You sent ${place}; ${toSend}`)
  })
  test.each<[string, string, Record<string, string>]>([
    ['Header', '/a?token=1&key=2&%=3', { 'x-request-id': 'a', cookie: 'theme=dark' }],
    ['Bearer', '/a', { authorization: 'Bearer' }],
    ['Query', '/a?my%20key=a&my%20key=b', {}],
  ])('no wrong place is named where none was used: %s from %s %o', async (scheme, url, headers) => {
    expect((await call([{ [scheme]: [] }], url, headers)).message).toMatch(/^Send /)
  })
  test('a client hears what is wrong with its credential', async () => {
    const { message } = await call([{ Bearer: [] }], '/a', { authorization: 'Bearer wrong' })
    expect(message).toBe('The bearer token is wrong.')
  })
})

test('the requirements of the document hold where an operation has none of its own', async () => {
  expect((await call(undefined, '/a', {}, [{ Header: [] }])).holder).toBe('refused')
})

test('schemes that nobody checks are named, with what to hand over', async () => {
  const model = await modelFrom(documentWith([{ Header: [] }, { Basic: [] }, { OAuth: [] }]))
  expect(missingCheckers(model, { OAuth: () => undefined })).toEqual([
    'a asks for Header: hand over a checker of that name, which is given the key in the header X-Any-Name and finds who sent it.',
    expect.stringContaining('a user and a password'),
  ])
})
