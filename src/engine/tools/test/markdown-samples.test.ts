import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { expect, test } from 'vitest'
import { sampleWriter } from '../texts/samples.ts'

const ok = { 200: { description: 'ok' } }
const binary = { type: 'string', format: 'binary' }
const text = { type: 'string' }
const model = await modelFrom({
  openapi: '3.1.0',
  info: { title: 'Shapes of requests', version: '1' },
  paths: {
    '/photos/{id}': {
      post: {
        operationId: 'form',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: text, example: 'a b' },
          {
            name: 'sizes',
            in: 'query',
            required: true,
            schema: { type: 'array', items: { type: 'integer' } },
          },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
        ],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { photo: binary, note: text } },
              example: { photo: 'x', note: 'mine' },
            },
          },
        },
        security: [{ basic: [] }],
        responses: ok,
      },
      put: {
        operationId: 'bytes',
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        requestBody: { content: { 'application/octet-stream': {} } },
        security: [{ cookie: [] }],
        responses: ok,
      },
    },
    '/notes': {
      post: {
        operationId: 'json',
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
              example: { count: 'not a number' },
            },
          },
        },
        security: [{ token: [] }],
        responses: ok,
      },
    },
  },
  components: {
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
      token: { type: 'oauth2', flows: {} },
    },
  },
})

test.each<[id: string, curl: string]>([
  [
    'form',
    `curl 'https://api.example/photos/a%20b?sizes=1' \\
  -H 'Authorization: Basic YOUR_CREDENTIALS' \\
  -F 'photo=@FILE' \\
  --form-string 'note=mine'`,
  ],
  [
    'bytes',
    `curl -X PUT 'https://api.example/photos/text' \\
  -H 'Cookie: sid=YOUR_API_KEY' \\
  -H 'Content-Type: application/octet-stream' \\
  --data-binary '@FILE'`,
  ],
  [
    'json',
    `curl 'https://api.example/notes' \\
  -H 'Authorization: Bearer YOUR_TOKEN' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{
  "count": 1
}'`,
  ],
])('the Markdown of an operation has a request that a reader may send: %s', (id, curl) => {
  const operation = model.operation(id) ?? expect.fail(id)
  expect(sampleWriter(model, 'https://api.example')(operation).sh).toBe(curl)
})

test('the same request is written for each operation in curl, JavaScript and Python', async () => {
  const petStore = await ownModel()
  const write = sampleWriter(petStore, 'http://localhost:3000')
  for (const operation of petStore.operations) {
    const { sh, js, python } = write(operation)
    const [url = expect.fail(sh)] = /http:[^']+/.exec(sh) ?? []
    for (const sample of [js, python]) expect(sample).toContain(url)
    expect(url).not.toMatch(/[{}]|undefined/)
    if (operation.security.length > 0)
      for (const sample of [sh, js, python]) expect(sample).toContain('YOUR_API_KEY')
    if (operation.body?.required) expect(sh).toContain('--data-raw')
  }
})
