import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { dataDirectory } from 'spec-served-lab/support/data-directory'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { expect, test } from 'vitest'
import { createService, servicePlugin } from '../index.ts'

const directory = sharedDirectory()

/** Settings of a service on a database of its own. */
const settings = async () => ({
  DATA_DIR: await dataDirectory(join(directory, crypto.randomUUID())),
  LOG_LEVEL: 'silent',
})

test('a service opened in a program answers, and closes its database', async () => {
  const env = await settings()
  const app = await createService(service, env)
  expect((await app.inject('/health')).json()).toMatchObject({ status: 'ok' })
  await app.close()
  const again = await createService(service, env) // the directory is free again
  await again.close()
})

test('a start does not load Node’s fetch, which takes longer than Node itself', async () => {
  const program = `
    const { Session } = await import('node:inspector')
    const session = new Session()
    session.connect()
    const loaded = []
    session.on('Debugger.scriptParsed', ({ params }) => loaded.push(params.url))
    session.post('Debugger.enable')
    await import('./src/engine/service/process/service.ts')
    await import('./src/engine/service/process/server.ts')
    console.log(loaded.filter(url => /(_http_server|undici)$/.test(url)).join())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout.trim()).toBe('node:_http_server')
})

test('a wrong setting is reported, and nothing stays open', async () => {
  const env = await settings()
  await expect(createService(service, { ...env, MAX_WAIT_MS: 'soon' })).rejects.toMatchObject({
    errors: [expect.objectContaining({ message: expect.stringContaining('MAX_WAIT_MS') })],
  })
  await (await createService(service, env)).close()
})

test('plugins of a project add hooks to all routes, and routes beside the operations', async () => {
  const plugins = [
    fp(async instance => {
      instance.addHook('onSend', async (_, reply) => void reply.header('X-Own', 'yes'))
      instance.get('/own', async () => ({ own: true }))
    }),
  ]
  const app = await createService({ ...service, plugins }, await settings())
  const [added, health, missing] = await Promise.all(['/own', '/health', '/none'].map(url => app.inject(url)))
  expect([added?.json(), added?.headers['x-own']]).toEqual([{ own: true }, 'yes'])
  expect([health?.statusCode, health?.headers['x-own']]).toEqual([200, 'yes'])
  expect(missing?.statusCode).toBe(404)
  await app.close()
})

test('a service within another server leaves it the routes that it lacks', async () => {
  const outer = Fastify()
  outer.get('/mine', async () => ({ mine: true }))
  await outer.register(servicePlugin, { service, settings: await settings() })
  const url = await outer.listen({ port: 0, host: '127.0.0.1' })
  const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  expect(await (await get('/mine')).json()).toEqual({ mine: true })
  expect((await get('/health')).headers.get('x-request-id')).not.toBeNull()
  const missing = await get('/none')
  expect([missing.status, await missing.json()]).toEqual([
    404,
    expect.objectContaining({ code: 'not_found' }),
  ])
  expect((await get('/docs/')).status).toBe(200)
  const body = { method: 'POST', body: '{"name":"x"}', headers: { 'content-type': 'application/json' } }
  expect((await get('/pets', body)).status).toBe(401)
  await outer.close()
})

test('header fields of the hooks of another server are on the replies of a service within it', async () => {
  const outer = Fastify()
  outer.addHook('onRequest', async (_, reply) => {
    reply.header('x-own', 'yes').header('vary', 'Origin').header('set-cookie', ['a=1', 'b=2'])
  })
  await outer.register(servicePlugin, { service, settings: await settings() })
  const url = await outer.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/health', '/none', '/docs/', '/pets']) {
    const { headers } = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    expect([headers.get('x-own'), headers.getSetCookie()], path).toEqual(['yes', ['a=1', 'b=2']])
    expect(headers.get('vary'), path).toMatch(/^Origin\b/)
    expect(headers.get('x-request-id'), path).not.toBeNull()
  }
  expect((await fetch(`${url}/docs/`)).headers.get('vary')).toMatch(/^Origin, .*accept-encoding/i)
  await outer.close()
})

test('pages of other origins call a service within a server whose hooks allow them, and each call is logged', async () => {
  const origin = 'https://shop.example'
  const ended: string[] = []
  const outer = Fastify()
  // As @fastify/cors and @fastify/helmet do.
  outer.addHook('onRequest', (request, reply, done) => {
    reply.header('access-control-allow-origin', origin).header('x-frame-options', 'SAMEORIGIN')
    if (request.method !== 'OPTIONS') return done()
    reply.header('access-control-allow-methods', 'GET, POST').code(204).send()
  })
  outer.addHook('onResponse', async request => void ended.push(`${request.method} ${request.url}`))
  await outer.register(servicePlugin, { service, settings: await settings() })
  const url = await outer.listen({ port: 0, host: '127.0.0.1' })
  const asked = { origin, 'access-control-request-method': 'POST' }
  const preflight = await fetch(`${url}/pets`, { method: 'OPTIONS', headers: asked })
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
    204,
    'GET, POST',
  ])
  for (const path of ['/pets', '/health', '/none']) {
    const { headers } = await fetch(`${url}${path}`, { headers: { origin } })
    expect(headers.get('access-control-allow-origin'), path).toBe(origin)
    expect(headers.get('x-frame-options'), path).toBe('SAMEORIGIN')
  }
  await expect.poll(() => ended).toEqual(['OPTIONS /pets', 'GET /pets', 'GET /health', 'GET /none'])
  await outer.close()
})

test('a service within another server may open longer than a plugin may take', async () => {
  const outer = Fastify({ pluginTimeout: 150 })
  outer.get('/mine', async () => ({ mine: true }))
  outer.register(servicePlugin, { service, settings: await settings() })
  const url = await outer.listen({ port: 0, host: '127.0.0.1' })
  expect((await fetch(`${url}/mine`)).status).toBe(200)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  await outer.close()
  const wrong = Fastify()
  wrong.register(servicePlugin, { service, settings: { ...(await settings()), PORT: 'x' } })
  await expect(wrong.ready()).rejects.toThrow()
})
