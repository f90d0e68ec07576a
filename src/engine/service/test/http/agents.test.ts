import * as current from '@modelcontextprotocol/client'
import { agentOf, currentClient, formerClient, revision } from 'spec-served-lab/support/agents'
import { freshDatabase } from 'spec-served-lab/support/database'
import { serve } from 'spec-served-lab/support/engine'
import { shared } from 'spec-served-lab/support/fixtures'
import { startIssuer } from 'spec-served-lab/support/issuer'
import { changedContract } from 'spec-served-lab/support/model'
import { addPet, issueKey, startStore, startWithTokens, type TestStore } from 'spec-served-lab/support/store'
import { expect, onTestFinished, test, vi } from 'vitest'
import { mostFree } from '../../limits/free-requests.ts'

const store = shared(() => startStore())

type Fields = Record<string, string>

/** Connects an official client. */
const connections = {
  former: (url: URL, headers: Fields) => formerClient({ url: url.href, headers }),
  legacy: (url: URL, headers: Fields) => currentClient({ url: url.href, headers }),
  stateless: (url: URL, headers: Fields) => currentClient({ url: url.href, headers }, revision),
}

async function connect(kind: keyof typeof connections, headers: Fields) {
  const client = await connections[kind](new URL(`http://127.0.0.1:${await store.port()}/mcp`), headers)
  return { client, ...agentOf(client) }
}

test.each(['former', 'legacy', 'stateless'] as const)(
  'the %s client lists tools by the scopes of its key, places an order, and is refused for stock, scope and quota',
  async kind => {
    await using all = await connect(kind, { 'x-api-key': store.key })
    await using reader = await connect(kind, { 'x-api-key': await issueKey(store.db, { scopes: ['read'] }) })
    const counts = [(await all.names()).length, (await reader.names()).length]
    expect(counts[0]).toBeGreaterThan(counts[1] ?? 0)
    const petId = await addPet(store.call, 1)
    expect((await all.call('placeOrder', { body: { petId, quantity: 2 } })).text).toMatch(
      /^insufficient_stock \(409\)/,
    )
    expect((await all.call('placeOrder', { body: { petId, quantity: 1 } })).value).toMatchObject({ petId })
    expect((await reader.call('placeOrder', { body: { petId, quantity: 1 } })).text).toMatch(
      /^insufficient_scope \(403\)/,
    )
    const quotas = { minute: 1, day: 9 }
    await using poor = await connect(kind, {
      'x-api-key': await issueKey(store.db, { plan: 'Enterprise', quotas }),
    })
    await poor.call('listPets')
    expect((await poor.call('listPets')).text).toMatch(/^rate_limited \(429\)/)
    await expect(all.call('sellPets')).rejects.toThrow('There is no tool sellPets')
    await expect(all.client.readResource({ uri: 'docs:///none' })).rejects.toThrow('There is no resource')
  },
)

const meta = (version = revision) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
})
/** Sends a message of the stateless revision. */
async function send(
  method: string,
  params: Record<string, unknown> = {},
  headers: Fields = {},
  version = revision,
  { app }: Pick<TestStore, 'app'> = store,
) {
  const name = params.name ?? params.uri
  const reply = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'x-api-key': store.key,
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    payload: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta(version) } },
  })
  const left = Number(reply.headers['x-ratelimit-remaining'])
  return { status: reply.statusCode, left, ...reply.json() }
}

test('a stateless client discovers the server, and keeps its own answers until the day ends at the latest', async () => {
  const { result } = await send('server/discover')
  expect(result).toMatchObject({
    supportedVersions: [revision],
    capabilities: { tools: {} },
    cacheScope: 'private',
  })
  for (const [method, params] of [
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/read', { uri: 'docs:///llms.txt' }],
  ] as const) {
    const { result: answer } = await send(method, params)
    expect(answer).toMatchObject({ resultType: 'complete', cacheScope: 'private' })
    expect(answer.ttlMs).toBeGreaterThan(0)
    expect(answer.ttlMs).toBeLessThanOrEqual(300_000)
  }
})

test.each<[fault: string, sent: Parameters<typeof send>, status: number, code: number]>([
  ['another revision', ['tools/list', {}, {}, '2027-01-01'], 400, -32_022],
  ['another method in its field', ['tools/list', {}, { 'mcp-method': 'ping' }], 400, -32_020],
  [
    'another tool in its field',
    ['tools/call', { name: 'listPets' }, { 'mcp-name': 'placeOrder' }],
    400,
    -32_020,
  ],
  ['an unknown method', ['tools/none'], 404, -32_601],
  ['a stream of changes', ['subscriptions/listen', { notifications: {} }], 200, -32_603],
])('%s is refused by the code that the protocol names', async (_, sent, status, code) => {
  expect(await send(...sent)).toMatchObject({ status, error: { code } })
})

test('a client of a revision that the server does not serve hears which it serves', async () => {
  const { error } = await send('server/discover', {}, {}, '2027-01-01')
  expect(error).toMatchObject({ code: -32_022, data: { supported: [revision], requested: '2027-01-01' } })
})

test('a message of the stateless revision costs its caller what its like costs by HTTP', async () => {
  const left = async () => Number((await store.request('/health')).headers['x-ratelimit-remaining'])
  const costOf = async (...sent: Parameters<typeof send>) => {
    const before = await left()
    const reply = await send(...sent)
    expect(reply.left).toBe(await left())
    return before - reply.left
  }
  expect(await costOf('server/discover')).toBe(0)
  expect(await costOf('tools/list')).toBe(0)
  expect(await costOf('tools/call', { name: 'getUsage', arguments: {} })).toBe(0)
  expect(await costOf('tools/call', { name: 'listPets', arguments: { limit: 1 } })).toBe(1)
  expect(await costOf('tools/call', { name: 'listPets', arguments: { limit: 'a' } })).toBe(1)
  expect(await costOf('tools/call', { name: 'none', arguments: {} })).toBe(1)
  expect(await costOf('tools/call', { name: 'listPets' }, { 'mcp-name': 'placeOrder' })).toBe(1)
})

const listOf = { responses: { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } } }

test('an argument with x-mcp-header comes as a header field, too, and both must say the same', async () => {
  const parameter = (name: string, schema: object) => ({ name, in: 'query', schema, 'x-mcp-header': name })
  const source = {
    openapi: '3.0.3',
    info: { title: 'Fields', version: '1' },
    paths: {
      '/shops': {
        get: {
          operationId: 'listShops',
          parameters: [
            parameter('Region', { $ref: '#/components/schemas/Region' }),
            parameter('open', { type: 'boolean' }),
          ],
          ...listOf,
        },
      },
    },
    components: { schemas: { Region: { type: 'string', maxLength: 20 } } },
  }
  const seen: unknown[] = []
  const app = await serve(
    source,
    {
      async listShops({ query }) {
        seen.push(query)
        return { status: 200, body: query }
      },
    },
    {},
    { corsOrigins: ['https://agents.example'] },
  )
  const url = new URL(`${await app.listen({ host: '127.0.0.1', port: 0 })}/mcp`)
  for (const kind of ['former', 'legacy', 'stateless'] as const) {
    const client = await connections[kind](url, {})
    const [tool] = (await client.listTools()).tools
    expect(tool?.inputSchema.properties).toMatchObject({
      Region: { type: 'string', 'x-mcp-header': 'Region' },
      open: { type: 'boolean', 'x-mcp-header': 'open' },
    })
    const values = { Region: `Zürich ${kind}`, open: true }
    const { structuredContent, content } = await client.callTool({ name: 'listShops', arguments: values })
    expect(structuredContent ?? content).toMatchObject(values)
    await client.close()
  }
  seen.length = 0
  const call = { name: 'listShops', arguments: { Region: 'north' } }
  for (const field of [{}, { 'mcp-param-region': 'south' }])
    expect(await send('tools/call', call, field, revision, { app })).toMatchObject({
      status: 400,
      error: { code: -32_020, message: expect.stringContaining('Mcp-Param-Region') },
    })
  expect(seen).toEqual([])
  expect(await send('tools/call', call, { 'mcp-param-region': 'north' }, revision, { app })).toMatchObject({
    status: 200,
  })
  const asked = { origin: 'https://agents.example', 'access-control-request-method': 'POST' }
  const { headers } = await app.inject({ method: 'OPTIONS', url: '/mcp', headers: asked })
  expect(headers['access-control-allow-headers']).toContain('Mcp-Param-Region, Mcp-Param-open')
  await app.close()
})

test('a search of tools is free as the docs are, up to their bound, and a call costs what its request costs', async () => {
  // No window ends meanwhile.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const paths = Object.fromEntries(
    Array.from({ length: 130 }, (_, i) => [`/things${i}`, { get: { operationId: `list${i}`, ...listOf } }]),
  )
  const source = {
    openapi: '3.0.3',
    info: { title: 'Large', version: '1' },
    'x-rate-limits': {
      windows: [{ name: 'minute', seconds: 60 }],
      plans: { Free: { minute: 1_000 } },
      anonymous: 'Free',
      ban: { refusals: 20, window: 'minute', seconds: 900 },
    },
    paths,
  }
  const app = await serve(source, ({ model }) =>
    Object.fromEntries(model.operations.map(({ id }) => [id, async () => ({ status: 200, body: {} })])),
  )
  const left = async () => Number((await app.inject('/openapi.json')).headers['x-ratelimit-remaining'])
  const costOf = async (work: () => Promise<unknown>) => {
    const before = await left()
    await work()
    return before - (await left())
  }
  const tool =
    (name: string, input = {}) =>
    () =>
      send('tools/call', { name, arguments: input }, {}, revision, { app })
  const search = tool('search_tools', { query: 'list 5' })
  expect(await search()).toMatchObject({ result: { content: [{ text: expect.stringContaining('list5') }] } })
  expect(await costOf(search)).toBe(await costOf(async () => app.inject('/docs/llms.txt')))
  for (const call of [tool('call_tool', { name: 'list5' }), tool('list5')])
    expect(await costOf(call)).toBe(await costOf(async () => app.inject('/things5')))
  expect(await costOf(tool('call_tool', { name: 'none' }))).toBe(
    await costOf(async () => app.inject('/none')),
  )
  for (let i = 0; i < mostFree; i++) await app.inject('/docs/llms.txt')
  expect(await costOf(search)).toBeGreaterThan(0)
  await app.close()
})

test('an agent without a token finds the issuer, gets a token for this resource, and has the tools of its scopes', async () => {
  await using issuer = await startIssuer()
  await using database = await freshDatabase()
  await using server = await startWithTokens(issuer.issuer, database.db)
  const url = new URL(`${server.url}/mcp`)
  for (const [clientId, most] of [
    ['reader', 'read'],
    ['writer', 'read write'],
  ] as const) {
    const authProvider = new current.ClientCredentialsProvider({
      ...{ clientId, clientSecret: issuer.secret, scope: most, expectedIssuer: issuer.issuer },
    })
    const client = new current.Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: revision } } },
    )
    await client.connect(new current.StreamableHTTPClientTransport(url, { authProvider }))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names.includes('createCategory')).toBe(clientId === 'writer')
    const call = { name: 'createCategory', arguments: { body: { name: clientId } } }
    if (clientId === 'writer') expect((await client.callTool(call)).isError).toBeFalsy()
    await client.close()
  }
})

test('who has no right token at /mcp hears where to get one, and keys work as they did', async () => {
  await using issuer = await startIssuer()
  await using database = await freshDatabase()
  await using server = await startWithTokens(issuer.issuer, database.db)
  const url = new URL(`${server.url}/mcp`)
  const place = `${url.origin}/.well-known/oauth-protected-resource/mcp`
  expect(await (await fetch(place)).json()).toEqual({
    resource: url.href,
    authorization_servers: [issuer.issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: expect.arrayContaining(['read', 'write', 'admin']),
    resource_name: 'Pet Store',
    resource_documentation: `${url.origin}/docs`,
  })
  const ask = async (headers: Fields, method = 'tools/list', params = {}) => {
    const accept = 'application/json, text/event-stream'
    const reply = await fetch(url, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return [reply.status, reply.headers.get('www-authenticate')]
  }
  const metadata = `resource_metadata="${place}"`
  const key = 'ApiKey realm="petstore"'
  expect(await ask({})).toEqual([401, `${key}, Bearer realm="petstore", ${metadata}`])
  expect(await ask(await issuer.token('reader', 'https://elsewhere.example/mcp'))).toEqual([
    401,
    `${key}, Bearer realm="petstore", error="invalid_token", error_description="The bearer token is for another audience.", ${metadata}`,
  ])
  const reader = await issuer.token('reader', url.href)
  expect(await ask(reader)).toEqual([200, null])
  const call = { name: 'createCategory', arguments: { body: { name: 'a' } } }
  expect(await ask(reader, 'tools/call', call)).toEqual([
    403,
    `Bearer realm="petstore", error="insufficient_scope", scope="write", ${metadata}`,
  ])
  expect(await ask({ 'x-api-key': server.key })).toEqual([200, null])
})

test('the metadata of a resource behind a path are at the address that clients make of its URL', async () => {
  await using prefixed = await startStore({
    contract: await changedContract(document => {
      document.components.securitySchemes.Token = { type: 'http', scheme: 'bearer' }
      document.security.push({ Token: [] })
    }),
    tokenIssuer: 'https://login.example',
    publicUrl: 'https://example.com/service',
    checkers: { Token: { find: () => ({ fault: 'is not known' }) } },
  })
  const place = '/.well-known/oauth-protected-resource/service/mcp' // RFC 9728, section 3.1
  const asked = await prefixed.app.inject({ method: 'POST', url: '/mcp', payload: {} })
  expect(asked.headers['www-authenticate']).toContain(`resource_metadata="https://example.com${place}"`)
  for (const url of [place, '/.well-known/oauth-protected-resource/mcp'])
    expect((await prefixed.app.inject(url)).json()).toMatchObject({
      resource: 'https://example.com/service/mcp',
    })
})
