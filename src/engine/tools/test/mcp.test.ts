import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client as StatelessClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as StatelessTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { toolsOf } from 'spec-served/internal/agents/tools'
import { temporaryDirectory } from 'spec-served/internal/testing/temporary'
import { fromSources, runScript } from 'spec-served-lab/support/command'
import { type echo, serve } from 'spec-served-lab/support/engine'
import { modelFrom, ownContract } from 'spec-served-lab/support/model'
import { packageNames } from 'spec-served-lab/support/package'
import { expect, test } from 'vitest'
import { toolFaults } from '../check/tools.ts'
import { contractOf } from '../generate/contract.ts'

/** The command as a client starts it. */
async function start(...args: string[]) {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    ...{
      command: process.execPath,
      args: [fromSources, 'src/engine/service/cli.js', 'mcp', ...args],
      stderr: 'inherit',
    },
  })
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: given })
    const texts = (content as { text?: string }[]).map(({ text }) => text)
    return { isError, value: structuredContent, text: texts.join('\n') }
  }
  const namesOf = async () => (await client.listTools()).tools.map(({ name }) => name)
  return { client, call, namesOf, [Symbol.asyncDispose]: () => client.close() }
}

test('a local agent has the operations of a document as tools, which mocks answer', async () => {
  await using agent = await start('--spec', 'spec/openapi.yaml')
  expect(await agent.namesOf()).toContain('placeOrder')
  const order = await agent.call('placeOrder', { body: { petId: 1, quantity: 1 } })
  expect(order.value).toMatchObject({ petId: 1, quantity: expect.any(Number) })
  expect((await agent.call('placeOrder', { body: {} })).text).toContain('invalid_request (400)')
  const { contents } = await agent.client.readResource({ uri: 'docs:///operations/placeOrder.md' })
  expect(contents[0]).toMatchObject({ text: expect.stringContaining('POST /store/orders') })
})

test('an agent has the tools that the command chose', async () => {
  await using agent = await start('--spec', 'spec/openapi.yaml', '--tools', 'Orders,listPets', '--read-only')
  expect((await agent.namesOf()).sort()).toEqual(['getOrder', 'listOrders', 'listPets'])
})

test('a client of the stateless revision has the same tools', async () => {
  const client = new StatelessClient(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const args = [fromSources, 'src/engine/service/cli.js', 'mcp', '--spec', 'spec/openapi.yaml']
  await client.connect(new StatelessTransport({ command: process.execPath, args, stderr: 'inherit' }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('placeOrder')
  const order = await client.callTool({ name: 'placeOrder', arguments: { body: { petId: 1, quantity: 1 } } })
  expect(order.structuredContent).toMatchObject({ petId: 1 })
  await client.close()
})

test('a start without the package of the protocol says how to install it', async () => {
  const copy = temporaryDirectory()
  const isOfTests = (path: string) => /\/(test|dist)$/.test(path)
  await cp('src/engine', join(copy, 'src/engine'), { recursive: true, filter: path => !isOfTests(path) })
  const modules = join(copy, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir('node_modules'))
    if (!/^\.|^@modelcontextprotocol$|^spec-served/.test(name))
      await symlink(resolve('node_modules', name), join(modules, name))
  for (const [folder, name] of Object.entries(packageNames))
    await symlink(join(copy, 'src/engine', folder), join(modules, name))
  const command = [join(copy, 'src/engine/service/cli.js'), 'mcp']
  const { stderr } = await promisify(execFile)(process.execPath, command, {
    cwd: copy,
    timeout: 290_000,
  }).catch(error => error)
  await rm(copy, { recursive: true })
  expect(stderr).toBe('Tools for agents need a package: npm install @modelcontextprotocol/server\n')
})

const content = { 'application/json': { schema: { type: 'object' } } }
const guarded = (operationId: string, scheme: string) => ({
  operationId,
  security: [{ [scheme]: [] }],
  responses: { 200: { description: 'ok', content } },
})
const document = {
  openapi: '3.0.3',
  info: { title: 'Guarded', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/token': { get: guarded('byToken', 'Token') },
    '/query': { get: guarded('byQuery', 'Query') },
    '/cookie': { get: guarded('byCookie', 'Cookie') },
    '/basic': { get: guarded('byBasic', 'Basic') },
    '/open': { get: { operationId: 'open', responses: { 200: { description: 'ok', content } } } },
  },
  components: {
    securitySchemes: {
      Token: { type: 'apiKey', in: 'header', name: 'X-Token' },
      Query: { type: 'apiKey', in: 'query', name: 'key' },
      Cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
      Basic: { type: 'http', scheme: 'basic' },
    },
  },
}
const holder = { id: 1, scopes: [], plan: '', quotas: null, bannedUntil: null }
const checker = {
  find: ({ value }: { value: string }) => (value === 'rex:a key' ? holder : { fault: 'is not known' }),
}

test('it calls a service at a URL with a key, wherever the document asks for one, and open operations without', async () => {
  const handler: typeof echo = async ({ headers }) => ({
    status: 200,
    body: { agent: headers['user-agent'] },
  })
  const ids = ['byToken', 'byQuery', 'byCookie', 'byBasic', 'open']
  const handlers = Object.fromEntries(ids.map(id => [id, handler]))
  const app = await serve(document, handlers, {
    Token: checker,
    Query: checker,
    Cookie: checker,
    Basic: checker,
  })
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`
  {
    await using agent = await start('--url', url, '--key', 'rex:a key')
    expect(await agent.namesOf()).toEqual(ids)
    for (const id of ids)
      expect(await agent.call(id), id).toMatchObject({ value: { agent: expect.any(String) } })
  }
  {
    await using nobody = await start('--url', url)
    expect(await nobody.namesOf()).toEqual(['open'])
    expect((await nobody.call('byToken')).text).toContain('unauthenticated (401)')
  }
  await app.close()
})

/** A server that notes what comes, and answers with an empty object. */
async function listener() {
  const seen: { url: string | undefined; key: unknown }[] = []
  const server = createServer(({ url, headers }, reply) => {
    seen.push({ url, key: headers['x-token'] })
    reply.setHeader('content-type', 'application/json').end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens by TCP
  return { seen, host: `127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

test('a key goes to the host of --url alone, whatever servers the document names', async () => {
  await using own = await listener()
  await using other = await listener()
  const get = (operationId: string, ...servers: string[]) => ({
    get: { ...guarded(operationId, 'Token'), ...(servers[0] && { servers: servers.map(url => ({ url })) }) },
  })
  const file = join(temporaryDirectory(), 'document.json')
  const paths = {
    '/a': get('doubled', `https://api.example//${other.host}`),
    '/b': get('backslashed', `https://api.example/\\${other.host}`),
    '/c': get('absolute', `http://${other.host}/`),
    '/d': { servers: [{ url: `//${other.host}` }], ...get('ofPath') },
    '/e': get('plain'),
  }
  await writeFile(
    file,
    JSON.stringify({ ...document, servers: [{ url: `https://api.example//${other.host}` }], paths }),
  )
  for (const url of [`http://${own.host}`, `http://${own.host}//${other.host}`]) {
    await using agent = await start('--spec', file, '--url', url, '--key', 'a key')
    const names = await agent.namesOf()
    expect(names).toHaveLength(5)
    for (const name of names) expect(await agent.call(name), name).toMatchObject({ value: {} })
  }
  expect(other.seen).toEqual([])
  expect(own.seen.map(({ key }) => key)).toEqual(Array(10).fill('a key'))
  expect(own.seen.map(({ url }) => url)).toContain('/e?key=a+key')
})

test('a redirect is reported as a redirect, and not as done', async () => {
  await using other = await listener()
  const server = createServer(({ url }, reply) => {
    reply
      .writeHead(url?.startsWith('/declared') ? 303 : 307, { location: `http://${other.host}/new` })
      .end('gone')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens by TCP
  const get = (operationId: string, more: object = {}) => {
    const { responses, ...operation } = guarded(operationId, 'Token')
    return { get: { ...operation, responses: { ...responses, ...more } } }
  }
  const paths = { '/a': get('undeclared'), '/declared': get('declared', { 303: { description: 'see' } }) }
  const file = join(temporaryDirectory(), 'document.json')
  await writeFile(file, JSON.stringify({ ...document, servers: undefined, paths }))
  {
    await using agent = await start('--spec', file, '--url', `http://127.0.0.1:${port}`, '--key', 'a key')
    expect(await agent.call('undeclared')).toMatchObject({
      isError: true,
      text: expect.stringContaining(`Not done (307): the service redirects to http://${other.host}/new`),
    })
    const told = await agent.call('declared')
    expect(told.isError).toBeFalsy()
    expect(told.text).toContain(`The reply (303) leads to http://${other.host}/new.`)
  }
  expect(other.seen).toEqual([])
  server.closeAllConnections()
  server.close()
})

test.each(['//a.example/x', '/\\a.example/x', '/\t/a.example/x', '///x'])(
  'the path %j, which clients read as another host, is a fault of the document',
  async path => {
    const file = join(temporaryDirectory(), 'document.json')
    await writeFile(
      file,
      JSON.stringify({ ...document, paths: { [path]: { get: guarded('one', 'Token') } } }),
    )
    const { code, stderr } = await runScript('mcp', ['--spec', file, '--url', 'http://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(stderr).toContain('as another host (RFC 3986, section 4.2): begin it with one slash.')
  },
)

test.each([
  [['--url', 'nowhere'], '--url needs a URL'],
  [['--url', 'http://127.0.0.1:1'], 'there is no document at http://127.0.0.1:1/openapi.json'],
  [['--spec', 'none.yaml'], 'none.yaml'],
  [['--spec', 'spec/openapi.yaml', '--tools', 'Sales'], 'No tag and no operation is called Sales'],
])('%s is refused with a remedy', async (args, message) => {
  const { code, stderr } = await runScript('mcp', args)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toContain(message)
})

test.each([
  ['mcp', ['--url', 'http://127.0.0.1:1', '--key', 'SECRET\nSECRET']],
  ['mcp', ['--spec', 'spec/openapi.yaml', '--key', 'SECRET\rSECRET']],
  ['scripts/demo.ts', ['--url', 'http://127.0.0.1:1', '--key', 'SECRET\nSECRET']],
  ['check:contract', ['--url', 'http://127.0.0.1:1', '--key', 'SECRET\u0001SECRET']],
] as const)('%s %j is refused without its key', async (name, args) => {
  const { code, stdout, stderr } = await runScript(name, [...args])
  expect(code).toBe(2)
  expect(stderr).toContain('The key holds a line break')
  expect(stdout + stderr).not.toContain('SECRET')
})

test.each([
  ['mcp', 'API_KEY'],
  ['scripts/demo.ts', 'API_KEY'],
  ['check:contract', '--key-file FILE'],
])('%s names %s before --key, which others can see', async (name, better) => {
  const { stdout } = await runScript(name, ['--help'])
  expect(stdout.indexOf(better)).toBeGreaterThan(0)
  expect(stdout.indexOf(better)).toBeLessThan(stdout.indexOf('  --key '))
  expect(stdout).toMatch(/ --key .* on this machine can see/)
})

test('the check names a tool that refuses what the document takes', async () => {
  const contract = await ownContract()
  const tools = toolsOf(contract)
  expect(toolFaults(contract, tools)).toEqual([])
  const spoilt = tools.map(({ definition, ...tool }) => {
    const inputSchema = {
      ...definition.inputSchema,
      properties: { ...definition.inputSchema.properties, body: { type: 'string' } },
    }
    return {
      ...tool,
      definition: tool.operation.id === 'placeOrder' ? { ...definition, inputSchema } : definition,
    }
  })
  expect(toolFaults(contract, spoilt)).toEqual([
    expect.stringMatching(/^placeOrder: its tool refuses what the document takes: \/body must be string/),
  ])
})

test('a tool has no bound of a whole number that no double holds', async () => {
  const n = (bounds: object) => ({ type: 'integer', format: 'int64', ...bounds })
  const schemas = [
    n({ minimum: -(2 ** 63), maximum: 2 ** 63 }),
    n({ minimum: 1, exclusiveMaximum: 2 ** 63 }),
    { type: 'number', maximum: 1e300 },
  ]
  const parameters = schemas.map((schema, i) => ({ name: `n${i}`, in: 'query', schema }))
  const get = { operationId: 'count', parameters, responses: { 200: { description: 'ok' } } }
  const source = {
    openapi: '3.1.0',
    info: { title: 'Counters', version: '1' },
    paths: { '/counters': { get } },
  }
  const [tool] = toolsOf(contractOf('', await modelFrom(source)))
  expect(tool?.definition.inputSchema.properties).toEqual({
    n0: { type: 'integer' },
    n1: { type: 'integer', minimum: 1 },
    n2: { type: 'number', maximum: 1e300 },
  })
})

test('the check names a header field for which clients leave out a tool', async () => {
  const faultsWith = async (...parameters: object[]) => {
    const source = {
      openapi: '3.0.3',
      info: { title: 'Fields', version: '1' },
      paths: {
        '/shops': {
          get: { operationId: 'listShops', parameters, responses: { 200: { description: 'ok' } } },
        },
      },
    }
    const contract = contractOf('', await modelFrom(source))
    return toolFaults(contract, toolsOf(contract))
  }
  const one = (name: string, schema: object, field = name) => ({
    name,
    in: 'query',
    schema,
    'x-mcp-header': field,
  })
  const text = { type: 'string' }
  expect(await faultsWith(one('a', text), one('b', { type: 'integer' }))).toEqual([])
  const told = 'listShops: clients leave out its tool: '
  expect(await faultsWith(one('a', { type: 'number' }))).toEqual([
    `${told}a has an x-mcp-header, and is no text, whole number or truth value`,
  ])
  expect(await faultsWith(one('a', text), one('b', text, 'A'))).toEqual([
    `${told}two arguments have the x-mcp-header A`,
  ])
  expect(await faultsWith(one('a', text, 'a b'))).toEqual([
    `${told}the x-mcp-header of a is no name of a header field`,
  ])
})
