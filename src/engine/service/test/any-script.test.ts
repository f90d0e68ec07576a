import { type Handlers, serve } from 'spec-served-lab/support/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import type { AnyHandler } from '../routes/binding.ts'

const text = { type: 'string' }
const ok = { 200: { description: '', content: { 'application/json': { schema: { type: 'array' } } } } }
const id = { name: 'ид', in: 'path', required: true, schema: text }
const named = (name: string, schema: object) => ({ name, in: 'query', schema })
const source = {
  openapi: '3.0.3',
  info: { title: 'Зоопарк', version: '1' },
  security: [{ Key: [] }],
  tags: [{ name: 'Звери и люди' }],
  paths: {
    '/животные/{ид}': {
      get: {
        operationId: 'показать зверя',
        tags: ['Звери и люди'],
        deprecated: true,
        'x-deprecated-at': '2026-01-01',
        'x-deprecated-sunset': '2999-01-01',
        'x-successor': 'звери',
        'x-successor-url': '/хозяева/{ид}/звери?"все"=<да>',
        parameters: [id],
        responses: ok,
      },
    },
    '/хозяева/{ид}/звери': {
      get: {
        operationId: 'звери',
        tags: ['Звери и люди'],
        parameters: [
          id,
          named('limit', { type: 'integer', default: 2 }),
          named('cursor', text),
          named('вид', { type: 'array', items: text }),
          { ...named('где', { type: 'object', additionalProperties: text }), style: 'deepObject' },
        ],
        responses: ok,
      },
    },
    '/имя': { get: { operationId: 'имя', tags: ['Звери и люди'], responses: ok } },
  },
  components: { securitySchemes: { Key: { type: 'apiKey', in: 'query', name: 'ключ' } } },
}

const animals = ['а', 'б', 'в', 'г', 'д'].map((name, index) => ({ name, index }))
const handlers: Record<string, AnyHandler<Context<object>>> = {
  'показать зверя': async () => ({ status: 200, body: [] }),
  async звери({ query }, { page }) {
    const [from = -1] = page.after(['number']) ?? []
    const { limit } = query as { limit: number } // as the document says
    const found = animals.filter(({ index }) => index > from).slice(0, limit + 1)
    const { rows, headers } = page.cut(found, ({ index }) => [index])
    return { status: 200, headers, body: rows.map(({ name }) => ({ name, query })) }
  },
  имя: async () => ({ status: 200, headers: { ETag: '"1"', Location: '/имя' }, body: [] }),
}
const holder = { id: 1, scopes: [], plan: '', quotas: null, bannedUntil: null }
const checker = { find: () => holder }

let app: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  // Handlers are given a context, whatever the tests ask of it.
  app = await serve(source, handlers as Handlers, { Key: checker })
})
afterAll(() => app.close())

const get = (path: string) => app.inject({ url: encodeURI(path) })
const linkTo = (relation: string, { headers }: Awaited<ReturnType<typeof get>>) =>
  new RegExp(`<([^>]+)>; rel="${relation}"`).exec(String(headers.link))?.[1] ?? ''

describe('in a document of another script', () => {
  test('a deprecated operation of any script answers, and leads to its successor and to the docs', async () => {
    const reply = await get('/животные/"5>?ключ=k')
    expect(reply.statusCode).toBe(200)
    expect(linkTo('successor-version', reply)).toBe(encodeURI('/хозяева/"5>/звери?"все"=<да>'))
    const tag = encodeURIComponent('Звери и люди')
    expect(linkTo('deprecation', reply)).toBe(`/docs#/${tag}/${encodeURIComponent('показать зверя')}`)
  })

  test('a list of any script leads through all its pages, with its filters and without the key', async () => {
    const names: string[] = []
    const queries = new Set<string>()
    let reply = await get('/хозяева/7/звери?ключ=k&вид=кот&вид=пёс&где[цвет]=a?b')
    for (let pages = 1; ; pages++) {
      expect(reply.statusCode).toBe(200)
      for (const { name, query } of reply.json()) {
        const { cursor: _, ...filters } = query
        names.push(name)
        queries.add(JSON.stringify(Object.entries(filters).sort()))
      }
      const next = linkTo('next', reply)
      if (next === '') break
      expect(next).toMatch(/^[\x21-\x7e]+$/)
      expect(decodeURIComponent(next)).not.toContain('ключ')
      reply = await app.inject({ url: `${next}&${encodeURI('ключ=k')}` })
      expect(pages).toBeLessThan(4)
    }
    expect(names.join('')).toBe('абвгд')
    expect([...queries]).toEqual([
      JSON.stringify(Object.entries({ limit: 2, вид: ['кот', 'пёс'], где: { цвет: 'a?b' } })),
    ])
  })

  test('a cursor belongs to the list of one path', async () => {
    const { headers } = await get('/хозяева/7/звери?ключ=k')
    const reply = await get(`/хозяева/8/звери?ключ=k&cursor=${headers['x-next-cursor']}`)
    expect([reply.statusCode, reply.json().details]).toEqual([
      400,
      [{ path: '/query/cursor', message: 'belongs to another list, other filters or another order' }],
    ])
  })

  test('a header field that can’t be sent is a 500, logged like any other', async () => {
    const reply = await get('/имя?ключ=k')
    expect([reply.statusCode, reply.json().code]).toEqual([500, 'internal_error'])
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': expect.any(String) })
    expect(reply.headers.etag).toBeUndefined()
  })
})
