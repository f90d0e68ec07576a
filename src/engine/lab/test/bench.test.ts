import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { differences } from '../bench/answers.ts'
import { peerDocument } from '../bench/document.ts'
import { type Comparison, figures, median, medianRatio } from '../bench/figures.ts'
import { sendLoad } from '../bench/load.ts'

test('figures are medians of measurements in the same round', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
  expect(median([])).toBeNaN()
  // The second round was slow for both.
  expect(medianRatio([20, 2, 20], [10, 1, 10])).toBe(2)
})

test('an answer that differs is reported', () => {
  const answer = { request: 'GET /pets/1', status: 200, body: { id: 1 }, location: null, isCut: false }
  expect(differences([answer], [{ ...answer }])).toEqual([])
  expect(differences([answer], [{ ...answer, body: { id: 2 } }])).toHaveLength(1)
  expect(differences([answer], [])).toHaveLength(1)
})

test('the peers serve the document without its extensions', async () => {
  const idsOf = (document: Awaited<ReturnType<typeof peerDocument>>) =>
    Object.values(document.paths).flatMap(item => Object.values(item).map(({ operationId }) => operationId))
  const all = ['createPet', 'getPet', 'listPets', 'placeOrder']
  expect(idsOf(await peerDocument(false)).sort()).toEqual(all)
  const inNode = await peerDocument(true)
  expect(idsOf(inNode).sort()).toEqual([...all, 'createPets', 'updatePet'].sort())
  const { paths, components } = inNode
  const text = JSON.stringify({ paths, components })
  expect(text).not.toMatch(/"x-|ETag|RateLimit|Idempotency/)
  const named = Object.keys(components.schemas).map(name => `"#/components/schemas/${name}"`)
  const referred = new Set(text.match(/"#\/components\/[^"]+"/g))
  expect([...referred].filter(name => !named.includes(name))).toEqual([])
})

test('the table compares each server with the first', () => {
  const sample = { throughput: 100, p50: 1, p99: 2, serverCpu: 1, databaseCpu: 1, memory: 80 }
  const comparison: Comparison = {
    machine: '2 cores',
    date: '2026-01-01',
    settings: { rounds: 1, seconds: 1, connections: 64, answers: 1 },
    operations: [{ name: 'read', title: 'read by id' }],
    contenders: [
      { name: 'plain', atRest: 60, samples: { read: [sample] } },
      { name: 'petstore', atRest: 90, samples: { read: [{ ...sample, throughput: 150, serverCpu: 0.5 }] } },
    ],
  }
  expect(figures(comparison)).toContain('| this service | 1.50 | 0.50 | 1.00 | 80 |')
})

test('the load counts each reply once, by its status, whole or in chunks', async () => {
  const sent: Record<string, number> = {}
  const received = new Set<string>()
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const part of request) body += part
    received.add(`${request.method} ${request.url} ${request.headers['x-api-key']} ${body}`)
    const total = Object.values(sent).reduce((sum, count) => sum + count, 0)
    if (total === 50) {
      reply.destroy()
      return
    }
    reply.statusCode = total % 3 === 0 ? 409 : 201
    sent[reply.statusCode] = (sent[reply.statusCode] ?? 0) + 1
    if (total % 2 === 0) {
      reply.write('[\r\n')
      await setTimeout(2) // the client reads it meanwhile
    }
    reply.end(']')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const operation = {
    name: '',
    title: '',
    method: 'POST',
    path: '/{id}',
    body: '{"id":{id}}',
    ids: 2,
    status: 201,
  } as const
  const options = { connections: 1, seconds: 60 }
  const { statuses, errors, times } = await sendLoad(`http://127.0.0.1:${port}`, 'secret', operation, options)
  server.close()
  expect({ statuses, errors, times: times.length }).toEqual({ statuses: sent, errors: 1, times: 50 })
  expect([...received].sort()).toEqual(['POST /1 secret {"id":1}', 'POST /2 secret {"id":2}'])
})

test('a load sends a key of its own with each request, and the ETag of the last reply to the same record', async () => {
  const received: { url?: string | undefined; key: unknown; condition: unknown }[] = []
  const server = createServer((request, reply) => {
    const { 'idempotency-key': key, 'if-match': condition } = request.headers
    if (received.length === 40) return void reply.destroy()
    received.push({ url: request.url, key, condition })
    reply.setHeader('ETag', `"${request.url}-${received.length}"`).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const operation = {
    name: '',
    title: '',
    method: 'PATCH',
    path: '/{id}',
    body: '{}',
    ids: 9,
    status: 200,
  } as const
  const load = { ...operation, isKeyed: true, isConditional: true }
  await sendLoad(`http://127.0.0.1:${port}`, 'secret', load, { connections: 2, seconds: 60 })
  server.close()
  expect(new Set(received.map(({ key }) => key)).size).toBe(40)
  expect([...new Set(received.map(({ url }) => url))].sort()).toEqual(['/1', '/5'])
  for (const path of ['/1', '/5']) {
    const positions = received.flatMap(({ url }, position) => (url === path ? [position] : []))
    const conditions = positions.map(position => received[position]?.condition)
    expect(conditions).toEqual(['*', ...positions.slice(0, -1).map(position => `"${path}-${position + 1}"`)])
  }
})
