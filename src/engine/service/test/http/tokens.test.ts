import { createHook } from 'node:async_hooks'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { listen } from 'spec-served-lab/support/http'
import { startIssuer } from 'spec-served-lab/support/issuer'
import { changedContract } from 'spec-served-lab/support/model'
import { type Server, type StoreOptions, startOn } from 'spec-served-lab/support/store'
import { expect, test } from 'vitest'
import { createTokenChecker, type TokenSettings } from '../../callers/tokens.ts'
import { readConfig, tokenSettings } from '../../process/config.ts'
import { silent } from '../../runtime/batch-writer.ts'

/** The pet store, which also takes tokens: for all operations, but only with OAuth's scopes for one, and not for another. */
const contract = await changedContract(document => {
  Object.assign(document.components.securitySchemes, {
    Token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    OAuth: {
      type: 'oauth2',
      flows: {
        clientCredentials: { tokenUrl: 'https://login.example/token', scopes: { write: '', stock: '' } },
      },
    },
  })
  document.security.push({ Token: [] })
  document.paths['/categories'].post.security = [{ ApiKey: [] }, { OAuth: ['write', 'stock'] }]
  document.paths['/usage'].get.security = [{ ApiKey: [] }]
})

const api = 'https://api.example/v1'
const issuer = shared(startIssuer)
const database = shared(freshDatabase)

const settings = (env: Record<string, string> = {}) =>
  tokenSettings(readConfig({ TOKEN_ISSUER: issuer.issuer, TOKEN_AUDIENCE: `${api},other`, ...env }), '/mcp')
const start = (env: Record<string, string> = {}, options: StoreOptions = {}) =>
  startOn(database.db, { contract, tokens: settings(env), ...options })

const store = shared(() => start())

type Fields = Record<string, string>
const call = async (
  { app }: Pick<Server, 'app'>,
  headers: Fields,
  url = '/pets?limit=1',
  remoteAddress = '127.0.0.1',
) => {
  const reply = await app.inject({ url, headers, remoteAddress })
  const limit = (reply.headers['ratelimit-policy'] ?? '').toString()
  return { ...reply.json(), status: reply.statusCode, told: reply.headers['www-authenticate'], limit }
}

test('a token of a real issuer is taken beside keys, with the scopes, plan and quotas that it claims', async () => {
  const reader = await issuer.token('reader', api)
  expect(await call(store, reader)).toMatchObject({ status: 200, limit: expect.stringMatching(/q=60;w=60/) })
  expect(await call(store, await issuer.token('writer', api))).toMatchObject({
    limit: expect.stringMatching(/q=300;/),
  })
  expect((await call(store, { 'x-api-key': store.key })).status).toBe(200)
  const refused = await store.app.inject({ method: 'DELETE', url: '/categories/1', headers: reader })
  expect([refused.statusCode, refused.json().code, refused.headers['www-authenticate']]).toEqual([
    403,
    'insufficient_scope',
    'Bearer realm="petstore", error="insufficient_scope", scope="write"',
  ])
})

test('all tokens of a subject share its quota, which a key of the same name does not', async () => {
  await using server = await start({ TOKEN_SUBJECT_PLANS: 'reader=Free, x=Pro' })
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await call(server, await issuer.token('keeper', api))).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await call(server, { 'x-api-key': server.key })).status).toBe(200)
})

test('the document decides which operation takes a token, and with which scopes of OAuth', async () => {
  const post = (headers: Fields) =>
    store.app.inject({ method: 'POST', url: '/categories', headers, payload: { name: crypto.randomUUID() } })
  const writer = await post(await issuer.token('writer', api))
  expect([writer.statusCode, writer.json().message, writer.headers['www-authenticate']]).toEqual([
    403,
    'This operation needs the scope stock.',
    'Bearer realm="petstore", error="insufficient_scope", scope="stock"',
  ])
  const both = await post(await issuer.sign({ aud: api, scope: 'write stock' }))
  expect(both.statusCode).toBe(201)
  expect((await post({ 'x-api-key': store.key })).statusCode).toBe(201)
  expect(await call(store, await issuer.token('writer', api), '/usage')).toMatchObject({
    status: 401,
    told: 'ApiKey realm="petstore"',
  })
})

const soon = () => Math.floor(Date.now() / 1_000)
const ofKey = (header: object, claims: object) =>
  [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

test.each<[fault: string, token: () => Promise<Fields>]>([
  ['is for another audience', () => issuer.token('reader', 'https://elsewhere.example')],
  ['lacks the claim aud', () => issuer.sign({})],
  ['is of another issuer', () => issuer.sign({ aud: api, iss: 'https://elsewhere.example' })],
  ['has expired', () => issuer.sign({ aud: api, exp: soon() - 31 })],
  ['lacks the claim exp', () => issuer.sign({ aud: api, exp: undefined })],
  ['is not valid yet', () => issuer.sign({ aud: api, nbf: soon() + 60 })],
  ['lacks the claim sub', () => issuer.sign({ aud: api, sub: undefined })],
  ['must have a subject of 1 to 255 characters', () => issuer.sign({ aud: api, sub: 'a'.repeat(256) })],
  ...['a\0', '\ud800', '\udfffa'].map((sub): [string, () => Promise<Fields>] => [
    'has a subject with U+0000 or half a surrogate pair',
    () => issuer.sign({ aud: api, sub }),
  ]),
  ...['logout+jwt', 'dpop+jwt', 'id_token', 'secevent+jwt', ''].map(
    (typ): [string, () => Promise<Fields>] => [
      'is of another type than access tokens',
      () => issuer.sign({ aud: api }, { typ }),
    ],
  ),
  ['is of another type than access tokens', () => issuer.sign({ aud: api, events: {} })],
  [
    'is bound to a key, whose proof this service does not check',
    () => issuer.sign({ aud: api, cnf: { jkt: 'a' } }),
  ],
  ['is signed with a key that its issuer does not publish', () => issuer.sign({ aud: api }, { kid: 'none' })],
  [
    'has a wrong signature',
    async () => ({
      authorization: `${(await issuer.sign({ aud: api })).authorization.slice(0, -8)}AAAAAAAA`,
    }),
  ],
  [
    'has an algorithm that is not allowed',
    async () => ({ authorization: `Bearer ${ofKey({ alg: 'HS256' }, { aud: api })}.AAAA` }),
  ],
  [
    'has an algorithm that is not allowed',
    async () => ({ authorization: `Bearer ${ofKey({ alg: 'none' }, { aud: api })}.` }),
  ],
  ['is no signed JSON Web Token', async () => ({ authorization: 'Bearer abc' })],
])('a token that %s is refused by the words of RFC 6750', async (fault, token) => {
  expect(await call(store, await token())).toMatchObject({
    status: 401,
    message: `The bearer token ${fault}.`,
    told: `ApiKey realm="petstore", Bearer realm="petstore", error="invalid_token", error_description="The bearer token ${fault}."`,
  })
})

test('without a credential the challenge names no error, and the clocks may differ a little', async () => {
  expect((await call(store, {})).told).toBe('ApiKey realm="petstore", Bearer realm="petstore"')
  expect((await call(store, await issuer.sign({ aud: api, scope: 'read', exp: soon() - 20 }))).status).toBe(
    200,
  )
})

test.each(['at+jwt', 'application/at+jwt', 'JWT', 'AT+JWT'])('a token of the type %s is taken', async typ => {
  expect((await call(store, await issuer.sign({ aud: api, scope: 'read' }, { typ }))).status).toBe(200)
})

test('a request with two credentials in Authorization is refused, also at /mcp', async () => {
  const { authorization } = await issuer.token('reader', api)
  const fields = [
    'Host: a',
    `Authorization: ${authorization}`,
    'Authorization: Bearer other',
    'Connection: close',
  ]
  for (const line of ['GET /pets HTTP/1.1', 'POST /mcp HTTP/1.1']) {
    const { replies } = await store.exchange(`${[line, ...fields].join('\r\n')}\r\n\r\n`)
    const [reply] = replies
    expect(reply?.status).toBe(400)
    expect(reply?.body).toContain('The Authorization header field stands more than once.')
  }
})

test('a subject has one quota, whichever of several schemes takes its token', async () => {
  await using server = await start()
  const headers = await issuer.token('keeper', api)
  const statuses: number[] = []
  const post = () =>
    server.app.inject({ method: 'POST', url: '/categories', headers, payload: { name: crypto.randomUUID() } })
  for (let i = 0; i < 2; i++) {
    statuses.push((await call(server, headers)).status)
    statuses.push((await post()).statusCode)
  }
  expect(statuses).toEqual([200, 403, 200, 429])
})

/** An issuer's place for keys, which answers as it is told. */
async function startKeys() {
  const shown: { keys: unknown; isSilent: boolean } = { keys: [], isSilent: false }
  const asked: ServerResponse[] = []
  const server = createServer((_, reply) => {
    asked.push(reply)
    if (!shown.isSilent) reply.end(JSON.stringify({ keys: shown.keys }))
  })
  const url = `http://127.0.0.1:${await listen(server)}`
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const published = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'own' }
  shown.keys = [published]
  const claims = { iss: url, aud: api, sub: 'ann', scope: 'read', exp: soon() + 10_000 }
  return {
    ...{ shown, asked, published, settings: { TOKEN_ISSUER: url, TOKEN_JWKS_URL: url } },
    sign: async (header: object = {}) => {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'own', ...header })
        .sign(privateKey)
      return { authorization: `Bearer ${token}` }
    },
    /** a token that names a key, with no signature of it */
    forged: (alg: string, kid: string) => ({ authorization: `Bearer ${ofKey({ alg, kid }, claims)}.AAAA` }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** One of many addresses. */
const addressOf = (i: number) => `10.0.${i >> 8}.${i & 255}`

const bytes = (length: number, value: number) => Buffer.alloc(length, value).toString('base64url')
const smallKey = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' })

test.each<[name: string, alg: string, key: unknown]>([
  ['RSA of 1,024 bits', 'RS256', { ...smallKey, kid: 'bad' }],
  [
    'a point off the curve',
    'ES256',
    { kty: 'EC', crv: 'P-256', x: bytes(32, 1), y: bytes(32, 2), kid: 'bad' },
  ],
  ['null', 'ES256', null],
  ['a text', 'ES256', 'bad'],
  ['a key of no known kind', 'ES256', { kty: 'X', kid: 'bad' }],
  [
    'a key whose use is not known',
    'ES256',
    { kty: 'EC', crv: 'P-256', x: 1, y: [], kid: 'bad', key_ops: 'x' },
  ],
])(
  'an issuer’s key that can’t be used (%s) is ignored: its tokens cost a 401, and the others are taken',
  async (_, alg, key) => {
    await using keys = await startKeys()
    keys.shown.keys = [key, keys.published]
    await using server = await start(keys.settings)
    expect((await call(server, await keys.sign())).status).toBe(200)
    const left: number[] = []
    for (let i = 0; i < 2; i++) {
      const reply = await server.app.inject({ url: '/pets', headers: keys.forged(alg, 'bad') })
      expect(reply.statusCode).toBe(401)
      left.push(Number(reply.headers['x-ratelimit-remaining']))
    }
    expect(left[0]).toBe(Number(left[1]) + 1)
  },
)

test('while a silent issuer is asked, tokens of unknown keys are refused at once and all else works', async () => {
  let now = Date.now()
  await using keys = await startKeys()
  await using server = await start(keys.settings, { now: () => new Date(now), maxWaitMs: 25 })
  const valid = await keys.sign()
  expect((await call(server, valid)).status).toBe(200)
  now += 15_000
  keys.shown.isSilent = true
  let answered = 0
  const unknown = Array.from({ length: 200 }, async (_, i) => {
    const { status } = await call(server, keys.forged('ES256', `invented ${i}`), '/pets', addressOf(i))
    answered++
    return status
  })
  const [first] = unknown // it alone waits
  const late = once(keys.asked.at(-1)?.once('close', () => {}) ?? server.app.server, 'close')
  await Promise.race([late, Promise.all(unknown.slice(1))])
  expect(answered).toBe(199)
  expect((await call(server, await keys.sign())).status).toBe(200)
  for (const reply of keys.asked) reply.destroy()
  expect(await first).toBe(401)
})

test('a wait for a silent issuer is no load, and bounded', async () => {
  await using keys = await startKeys()
  keys.shown.isSilent = true
  const usual = settings(keys.settings)
  const tokens = usual && { ...usual, readWithinMs: 290_000 } // however long the machine takes to send them all
  await using server = await start({}, { maxWaitMs: 25, tokens })
  const waiting: ReturnType<typeof call>[] = []
  while (waiting.length < 1_100) {
    const from = waiting.length
    for (let i = from; i < from + 20; i++)
      waiting.push(call(server, keys.forged('ES256', `${i}`), '/pets', addressOf(i)))
    await call(server, {}, '/health') // those before it wait by then, so that they are no load, however busy the machine is
  }
  await sleep(700) // longer than a burst
  const headers = { 'x-api-key': server.key }
  // One after the other they are no load, however busy the machine is.
  for (let i = 0; i < 42; i++) expect((await call(server, headers)).status).toBe(200)
  const refused = await Promise.all(waiting.slice(1_000))
  expect(refused.map(({ message }) => message)).toEqual(
    Array(100).fill('Too many tokens wait to be checked; retry soon.'),
  )
  for (const reply of keys.asked) reply.destroy()
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]))
})

test('a banned address hears of its ban, and waits for no issuer', async () => {
  let now = Date.now()
  await using keys = await startKeys()
  await using server = await start(keys.settings, { now: () => new Date(now) })
  expect((await call(server, await keys.sign())).status).toBe(200)
  for (let status = 0; status !== 403; ) ({ status } = await call(server, {}, '/pets', '10.1.0.1'))
  keys.shown.isSilent = true
  now += 15_000 // the keys may be read again
  const reads = keys.asked.length
  expect(await call(server, keys.forged('ES256', 'other'), '/pets', '10.1.0.1')).toMatchObject({
    status: 403,
    code: 'address_banned',
  })
  expect(keys.asked).toHaveLength(reads)
  expect((await call(server, await keys.sign(), '/pets', '10.1.0.1')).status).toBe(200)
})

test('a key that its issuer has removed ends its tokens within eleven minutes, however quiet the service is', async () => {
  await using provider = await startIssuer()
  const { find, later } = checkerAt({ issuer: provider.issuer })
  const token = await provider.sign({ aud: api, exp: soon() + 10_000 })
  await find(token)
  await provider.rotate()
  later(661_000)
  const fault = { fault: 'is signed with a key that its issuer does not publish' }
  expect(await Promise.all([find(token), find(token)])).toEqual([fault, fault])
})

test('keys of a busy service are read before they are old, and no token waits for that', async () => {
  await using keys = await startKeys()
  const { TOKEN_ISSUER: url, TOKEN_JWKS_URL: jwksUrl } = keys.settings
  const { find, later } = checkerAt({ issuer: url, jwksUrl })
  const token = await keys.sign()
  await find(token)
  keys.shown.isSilent = true
  later(550_000)
  expect(await find(token)).toMatchObject({ id: 'ann' })
  await expect.poll(() => keys.asked.length).toBe(2)
})

/** A checker with a clock of its own. */
function checkerAt(changes: Partial<TokenSettings> = {}) {
  let now = Date.now()
  const made = settings()
  if (!made) throw new Error('There is no issuer')
  const checker = createTokenChecker({ ...made, ...changes }, contract.rateLimits, () => now, silent)
  const find = ({ authorization = '' }: Fields) =>
    checker.find({ scheme: 'Token', scopes: [], value: authorization.slice('Bearer '.length) }, '')
  return {
    find,
    later(ms: number) {
      now += ms
    },
  }
}

test('a token that was checked a moment ago takes no promise, until it expires', async () => {
  const { find, later } = checkerAt({ clockSkewMs: 0 })
  const token = await issuer.sign({ aud: api, exp: soon() + 90 })
  expect(find(token)).toBeInstanceOf(Promise)
  await find(token)
  expect(find(token)).toMatchObject({ id: 'ann' })
  later(61_000)
  expect(find(token)).toBeInstanceOf(Promise)
  expect(await find(token)).toMatchObject({ id: 'ann' })
  expect(find(token)).not.toBeInstanceOf(Promise)
  later(30_000)
  expect(await find(token)).toEqual({ fault: 'has expired' })
})

/** Returns the promises of a request that was sent before, at the least. */
async function promisesOf(headers: Fields): Promise<number> {
  const counts: number[] = []
  let made = 0
  const hook = createHook({
    init(_, type) {
      if (type === 'PROMISE') made++
    },
  })
  await call(store, headers)
  hook.enable()
  for (let i = 0; i < 5; i++) {
    made = 0
    await call(store, headers)
    counts.push(made)
  }
  hook.disable()
  return Math.min(...counts)
}

test('a request with a token that was checked a moment ago makes no more promises than one with a key', async () => {
  const ofToken = await promisesOf(await issuer.token('writer', api))
  expect(ofToken).toBeLessThanOrEqual(await promisesOf({ 'x-api-key': store.key }))
})

test('the keys of an issuer may change, and a key that it has removed ends its tokens', async () => {
  await using provider = await startIssuer()
  const { find, later } = checkerAt({ issuer: provider.issuer })
  const before = await provider.sign({ aud: api, exp: soon() + 10_000 })
  expect(await find(before)).toMatchObject({ id: 'ann' })
  await provider.rotate('ES256')
  later(10_000)
  expect(await find(await provider.sign({ aud: api }))).toMatchObject({ id: 'ann' })
  expect(await find(before)).toEqual({ fault: 'is signed with a key that its issuer does not publish' })
  const reads = provider.reads()
  for (let i = 0; i < 50; i++) await find(await provider.sign({ aud: api }, { kid: `invented ${i}` }))
  expect(provider.reads()).toBe(reads)
})

test('an issuer that is silent is done without for an hour, and then tokens get 503 while keys and /health work', async () => {
  await using provider = await startIssuer()
  const { find, later } = checkerAt({ issuer: provider.issuer })
  const token = await provider.sign({ aud: api, exp: soon() + 10_000 })
  await find(token)
  provider.fail(500)
  later(3_500_000)
  expect(await find(token)).toMatchObject({ id: 'ann' })
  later(200_000)
  await expect(find(token)).rejects.toThrow('The issuer of tokens does not answer; retry soon.')
  provider.fail(undefined)
  later(2_000)
  expect(await find(token)).toMatchObject({ id: 'ann' })
  provider.fail(503)
  await using server = await start({ TOKEN_ISSUER: provider.issuer })
  expect(await call(server, token)).toMatchObject({ status: 503, code: 'unavailable' })
  expect((await call(server, token, '/health')).status).toBe(200)
  expect((await call(server, { 'x-api-key': server.key })).status).toBe(200)
})

test.each<[Record<string, string>, string]>([
  [{ TOKEN_ISSUER: 'https://a.example' }, 'TOKEN_ISSUER and TOKEN_AUDIENCE must both be set'],
  [
    { TOKEN_ISSUER: 'http://a.example', TOKEN_AUDIENCE: 'a' },
    'TOKEN_ISSUER must be a URL that begins with https://',
  ],
  [
    { TOKEN_ISSUER: 'https://a.example', TOKEN_AUDIENCE: 'a', TOKEN_ALGORITHMS: 'HS256' },
    'TOKEN_ALGORITHMS must be one of RS256',
  ],
  [{ TOKEN_JWKS_URL: 'https://a.example' }, 'TOKEN_JWKS_URL must not be set without TOKEN_ISSUER'],
  [{ TOKEN_SUBJECT_PLANS: 'Pro' }, 'TOKEN_SUBJECT_PLANS must be a list of NAME=VALUE'],
])('%o is refused', (env, message) => {
  expect(() => readConfig(env)).toThrow(
    expect.objectContaining({
      errors: [expect.objectContaining({ message: expect.stringContaining(message) })],
    }),
  )
})

test('a plan that the document lacks is refused at the start', async () => {
  await expect(start({ TOKEN_PLAN: 'Gold' })).rejects.toThrow(
    'TOKEN_PLAN and TOKEN_SUBJECT_PLANS must name plans of the document, not Gold: Free, Pro, Business, Enterprise',
  )
})
