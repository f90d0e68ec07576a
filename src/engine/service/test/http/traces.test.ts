import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { context, propagation, trace } from '@opentelemetry/api'
import Fastify from 'fastify'
import { databaseKind } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { ownContract, ownModel } from 'spec-served-lab/support/model'
import { startProcess } from 'spec-served-lab/support/petstore'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openTraces } from '../../process/traces.ts'
import { silent } from '../../runtime/batch-writer.ts'

/** A span as OTLP has it in JSON. */
interface Span {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: Readonly<Record<string, unknown>> }[]
}

/** `kind` of spans (OpenTelemetry, Trace API). */
const [server, client] = [2, 3]
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

const database = shared(serverDatabase)
let collector: Server
let resource: Span['attributes'] = []
const spans: Span[] = []
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    for (const each of JSON.parse(text).resourceSpans) {
      resource = each.resource.attributes
      for (const scope of each.scopeSpans) spans.push(...scope.spans)
    }
    response.writeHead(request.url === '/v1/traces' ? 200 : 404).end('{}')
  })
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
})
afterAll(() => collector?.close())

const valuesOf = (attributes: Span['attributes']) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

test('a collector gets each request by its operation, with its statements, in the trace of its caller', async () => {
  const { port } = collector.address() as AddressInfo // it listens on TCP
  const { url, stop } = await startProcess({
    ...database.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  const key = await database.firstKey()
  const headers = {
    'X-API-Key': key,
    'Content-Type': 'application/json',
    traceparent: `00-${traceId}-${parentId}-01`,
    tracestate: `vendor=${key}`,
  }
  const ids: string[] = []
  const send = async (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const init = { method, headers: { ...headers, ...more }, body: body ? JSON.stringify(body) : null }
    const reply = await fetch(url + path, init)
    await reply.text()
    ids.push(reply.headers.get('x-request-id') ?? '')
  }
  await send('POST', '/categories', { name: 'Traced' })
  await send('GET', '/pets/999999')
  await send('GET', `/nothing/${key}?key=${key}&api_key=another-key`)
  await send('GET', '/health', undefined, { 'X-Request-Id': key })
  expect(await stop()).toBe(0)

  expect(valuesOf(resource)).toMatchObject({
    'service.name': 'Pet Store',
    'service.version': (await ownModel()).document.info.version,
    'deployment.environment.name': 'test',
  })
  const requests = spans.filter(({ kind }) => kind === server)
  const attributes = requests.map(span => valuesOf(span.attributes))
  expect(requests.map(({ name }) => name)).toEqual(['createCategory', 'getPet', 'GET', 'getHealth'])
  expect(attributes).toMatchObject([
    { 'http.request.method': 'POST', 'http.route': '/categories', 'http.response.status_code': 201 },
    {
      'http.route': '/pets/{petId}',
      'url.path': '/pets/999999',
      'http.response.status_code': 404,
      refusal: 'not_found',
    },
    { 'url.path': '/nothing/pet_live_[redacted]', 'http.response.status_code': 404 },
    { 'http.route': '/health' },
  ])
  const shownIds = attributes.map(each => JSON.stringify(each['http.response.header.x-request-id']))
  expect(shownIds).toEqual(ids.map(id => expect.stringContaining(id.replace(key, 'pet_live_[redacted]'))))
  expect(requests.map(span => [span.traceId, span.parentSpanId])).toEqual(Array(4).fill([traceId, parentId]))
  // A caller's mistake is no error of the service.
  expect(spans.map(({ status }) => status.code)).not.toContain(2)
  for (const secret of [key, 'another-key']) expect(JSON.stringify(spans)).not.toContain(secret)

  const statements = spans.filter(({ kind }) => kind === client)
  const of = (id: string | undefined) =>
    statements.filter(({ parentSpanId }) => parentSpanId === id).map(({ name }) => name)
  const statementNames = requests.map(({ spanId }) => of(spanId))
  if (databaseKind === 'postgres')
    expect(statementNames).toEqual([
      expect.arrayContaining(['INSERT']),
      expect.arrayContaining(['SELECT']),
      [],
      expect.anything(),
    ])
  else expect(statements).toEqual([])
})

test('without its collector the service serves and stops as ever, and says once why there are no traces', async () => {
  const { url, stop, output } = await startProcess({
    ...database.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', // the port of discard, where nothing listens
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
  for (let i = 0; i < 5; i++) {
    expect((await fetch(`${url}/health`)).status).toBe(200)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  expect(await stop()).toBe(0)
  expect(output().match(/Traces do not reach the collector/g)).toHaveLength(1)
})

test('a failing route is an error without its text, and keeps its own error hooks', async () => {
  const { port } = collector.address() as AddressInfo // it listens on TCP
  const traces = openTraces('Test', await ownContract(), `http://127.0.0.1:${port}`, silent)
  const app = Fastify()
  onTestFinished(() => {
    for (const global of [trace, context, propagation]) global.disable()
  })
  traces.prepare(app)
  const seen: string[] = []
  const note = (name: string) => async () => void seen.push(name)
  await app.register(async scope => {
    scope.addHook('onRoute', route => {
      route.onError = [route.onError ?? [], note('of another plugin')].flat()
    })
    const failing = async () => Promise.reject(new Error('Bob fails'))
    scope.get('/a', { onError: note('of the route') }, failing)
    scope.get('/b', failing)
  })
  for (const url of ['/a', '/b']) await app.inject(url)
  expect(seen).toEqual(['of the route', 'of another plugin', 'of another plugin'])
  await app.close()
  await traces.close()
  const failed = spans.filter(({ attributes }) => /^.[ab]$/.test(String(valuesOf(attributes)['http.route'])))
  expect(failed.map(({ status }) => status)).toEqual([{ code: 2 }, { code: 2 }])
  expect(JSON.stringify(failed)).not.toContain('Bob')
})
