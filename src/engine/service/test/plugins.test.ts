import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import session from '@fastify/session'
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type InjectOptions } from 'fastify'
import fp from 'fastify-plugin'
import { echo, serve } from 'spec-served-lab/support/engine'
import { Type } from 'typebox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Checker } from '../callers/security.ts'
import type { Context } from '../context.ts'
import type { EngineOptions } from '../engine.ts'

declare module 'fastify' {
  interface Session {
    user?: string
  }
}

const text = { content: { 'application/json': { schema: { type: 'string' } } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  security: [{ Key: [] }],
  'x-rate-limits': {
    windows: [{ name: 'minute', seconds: 60 }],
    plans: { Free: { minute: 2 }, Paid: { minute: 1000 } },
    anonymous: 'Free',
    ban: { refusals: 20, window: 'minute', seconds: 900 },
  },
  components: { securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        'x-required-scope': 'read',
        parameters: [{ name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } }],
        responses: { 200: { description: 'ok', ...text } },
      },
      post: {
        operationId: 'addNote',
        'x-required-scope': 'write',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'ok' } },
      },
      delete: { operationId: 'removeNotes', security: [], responses: { 204: { description: 'gone' } } },
    },
  },
}
/** Knows the keys `read`, `write` and `idle` by their scope, and `free` with the plan of few requests. */
const checker: Checker = {
  find({ value: id }) {
    if (!['read', 'write', 'idle', 'free'].includes(id)) return { fault: 'is unknown' }
    const plan = id === 'free' ? 'Free' : 'Paid'
    return { id, scopes: [id === 'free' ? 'read' : id], plan, quotas: null, bannedUntil: null }
  },
}
const handlers = {
  listNotes: async (_: unknown, context: object) => {
    const { request } = context as Context<unknown> // of this operation, as of all that may not be repeated
    return { status: 200, body: (request.session as { user?: string } | undefined)?.user ?? 'nobody' }
  },
  addNote: echo,
  removeNotes: async () => ({ status: 204 }),
}

async function serviceWith(
  plugins: EngineOptions['plugins'],
  options: EngineOptions = {},
): Promise<FastifyInstance> {
  const app = await serve(document, handlers, { Key: checker }, { plugins, ...options })
  onTestFinished(() => app.close())
  return app
}

/** Registers a plugin on plain Fastify, and on a service: within a context of its own, and in the outermost one. */
const hosts: [string, (plugin: FastifyPluginAsync) => Promise<FastifyInstance>][] = [
  [
    'plain Fastify',
    async plugin => {
      const app = Fastify()
      await app.register(plugin)
      onTestFinished(() => app.close())
      return app
    },
  ],
  ['a service', async plugin => serviceWith([plugin])],
  ['a service, by fastify-plugin', async plugin => serviceWith([fp(plugin)])],
]

const whole = { type: 'object', properties: { n: { type: 'integer', minimum: 5 } }, required: ['n'] }
const routes: FastifyPluginAsync = async app => {
  app.get('/query', async ({ query }) => ({ query }))
  app.get('/checked', { schema: { querystring: whole } }, async ({ query }) => ({ query }))
  app.get('/params/:n', { schema: { params: whole } }, async ({ params }) => ({ params }))
  app.get('/headers', { schema: { headers: whole } }, async ({ headers }) => ({ n: headers.n }))
  app.post('/body', async ({ body }) => ({ body }))
  app.post('/checked', { schema: { body: whole } }, async ({ body }) => ({ body }))
  app.delete('/body', async ({ body }) => ({ body }))
  app.post('/refusing', async () => {
    throw Object.assign(new Error('No room'), { statusCode: 409 })
  })
}

describe.each(hosts)('a route of a plugin in %s', (_, host) => {
  test.each<[string, InjectOptions, number, object]>([
    ['a query', { url: '/query?a=1&b=2&b=3' }, 200, { query: { a: '1', b: ['2', '3'] } }],
    ['a query that fits its schema', { url: '/checked?n=7' }, 200, { query: { n: 7 } }],
    [
      'a query that does not',
      { url: '/checked?n=1' },
      400,
      { code: 'FST_ERR_VALIDATION', error: 'Bad Request', message: 'querystring/n must be >= 5' },
    ],
    ['a path', { url: '/params/7' }, 200, { params: { n: 7 } }],
    ['a wrong path', { url: '/params/x' }, 400, { message: 'params/n must be integer' }],
    ['header fields', { url: '/headers', headers: { n: '7' } }, 200, { n: 7 }],
    ['missing header fields', { url: '/headers' }, 400, { code: 'FST_ERR_VALIDATION' }],
    ['a body', { method: 'POST', url: '/body', payload: { n: 5 } }, 200, { body: { n: 5 } }],
    ['a body of DELETE', { method: 'DELETE', url: '/body', payload: { n: 5 } }, 200, { body: { n: 5 } }],
    ['a body that fits', { method: 'POST', url: '/checked', payload: { n: 5 } }, 200, { body: { n: 5 } }],
    [
      'a body that does not fit',
      { method: 'POST', url: '/checked', payload: { n: 'x' } },
      400,
      { code: 'FST_ERR_VALIDATION', message: 'body/n must be integer' },
    ],
    [
      'a body that is no JSON',
      { method: 'POST', url: '/body', payload: '{', headers: { 'content-type': 'application/json' } },
      400,
      { code: 'FST_ERR_CTP_INVALID_JSON_BODY' },
    ],
    [
      'a body of another type',
      { method: 'POST', url: '/body', payload: '{', headers: { 'content-type': 'a/b' } },
      415,
      { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' },
    ],
    ['an error with a status', { method: 'POST', url: '/refusing' }, 409, { message: 'No room' }],
  ])('gets %s as in any app', async (_title, call, status, seen) => {
    const app = await host(routes)
    const reply = await app.inject(call)
    expect([reply.statusCode, reply.json()]).toEqual([status, expect.objectContaining(seen)])
  })
})

/** A reply of each kind: a success, and the refusals of each stage. */
const replies: [string, InjectOptions, number][] = [
  ['a success', { url: '/notes', headers: { 'x-key': 'read' } }, 200],
  ['no key', { url: '/notes' }, 401],
  ['a scope that is missing', { url: '/notes', headers: { 'x-key': 'idle' } }, 403],
  ['an unknown path', { url: '/none', headers: { 'x-key': 'read' } }, 404],
  ['a method that the path lacks', { method: 'PUT', url: '/notes', headers: { 'x-key': 'read' } }, 405],
  ['a wrong query', { url: '/notes?x=1', headers: { 'x-key': 'read' } }, 400],
  [
    'a wrong media type',
    { method: 'POST', url: '/notes', payload: 'x', headers: { 'x-key': 'write', 'content-type': 'a/b' } },
    415,
  ],
  ['OPTIONS', { method: 'OPTIONS', url: '/notes' }, 204],
  ['the docs', { url: '/docs' }, 200],
]

/** Calls once for each kind of reply, and until a caller has no calls left. */
async function eachReply(app: FastifyInstance, headers: Record<string, string> = {}) {
  const fields = []
  for (const [name, call, status] of replies) {
    const reply = await app.inject({ ...call, headers: { ...headers, ...call.headers } })
    expect([name, reply.statusCode]).toEqual([name, status])
    fields.push(reply.headers)
  }
  const call = { url: '/notes', headers: { ...headers, 'x-key': 'free' } }
  const spent = [await app.inject(call), await app.inject(call), await app.inject(call)]
  expect(spent.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
  return [...fields, ...spent.map(reply => reply.headers)]
}

test('hooks of a plugin see each request and each reply, whichever stage refuses it', async () => {
  const plugin = fp(async instance => {
    instance.addHook('onRequest', async ({ query }, reply) => {
      reply.header('x-query', Object.keys(query as object).join()) // as Fastify's own parser reads it
    })
    instance.addHook('onSend', async (_, reply) => void reply.header('x-on-send', 'yes'))
  })
  const app = await serviceWith([plugin])
  for (const fields of await eachReply(app))
    expect(fields).toMatchObject({ 'x-query': expect.any(String), 'x-on-send': 'yes' })
  const { headers } = await app.inject('/notes?tag=1&limit=2')
  expect(headers['x-query']).toBe('tag,limit')
})

test('a plugin sees the routes of operations with JSON Schemas of their parameters', async () => {
  const seen = new Map<string | undefined, unknown>()
  const plugin = fp(async app => {
    app.addHook('onRoute', ({ method, config, schema }) => {
      if (method !== 'HEAD') seen.set(config?.operationId, schema?.querystring)
    })
  })
  await serviceWith([plugin])
  const tag = { type: 'array', items: { type: 'string' } }
  expect(seen.get('listNotes')).toEqual({ type: 'object', properties: { tag }, required: [] })
  expect(seen.get('addNote')).toBeUndefined()
})

test('the header fields of @fastify/helmet are on each reply', async () => {
  const app = await serviceWith([helmet])
  for (const fields of await eachReply(app))
    expect(fields).toMatchObject({
      'strict-transport-security': expect.any(String),
      'x-frame-options': 'SAMEORIGIN',
    })
})

test('@fastify/cors lets pages read each reply, and answers their preflight requests', async () => {
  const origin = 'https://shop.example'
  const plugin = fp(async instance => {
    await instance.register(cors, { origin: [origin], strictPreflight: false })
  })
  const app = await serviceWith([plugin])
  for (const fields of await eachReply(app, { origin }))
    expect(fields).toMatchObject({
      'access-control-allow-origin': origin,
      vary: expect.stringMatching(/Origin/),
    })
  const preflight = await app.inject({
    ...({ method: 'OPTIONS', url: '/notes' } as const),
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'X-Key' },
  })
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': expect.stringContaining('POST'),
    'access-control-allow-headers': 'X-Key',
  })
  expect((await app.inject({ url: '/none', headers: { 'x-key': 'read' } })).statusCode).toBe(404)
})

test('a session of @fastify/session is known in routes of plugins and in handlers of operations', async () => {
  const plugin = fp(async instance => {
    await instance.register(cookie)
    await instance.register(session, {
      secret: 'a secret of at least 32 letters!',
      cookie: { secure: false },
    })
    instance.post('/login', async request => {
      request.session.user = (request.body as { user: string }).user
      return { ok: true }
    })
    instance.get('/me', async request => ({ user: request.session.user ?? null }))
  })
  const app = await serviceWith([plugin])
  const login = await app.inject({ method: 'POST', url: '/login', payload: { user: 'ann' } })
  const { sessionId = '' } = Object.fromEntries(login.cookies.map(({ name, value }) => [name, value]))
  const cookies = { sessionId }
  expect((await app.inject({ url: '/me', cookies })).json()).toEqual({ user: 'ann' })
  expect((await app.inject('/me')).json()).toEqual({ user: null })
  expect((await app.inject({ url: '/notes', cookies, headers: { 'x-key': 'read' } })).json()).toBe('ann')
})

test('@fastify/multipart reads the files of a route of a plugin', async () => {
  const plugin = fp(async instance => {
    await instance.register(multipart)
    instance.post('/upload', async request => {
      const file = await request.file()
      return { name: file?.filename, text: String(await file?.toBuffer()) }
    })
  })
  const app = await serviceWith([plugin])
  const form = new FormData()
  form.append('file', new File(['hello'], 'a.txt'))
  expect((await app.inject({ method: 'POST', url: '/upload', payload: form })).json()).toEqual({
    ...{ name: 'a.txt', text: 'hello' },
  })
  const operation = { method: 'POST', url: '/notes', payload: form, headers: { 'x-key': 'write' } } as const
  expect((await app.inject(operation)).statusCode).toBe(415)
})

describe('@fastify/websocket', () => {
  const plugin = fp(async app => {
    await app.register(websocket)
    app.get('/chat', { websocket: true }, (socket, request) => {
      socket.on('message', (message: Buffer) => socket.send(`${request.url} ${message}`))
    })
  })

  test('a route of a plugin talks by WebSocket, and operations are served beside it', async () => {
    const app = await serviceWith([plugin])
    const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const socket = new WebSocket(`ws://${url.host}/chat`)
    const said = await new Promise((resolve, reject) => {
      socket.onopen = () => socket.send('hello')
      socket.onmessage = ({ data }) => resolve(data)
      socket.onerror = reject
      socket.onclose = reject
    })
    expect(said).toBe('/chat hello')
    expect((await fetch(new URL('/notes', url), { headers: { 'x-key': 'read' } })).status).toBe(200)
    socket.close()
  })

  test('connections that a plugin has taken show no overload', async () => {
    const app = await serviceWith([plugin], { maxWaitMs: 1, handlerTimeoutMs: 300_000 })
    const free = await app.inject('/none')
    expect(free.statusCode).toBe(404)
    await Promise.all(Array.from({ length: 140 }, () => app.injectWS('/chat')))
    const end = performance.now() + 1_000
    while (performance.now() < end) {
      const { statusCode } = await app.inject({ url: '/notes', headers: { 'x-key': 'read' } })
      expect(statusCode).toBe(200)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  })
})

describe('a route with types of its own', () => {
  const operation = {
    method: 'POST',
    url: '/notes',
    payload: { a: 1 },
    headers: { 'x-key': 'write' },
  } as const

  test('is checked by TypeBox', async () => {
    const plugin = fp(async instance => {
      const typed = instance
        .withTypeProvider<TypeBoxTypeProvider>()
        .setValidatorCompiler(TypeBoxValidatorCompiler)
      const body = Type.Object({ n: Type.Integer({ minimum: 5 }) })
      typed.post('/own', { schema: { body } }, async request => ({ next: request.body.n + 1 }))
    })
    const app = await serviceWith([plugin])
    const call = (n: unknown) => app.inject({ method: 'POST', url: '/own', payload: { n } })
    expect((await call(5)).json()).toEqual({ next: 6 })
    expect((await call('x')).json()).toMatchObject({ statusCode: 400, code: 'FST_ERR_VALIDATION' })
    expect((await app.inject(operation)).json()).toEqual({ a: 1 })
  })

  test('is checked by Zod, its query as well', async () => {
    const plugin = fp(async instance => {
      instance.setValidatorCompiler<z.ZodType>(({ schema }) => data => {
        const { success, data: value, error } = schema.safeParse(data)
        return success ? { value } : { error }
      })
      instance.setSerializerCompiler<z.ZodType>(
        ({ schema }) =>
          data =>
            JSON.stringify(schema.parse(data)),
      )
      const querystring = z.object({ n: z.coerce.number().int().min(5) })
      const routeSchema = { querystring, response: { 200: z.object({ next: z.number() }) } }
      instance.get<{ Querystring: z.infer<typeof querystring> }>(
        '/own',
        { schema: routeSchema },
        async ({ query }) => ({
          next: query.n + 1,
        }),
      )
    })
    const app = await serviceWith([plugin])
    expect((await app.inject('/own?n=5')).json()).toEqual({ next: 6 })
    expect((await app.inject('/own?n=x')).json()).toMatchObject({
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
    })
    expect((await app.inject(operation)).json()).toEqual({ a: 1 })
  })
})

test('a route of a plugin is logged, limited, and answered in the form of the service where that refuses it', async () => {
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
  const logged = fp(async instance => {
    instance.get('/own', async () => ({ ok: true }))
    instance.get('/broken', async () => {
      throw new Error('A secret')
    })
  })
  const nested: FastifyPluginAsync = async instance => {
    instance.get('/nested', async ({ caller }) => caller.plan)
  }
  const app = await serviceWith([logged, nested], { logger })
  expect((await app.inject({ url: '/nested', headers: { 'x-key': 'read' } })).body).toBe('Paid')
  const { headers } = await app.inject('/own')
  expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-ratelimit-limit': '2' })
  expect(lines.filter(line => line.includes('request completed'))).toHaveLength(2)
  const broken = await app.inject('/broken')
  expect([broken.statusCode, broken.json().code]).toEqual([500, 'internal_error'])
  expect(broken.body).not.toContain('secret')
  let last = await app.inject('/own')
  for (let i = 0; i < 1_000 && last.statusCode === 200; i++) last = await app.inject('/nested')
  expect(last.json()).toMatchObject({ code: 'rate_limited', status: 429 })
})
