import { createServer } from 'node:http'
import { listen } from 'spec-served-lab/support/http'
import { type Make, parsed } from 'spec-served-lab/support/makes/make'
import { expect, test } from 'vitest'
import { check } from './makes.ts'

const schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' } },
  additionalProperties: false,
}
const json = { 'application/json': { schema } }
const reply = (description: string) => ({ description, content: json })
const missing = { 404: { description: 'There is none' } }
const codes = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Half of all names are taken by others. */
const others = codes.slice(0, 13).flatMap(first => codes.map(second => first + second))
const countries = new Map<string, { name: string }>(others.map(code => [code, { name: `of others ${code}` }]))

const service: Make = {
  document: {
    openapi: '3.1.0',
    info: { title: 'Countries', version: '1' },
    paths: {
      '/countries/{code}': {
        parameters: [
          { name: 'code', in: 'path', required: true, schema: { type: 'string', pattern: '^[A-Z]{2}$' } },
        ],
        get: { operationId: 'getCountry', responses: { 200: reply('A country'), ...missing } },
        put: {
          operationId: 'putCountry',
          requestBody: { required: true, content: json },
          responses: { 200: reply('Replaced'), 201: reply('Made'), 422: { description: 'Not right' } },
        },
        delete: { operationId: 'removeCountry', responses: { 204: { description: 'Removed' }, ...missing } },
      },
    },
  },
  auth: [],
  faults: {},
  async start() {
    const server = createServer(async (request, response) => {
      const [, code = ''] = /^\/countries\/([A-Z]{2})$/.exec(request.url ?? '') ?? []
      const answer = (status: number, body?: object) =>
        void response
          .writeHead(status, body && { 'content-type': 'application/json' })
          .end(body && JSON.stringify(body))
      const before = countries.get(code)
      if (request.method === 'PUT' && code !== '') {
        const text = Buffer.concat(await request.toArray()).toString()
        const { name, ...more } = Object(parsed(text))
        if (typeof name !== 'string' || Object.keys(more).length > 0) return answer(422)
        countries.set(code, { name })
        return answer(before ? 200 : 201, { name })
      }
      if (!before) return answer(404)
      if (request.method !== 'DELETE') return answer(200, before)
      countries.delete(code)
      return answer(204)
    })
    return { url: `http://127.0.0.1:${await listen(server)}`, close: () => server.close() }
  },
}

test('a PUT makes records under names that nobody else has, and those of others stay', async () => {
  expect(await check(service)).toEqual({ told: [], silent: [], notes: [] })
  expect(others.filter(code => countries.get(code)?.name !== `of others ${code}`)).toEqual([])
  expect(countries.size).toBeGreaterThan(others.length)
})
