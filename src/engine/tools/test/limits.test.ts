import { createReplyChecker } from 'spec-served/internal/validation/replies'
import { modelFrom, ownModel } from 'spec-served-lab/support/model'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withLimits } from '../init/limits.ts'
import { serveMocks } from '../mock/serve.ts'

const library = `# A library
openapi: 3.0.3
info: { title: Library, version: "2.1" } # keep me
paths:
  /books:
    # all of them
    get:
      operationId: listBooks
      responses:
        "200": { description: ok, content: { application/json: { example: [] } } }
        429: { description: ours }
    post:
      operationId: addBook
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
      responses:
        201: { $ref: "#/components/responses/Made" }
  /news:
    get:
      operationId: readNews
      security: []
      responses:
        2XX: { description: ok }
components:
  responses:
    Made: { description: made }
  schemas:
    Error: { type: string }
    Book: { type: object, properties: { title: { type: string } } }
`

describe('init --limits', async () => {
  const limited = (source: string) => withLimits(source, 'library.yaml')
  const { text, notes } = await limited(library)
  const after = parse(text)

  test('init --limits keeps what is there, comments and order included, and adds nothing a second time', async () => {
    for (const line of library.split('\n').filter(candidate => !/200|429|201|2XX|Made:|x-/.test(candidate)))
      expect(text).toContain(line)
    const { components, paths, ...rest } = parse(library)
    expect(after).toMatchObject(rest)
    expect(after.components).toMatchObject(components)
    expect((await limited(text)).text).toBe(text)
  })

  test('init --limits adds missing refusals, header fields and scopes, and says what is left to people', () => {
    const { get, post } = after.paths['/books']
    expect(Object.keys(get.responses).sort()).toEqual([
      '200',
      '400',
      '401',
      '403',
      '414',
      '429',
      '500',
      '503',
    ])
    expect(Object.keys(post.responses)).toContain('413')
    expect([get['x-required-scope'], post['x-required-scope']]).toEqual(['read', 'write'])
    expect(after.components.responses.Made.headers).toHaveProperty('RateLimit')
    expect(after.paths['/news'].get).not.toHaveProperty('x-required-scope')
    expect(after.paths['/news'].get.responses).not.toHaveProperty('401')
    expect(notes).toEqual([
      'components/schemas/Error is something else: Error2 was added beside it.',
      '/books get has a 429 of its own: see that its body is that of the service’s errors.',
    ])
  })

  test('init --limits makes a document that is served as it says', async () => {
    const model = await modelFrom(after)
    const check = createReplyChecker(model)
    const app = await serveMocks(text, model, { isOurs: true })
    const call = async (id: string, status: number, request: object) => {
      const { statusCode, headers, body } = await app.inject({ url: '/books', ...request })
      expect(statusCode).toBe(status)
      expect(check(id, { status, headers, body: body === '' ? undefined : JSON.parse(body) })).toEqual([])
      return headers
    }
    const key = { 'x-api-key': 'any' }
    expect(await call('listBooks', 200, { headers: key })).toMatchObject({ 'x-ratelimit-limit': '300' })
    await call('listBooks', 401, {})
    await call('listBooks', 400, { url: '/books?a=1', headers: key })
    await call('addBook', 415, {
      method: 'POST',
      headers: { ...key, 'content-type': 'text/plain' },
      payload: 'x',
    })
    await call('addBook', 201, { method: 'POST', headers: key, payload: { title: 'Emma' } })
    await app.close()
  })

  test('init --limits takes JSON too', async () => {
    expect(JSON.parse((await limited(JSON.stringify(parse(library)))).text)).toEqual(
      JSON.parse(JSON.stringify(after)),
    )
  })

  test('init --limits names the refusals of the engine as `add` and the pet store do', async () => {
    const known = (await ownModel()).document.components?.responses ?? {}
    for (const [name, { 'x-codes': codes }] of Object.entries<{ 'x-codes'?: string[] }>(
      after.components.responses,
    ))
      if (codes) expect(known[name], name).toMatchObject({ 'x-codes': codes })
  })

  test('init --limits lists every code of the engine, and describes every header field', () => {
    const { Error2: schema } = after.components.schemas
    expect(schema.properties.code.enum).toEqual(expect.arrayContaining(['idempotent_reply_sealed']))
    expect(after.paths['/books'].get.responses['200'].headers).toMatchObject({
      'X-RateLimit-Limit': expect.anything(),
      'X-Content-Type-Options': expect.anything(),
    })
  })
})
