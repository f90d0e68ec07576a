import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { listen } from 'spec-served-lab/support/http'
import { modelFrom } from 'spec-served-lab/support/model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createKeeper } from '../mock/keeper.ts'
import { mockContract, serveContract } from '../mock/serve.ts'

const text = `
openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    post:
      operationId: addPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } } }
      callbacks:
        fed:
          '{$request.body#/callback}/{$response.body#/id}?from={$request.query.from}':
            put:
              requestBody: { content: { application/json: { schema: { type: object, properties: { pet: { $ref: '#/components/schemas/Pet' } } } } } }
              responses: { '200': { description: ok } }
      parameters: [{ name: from, in: query, schema: { type: string } }]
      responses: { '201': { description: added, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
    get:
      operationId: listPets
      responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } }
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }, '404': { description: none } }
  /notes:
    post:
      operationId: addNote
      requestBody: { content: { text/plain: { schema: { type: string } } } }
      responses: { '204': { description: noted } }
webhooks:
  petAdded: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }, responses: { '200': { description: ok } } } }
  heartbeat: { post: { requestBody: { content: { application/json: { schema: { type: object }, example: { at: noon } } } }, responses: { '200': { description: ok } } } }
components:
  schemas:
    NewPet: { type: object, required: [name], properties: { name: { type: string }, callback: { type: string } } }
    Pet: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string }, callback: { type: string } } }
`
interface Call {
  line: string
  type: string | undefined
  body: unknown
}
let received: Call[]
let answer: (status: (code: number, headers?: Record<string, string>) => void) => void
let receiver: Server
let [origin, said]: [string, string[]] = ['', []]
let app: FastifyInstance
beforeEach(async () => {
  // A call that is still on its way when its test ends counts for no other.
  const [calls, lines]: [Call[], string[]] = [[], []]
  received = calls
  said = lines
  answer = status => status(204)
  receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    calls.push({
      line: `${request.method} ${request.url}`,
      type: request.headers['content-type'],
      body: body === '' ? undefined : JSON.parse(body),
    })
    answer((code, headers = {}) => void response.writeHead(code, headers).end())
  })
  origin = `http://127.0.0.1:${await listen(receiver)}`
  app = await mocking(text)
})
afterEach(async () => {
  await app.close()
  receiver.closeAllConnections()
  receiver.close()
})

async function mocking(document: string) {
  const contract = mockContract(document, await modelFrom(parse(document)), false)
  const lines = said
  const webhooks = { url: new URL(`${origin}/hooks`), say: (line: string) => void lines.push(line) }
  return serveContract(contract, { keeper: createKeeper(contract, {}), webhooks })
}

const add = (body: object, query = '') => app.inject({ method: 'POST', url: `/pets${query}`, payload: body })

test('a webhook is sent after a write, with the record of the reply', async () => {
  const { id } = (await add({ name: 'Rex' })).json()
  await expect.poll(() => received.length).toBe(2)
  expect(received).toEqual([
    { line: 'POST /hooks', type: 'application/json', body: { id, name: 'Rex' } },
    { line: 'POST /hooks', type: 'application/json', body: { at: 'noon' } },
  ])
  await expect.poll(() => said).toContain(`petAdded: POST ${origin}/hooks: 204`)
})

test('a webhook of other records, a read and a refusal send none', async () => {
  await app.inject('/pets')
  expect((await add({})).statusCode).toBe(400)
  await app.inject({ method: 'POST', url: '/notes', payload: 'x', headers: { 'content-type': 'text/plain' } })
  await expect.poll(() => received.map(({ body }) => body)).toEqual([{ at: 'noon' }])
})

test('a callback is sent to the address that the request names', async () => {
  const { id } = (await add({ name: 'Rex', callback: `${origin}/fed` }, '?from=shop')).json()
  await expect.poll(() => received.map(({ line }) => line)).toContain(`PUT /fed/${id}?from=shop`)
  expect(received[0]?.body).toMatchObject({ pet: { id, name: 'Rex' } })
})

test('a callback to another host is not sent, nor one whose address the request does not name', async () => {
  const others: string[] = []
  const other = createServer((request, response) => {
    others.push(String(request.url))
    response.end()
  })
  const elsewhere = `http://127.0.0.1:${await listen(other)}`
  await add({ name: 'Rex', callback: elsewhere }, '?from=shop')
  await add({ name: 'Rex' })
  await expect.poll(() => received.length).toBe(4)
  other.close()
  expect(others).toEqual([])
  expect(said).toContain(`fed: not sent, as it leads to ${elsewhere}, and --webhooks names ${origin}`)
  expect(said).toContainEqual(expect.stringMatching(/^fed: not sent, as the request names no URL for /))
})

test('a redirect is not followed, and an end without an answer is named', async () => {
  answer = status => status(302, { Location: '/elsewhere' })
  await add({ name: 'Rex' })
  await expect.poll(() => said).toContain(`petAdded: POST ${origin}/hooks: 302`)
  expect(received.map(({ line }) => line)).not.toContain('GET /elsewhere')
})

test('calls wait in bounds, and a stop ends them', async () => {
  answer = () => {} // for ever
  for (let i = 0; i < 60; i++) await add({ name: 'Rex' })
  expect(said).toContainEqual(expect.stringMatching(/: not sent, as 100 calls wait$/))
  expect(received.length).toBeLessThanOrEqual(1)
})

test('a document without a write sends its webhooks at the start', async () => {
  const own = await mocking(text.replace(/^paths:[\s\S]*(?=^webhooks)/m, 'paths: {}\n'))
  await expect.poll(() => received.length).toBe(2)
  await own.close()
})
