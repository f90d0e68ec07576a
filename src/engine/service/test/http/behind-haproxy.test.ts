import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from 'spec-served-cli/internal/local/postgres'
import { startHaproxy } from 'spec-served-lab/cluster/site'
import { sharedDirectory } from 'spec-served-lab/support/fixtures'
import { has } from 'spec-served-lab/support/programs'
import { startStore } from 'spec-served-lab/support/store'
import { describe, expect, onTestFinished, test } from 'vitest'

// HAProxy has the configuration of compose.yaml.
const hasHaproxy = has('haproxy')

const directory = sharedDirectory()

/** Starts HAProxy before servers, for the time of a test. */
async function behindHaproxy(urls: string[], settings?: Record<string, string>): Promise<string> {
  const port = await freePort()
  const haproxy: ChildProcess = await startHaproxy(
    port,
    // They are checked where they serve.
    urls.map(url => ({ url, checkPort: Number(new URL(url).port) })),
    join(directory, `${port}.log`),
    settings,
  )
  onTestFinished(async () => {
    const ended = once(haproxy, 'exit')
    haproxy.kill('SIGKILL')
    await ended
  })
  return `http://127.0.0.1:${port}`
}

/** Listens on this machine for the time of a test. */
async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

/** fetch would not send each of these fields. */
async function ask(url: string, method: string, headers: Record<string, string>) {
  const asking = request(url, { method, headers, agent: false }).end()
  const [reply]: IncomingMessage[] = await once(asking, 'response')
  if (!reply) throw new Error('There is no reply')
  return { status: reply.statusCode, headers: reply.headers, text: await text(reply) }
}

const forged = {
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Port': '6666',
  Forwarded: 'for=192.0.2.1;host=evil.example;proto=https',
}

describe.runIf(hasHaproxy)('behind HAProxy', () => {
  test('no client makes HAProxy’s document name another origin, and no cache may hand out what names one', async () => {
    const { app, close } = await startStore({ trustProxy: 1 })
    onTestFinished(close)
    const url = await behindHaproxy([await app.listen({ host: '127.0.0.1', port: 0 })])
    const { link } = (await ask(`${url}/docs`, 'GET', {})).headers
    const [, address = ''] = /<([^>]+json\?v=[^>]+)>/.exec(String(link)) ?? []
    for (const path of [address, '/openapi.yaml', '/docs/llms.txt']) {
      const { status, headers, text: body } = await ask(url + path, 'GET', forged)
      expect([status, headers['cache-control']], path).toEqual([200, 'private, no-cache'])
      expect(body, path).toContain(url)
      expect(body, path).not.toContain('evil.example')
    }
  })

  test('only HAProxy says to a server where a caller calls from, and over what', async () => {
    const server = createServer(({ headers }, response) => response.end(JSON.stringify(headers)))
    const url = await behindHaproxy([await listen(server)])
    const fields = Object.entries<string>(JSON.parse((await ask(url, 'GET', forged)).text))
    expect(Object.fromEntries(fields.filter(([name]) => name.includes('forwarded')))).toEqual({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    })
  })

  test('HAProxy cuts a connection that sends its header fields without end', async () => {
    const server = createServer((_, response) => response.end())
    const url = await behindHaproxy([await listen(server)], { PETSTORE_HEAD_WITHIN: '300ms' })
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n'))
    const dripping = setInterval(() => socket.write('a'), 100)
    const [reply] = await once(socket, 'data')
    clearInterval(dripping)
    expect(String(reply)).toMatch(/^HTTP\/1.1 408 /)
    socket.destroy()
  })

  test('HAProxy goes on with a server that answers its checks late', async () => {
    const checked = [0, 1, 2].map(() => Promise.withResolvers<void>())
    let checks = 0
    const server = createServer(({ url: path }, response) => {
      if (path !== '/readyz') return response.end()
      checked[checks++]?.resolve()
      return setTimeout(() => response.end(), 2_500)
    })
    const url = await behindHaproxy([await listen(server)])
    await checked[2]?.promise // the two before it were answered, or given up
    expect((await ask(url, 'GET', {})).status).toBe(200)
  })

  test('HAProxy sends only what may be done twice again when a server leaves it without an answer', async () => {
    let sent = 0
    const failing = () =>
      listen(
        createServer(({ url: path, socket }, response) => {
          if (path === '/health' || path === '/readyz') return response.end()
          sent++
          return socket.destroy()
        }),
      )
    const url = await behindHaproxy([await failing(), await failing(), await failing()])
    const retryKey = { 'Idempotency-Key': 'a' }
    for (const [method, headers, times] of [
      ['GET', {}, 3],
      ['HEAD', {}, 3],
      ['POST', retryKey, 3],
      ['POST', {}, 1],
      ['PUT', retryKey, 1],
      ['PATCH', retryKey, 1],
      ['DELETE', retryKey, 1],
    ] as const) {
      sent = 0
      const reply = await ask(url, method, headers)
      expect([reply.status, sent], `${method} ${JSON.stringify(headers)}`).toEqual([502, times])
    }
  })
})
