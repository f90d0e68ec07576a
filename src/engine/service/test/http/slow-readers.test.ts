import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { shared } from 'spec-served-lab/support/fixtures'
import { startStore } from 'spec-served-lab/support/store'
import { beforeAll, describe, expect, test } from 'vitest'

/** How long a client may take nothing here, in ms. */
const patience = 3_000

/** how often the document was asked for, as far as a handler could tell */
let handled = 0
const store = shared(() =>
  startStore({
    stalledAfterMs: patience,
    prepare: app =>
      app.addHook('preHandler', async request => {
        if (request.routeOptions.url === '/openapi.json') handled++
      }),
  }),
)
let port: number
beforeAll(async () => {
  port = await store.port()
})

const get = (path: string, ...fields: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields.map(field => `${field}\r\n`).join('')}\r\n`

/** A connection that sends a text at once and reads nothing before it is told to. */
function open(text: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // being cut off is one of the ends
  socket.pause()
  socket.write(text)
  return socket
}

/** Reads until the head of the reply with an id has come; gives up when nothing comes for 10 seconds. */
async function readTo(id: number, socket: Socket): Promise<string> {
  const last = `x-request-id: ${id}\r\n`
  const chunks: string[] = []
  socket.setEncoding('latin1').setTimeout(10_000, () => socket.destroy())
  for await (const chunk of socket) {
    chunks.push(chunk)
    if (`${chunks.at(-2)?.slice(-last.length)}${chunk}`.includes(last)) break
  }
  return chunks.join('')
}

const connections = () =>
  new Promise<number>((resolve, reject) =>
    store.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

describe('a client that sends requests ahead', () => {
  test('a client that reads nothing has its requests handled only as far as it can take replies, and is cut off', async () => {
    handled = 0
    const before = process.memoryUsage().rss
    const sockets = Array.from({ length: 10 }, () => open(get('/openapi.json').repeat(400)))
    await expect.poll(connections, { timeout: patience }).toBe(10)
    await wait(patience / 2)
    // The buffers of the system take a few dozen replies each.
    expect(handled).toBeGreaterThan(10)
    expect(handled).toBeLessThan(10 * 200)
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(100)
    await expect.poll(connections, { timeout: 20 * patience }).toBe(0)
    for (const socket of sockets) socket.destroy()
  })

  test('a client that sends requests ahead gets every answer, in order, once it reads', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => i)
    const socket = open(ids.map(id => get('/openapi.json', `X-Request-Id: ${id}`)).join(''))
    await wait(patience / 3)
    const text = await readTo(199, socket)
    const answered = [...text.matchAll(/^x-request-id: (\d+)\r$/gm)].map(match => Number(match[1]))
    expect(answered).toEqual(ids)
  })

  test('a client that sends requests ahead gets as many answers as it likes over one connection', async () => {
    const ids = Array.from({ length: 2_500 }, (_, i) => i)
    const text = ids.map(id => get('/health', `X-Request-Id: ${id}`)).join('')
    const answers = await readTo(2_499, open(text))
    expect(answers.match(/^x-request-id: \d+\r$/gm)?.length).toBe(2_500)
  })

  test('the changes of a client that sends requests ahead are made in their order, bodies included', async () => {
    const { body: made } = await store.call('createCategory', { body: { name: crypto.randomUUID() } })
    const path = `/categories/${made.id}`
    const put = (text: string) => {
      const body = JSON.stringify({ name: crypto.randomUUID(), description: text })
      const fields = `X-API-Key: ${store.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      return `PUT ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${body}`
    }
    const texts = Array.from({ length: 30 }, (_, i) => `change ${i}`)
    const socket = open(texts.map(text => put(text) + get(path, `X-API-Key: ${store.key}`)).join(''))
    socket.write(get('/health', 'X-Request-Id: 99'))
    const answers = await readTo(99, socket)
    const seen = [...answers.matchAll(/"description":"(change \d+)"/g)].map(match => match[1])
    expect(seen).toEqual(texts.flatMap(text => [text, text]))
  })
})

describe('a connection on which nothing moves', () => {
  test('an idle connection is left alone while it waits for us or sends its request', async () => {
    const body = JSON.stringify({ name: crypto.randomUUID() })
    const fields = `X-API-Key: ${store.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    const socket = open(`POST /categories HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`)
    await wait(1.5 * patience)
    socket.write(body + get('/health', 'X-Request-Id: 7'))
    expect(await readTo(7, socket)).toMatch(/^HTTP\/1\.1 201 /)
  })

  test('an idle connection is left alone between requests', async () => {
    const socket = open(get('/health', 'X-Request-Id: 1'))
    await wait(1.5 * patience)
    socket.write(get('/health', 'X-Request-Id: 2'))
    expect(await readTo(2, socket)).toMatch(/x-request-id: 1\r\n.*x-request-id: 2\r\n/s)
  })

  test('a slow client’s connection is not an idle one', async () => {
    const ids = Array.from({ length: 600 }, (_, i) => i)
    const socket = open(ids.map(id => get('/openapi.json', `X-Request-Id: ${id}`)).join(''))
    let received = 0
    socket.on('data', chunk => {
      received += chunk.length
      // The system tells the sender of room in large steps only.
      if (received % 4_000_000 < chunk.length) socket.pause()
    })
    const reading = setInterval(() => socket.resume(), patience / 3)
    await wait(3 * patience)
    clearInterval(reading)
    expect(await connections()).toBeGreaterThan(0)
    expect(received).toBeLessThan(55_000_000)
    socket.removeAllListeners('data')
    expect(await readTo(599, socket)).toContain('x-request-id: 599')
  })
})
