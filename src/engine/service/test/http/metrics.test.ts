import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { databaseKind, freshDatabase, type TestDatabase } from 'spec-served-lab/support/database'
import { ownContract } from 'spec-served-lab/support/model'
import { service } from 'spec-served-lab/support/petstore'
import { exchange } from 'spec-served-lab/support/raw'
import { issueKey } from 'spec-served-lab/support/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listenForOperators, type OperatorsListener } from '../../process/listen.ts'
import { openMetrics } from '../../process/metrics.ts'
import { openResources, type Resources } from '../../process/resources.ts'
import { buildServer } from '../../process/server.ts'

let database: TestDatabase
let resources: Resources
let app: FastifyInstance
let listener: OperatorsListener
let key: string
const held = Promise.withResolvers<void>()
beforeAll(async () => {
  database = await freshDatabase()
  const contract = await ownContract()
  const opened = await openResources(contract, database.db, {
    name: service.name,
    probe: database.probe,
  })
  const metrics = await openMetrics({
    ...opened,
    contract,
    version: '1.0.0',
    poolState: database.pool?.state,
  })
  resources = metrics.watch(opened)
  app = await buildServer(service, contract, resources, {
    observe: metrics.observe,
    observeUnread: metrics.observeUnread,
    maxWaitMs: 60_000,
    prepare: server =>
      server.addHook('preHandler', async ({ headers }) => {
        if (headers['x-held']) await held.promise
      }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  listener = await listenForOperators({ metrics, isReady: app.isReady }, '127.0.0.1', 0)
  key = await issueKey(database.db, { plan: 'Pro' })
})
afterAll(async () => {
  await app.close()
  await listener.close()
  await resources.close()
  await database.close()
})

const show = async () => (await fetch(listener.url)).text()
/** The value of a line, by its name and labels; 0 where there is none. */
async function valueAt(line: string): Promise<number> {
  const found = (await show()).split('\n').find(candidate => candidate.startsWith(`${line} `))
  return Number(found?.slice(line.length) ?? 0)
}
/** How much a request adds to some lines. */
async function added(lines: string[], act: () => Promise<unknown>): Promise<number[]> {
  const before = await Promise.all(lines.map(valueAt))
  await act()
  const after = await Promise.all(lines.map(valueAt))
  return after.map((value, i) => value - (before[i] ?? 0))
}
const get = (url: string, apiKey = key) => app.inject({ url, headers: { 'x-api-key': apiKey } })
const requests = (operation: string, status: string) =>
  `petstore_request_duration_seconds_count{operation="${operation}",status="${status}"}`

describe('what Prometheus sees', () => {
  test.each([
    ['what was answered', '/pets', requests('listPets', '2xx')],
    ['what was refused', '/pets?limit=0', requests('listPets', '4xx')],
    ['a call of the docs', '/docs', requests('docs', '2xx')],
    ['unknown paths under one label', `/nowhere/${crypto.randomUUID()}`, requests('unknown', '4xx')],
    [
      'refusals by code and plan',
      '/pets?limit=0',
      'petstore_refusals_total{code="invalid_request",plan="Pro"}',
    ],
    ['calls of deprecated operations', '/pets/1', 'petstore_deprecated_calls_total{operation="getPet"}'],
    ['what calls leave of a quota', '/pets', 'petstore_quota_left_ratio_count{plan="Pro"}'],
  ])('Prometheus sees %s', async (_, url, line) => {
    expect(await added([line], () => get(url))).toEqual([1])
  })

  test('Prometheus sees callers that are refused over their limit, and banned for going on', async () => {
    const limited = await issueKey(database.db, { plan: 'Enterprise', quotas: { minute: 1, day: 1_000 } })
    const lines = [
      'petstore_refusals_total{code="rate_limited",plan="Enterprise"}',
      'petstore_refusals_total{code="api_key_banned",plan="Enterprise"}',
      'petstore_bans_total{of="key",plan="Enterprise"}',
    ]
    const came = await added(lines, async () => {
      for (let i = 0; i < 23; i++) await get('/pets', limited)
    })
    expect(came).toEqual([20, 2, 1])
  })

  test('Prometheus sees clients that go away before they have their reply', async () => {
    const { port } = app.server.address() as AddressInfo // it listens on TCP
    const came = await added([requests('listPets', 'aborted')], async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET /pets HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nX-Held: 1\r\n\r\n`)
      while ((await valueAt('petstore_requests_in_progress')) === 0) await sleep(5)
      socket.resetAndDestroy()
      while ((await valueAt('petstore_requests_in_progress')) > 0) await sleep(5)
      held.resolve()
    })
    expect(came).toEqual([1])
  })

  test.each([
    ['HELLO\r\n\r\n', 'invalid_request'],
    ['GET /pets HTTP/2.0\r\n\r\n', 'invalid_request'],
    ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'invalid_request'],
    [`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'header_fields_too_large'],
  ])('Prometheus sees requests that were refused before their head was read: %j', async (bytes, code) => {
    const { port } = app.server.address() as AddressInfo // it listens on TCP
    const lines = [requests('unknown', '4xx'), `petstore_refusals_total{code="${code}",plan="unknown"}`]
    expect(await added(lines, () => exchange(port, { bytes }))).toEqual([1, 1])
  })

  test.each([
    requests('placeOrder', '5xx'),
    'petstore_bans_total{of="key",plan="Pro"}',
    'petstore_bans_total{of="address",plan="Free"}',
  ])('Prometheus sees a zero for what an alert is about before the first case: %s', async line => {
    expect((await show()).split('\n')).toContain(`${line} 0`)
  })

  test('Prometheus sees the versions, the ends of operations, and the process', async () => {
    const text = await show()
    expect(text).toMatch(/^petstore_build_info\{version="[\d.]+",document="[\d.]+",.*\} 1$/m)
    expect(text).toContain(
      `petstore_sunset_timestamp_seconds{operation="getPet"} ${Date.parse('2030-12-05') / 1_000}`,
    )
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      expect(await valueAt(name)).toBeGreaterThanOrEqual(0)
  })

  test('Prometheus sees the connections to PostgreSQL, if there are any', async () => {
    await get('/pets')
    const text = await show()
    const states = ['busy', 'idle'].map(state => `petstore_database_connections{state="${state}"}`)
    const open = (await Promise.all(states.map(valueAt))).reduce((sum, count) => sum + count, 0)
    expect([open > 0, text.includes('petstore_database_waiting 0')]).toEqual(
      databaseKind === 'postgres' ? [true, true] : [false, false],
    )
    expect(text.includes('petstore_database_shared_statements{kind="reads"} 0')).toBe(
      databaseKind === 'postgres',
    )
  })

  test('Prometheus sees nothing that holds a key, an address or a path', async () => {
    await get(`/pets/${key}?q=${key}`)
    await get(`/${key}`)
    const text = await show()
    for (const word of [key.slice(9), '127.0.0.1', '/pets', 'nowhere']) expect(text).not.toContain(word)
  })
})

test('the listener shows metrics and nothing else', async () => {
  const shown = await fetch(listener.url)
  expect([shown.status, shown.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const other = async (path: string, method = 'GET') =>
    (await fetch(new URL(path, listener.url), { method })).status
  expect([await other('/'), await other('/pets'), await other('/metrics', 'POST')]).toEqual([404, 404, 405])
  expect((await app.inject('/metrics')).statusCode).toBe(404)
})

// The metrics of a pool are there on PostgreSQL only.
if (databaseKind === 'postgres')
  describe('each metric exists that is named in', () => {
    /** The names in an expression of PromQL, but for its functions, words, labels and the rules' own records. */
    function namesIn(expression: string): string[] {
      const bare = expression.replaceAll(/"[^"]*"|\{[^}]*\}|\b(by|on)\s*\([^)]*\)/g, ' ')
      return [...bare.matchAll(/\b(?:petstore|nodejs|process)_\w+/g)].map(([name]) => name)
    }
    /** Every name that a metric of the service goes by. */
    async function metricNames(): Promise<Set<string>> {
      const text = await show()
      return new Set(
        [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name = '', type]) =>
          type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
        ),
      )
    }
    /** The texts under a name, wherever they stand. */
    function textsAt(node: unknown, name: string): string[] {
      if (typeof node !== 'object' || node === null) return []
      return Object.entries(node).flatMap(([field, value]) =>
        field === name && typeof value === 'string' ? [value] : textsAt(value, name),
      )
    }

    test.each(['grafana.json', 'alerts.yaml'])('%s', async file => {
      const content: unknown = parse(await readFile(`scripts/production/${file}`, 'utf8'))
      const expressions = [...textsAt(content, 'expr'), ...textsAt(content, 'query')]
      const names = new Set(expressions.flatMap(namesIn))
      expect(names.size).toBeGreaterThan(5)
      const metrics = await metricNames()
      expect([...names].filter(name => !metrics.has(name))).toEqual([])
      const records = textsAt(content, 'record')
      for (const [name] of expressions.join('\n').matchAll(/\bpetstore:[\w:]+/g))
        expect(records).toContain(name)
    })
  })
