import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { renewed, shared } from 'spec-served-lab/support/fixtures'
import { type Exchange, exchange, type Script } from 'spec-served-lab/support/raw'
import { startStore } from 'spec-served-lab/support/store'
import { beforeEach, describe, expect, test } from 'vitest'

// No multiple of anything: whatever is derived from it has to be whole.
const requestTimeoutMs = 401

const store = shared(() => startStore({ requestTimeoutMs }))

const connections = () =>
  new Promise<number>((resolve, reject) =>
    store.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

/** The beginning of a request; `nobody` sends it when the key is not the store's. */
const head = (line: string, fields: string, key = store.key) =>
  `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${fields}\r\n\r\n`
const get = () => head('GET /pets?limit=1', 'Accept: */*')
const half = '{"name'

/** Each script with the statuses of all replies; the connection ends after the last of them. */
const scripts: Record<string, [() => Script, ...number[]]> = {
  'a connection without a request': [() => ({ bytes: '' }), 408],
  'half a head': [() => ({ bytes: 'GET /pets HTTP/1.1\r\nHo' }), 408],
  'a head that comes in drops': [() => ({ bytes: 'GET /pets HTTP/1.1\r\nX: ', endlessly: 'a' }), 408],
  'half a body': [() => ({ bytes: head('POST /categories', 'Content-Length: 99') + half }), 408],
  'half a chunk': [() => ({ bytes: `${head('POST /categories', 'Transfer-Encoding: chunked')}9\r\na` }), 408],
  'a body that comes in drops': [
    () => ({ bytes: head('POST /categories', 'Content-Length: 99999'), endlessly: 'a' }),
    408,
  ],
  'half a body of an unknown caller': [
    () => ({ bytes: head('POST /categories', 'Content-Length: 99', 'nobody') + half }),
    401,
  ],
  'half a body of a read': [() => ({ bytes: head('GET /pets', 'Content-Length: 99') + half }), 200],
  'half a head after a request': [() => ({ bytes: `${get()}GET /pe` }), 200, 408],
  'too large a body that goes on and on': [
    () => ({ bytes: head('POST /categories', 'Content-Length: 99999999'), endlessly: 'a'.repeat(99_999) }),
    413,
  ],
  'too large a body before a client that reads late': [
    () => ({
      bytes: head('POST /categories', 'Content-Length: 99999999'),
      endlessly: 'a'.repeat(99_999),
      readsAfter: 300,
    }),
    413,
  ],
  'a malformed HTTP request': [() => ({ bytes: 'HELLO\r\n\r\n' }), 400],
  'a malformed HTTP request, again and again': [
    () => ({ bytes: 'HELLO\r\n\r\n', endlessly: 'HELLO\r\n\r\n' }),
    400,
  ],
  'a malformed HTTP request after requests': [
    () => ({ bytes: `${get()}${get()}HELLO\r\n\r\n` }),
    200,
    200,
    400,
  ],
  'a malformed HTTP request after the last request': [
    () => ({ bytes: `${head('GET /pets', 'Connection: close')}HELLO\r\n\r\n` }),
    200,
  ],
  'HTTP/0.9': [() => ({ bytes: 'GET /health HTTP/0.9\r\n\r\n' }), 400],
  'HTTP/2.0 without Host': [
    () => ({ bytes: `GET /health HTTP/2.0\r\nX-API-Key: ${store.key}\r\n\r\n` }),
    400,
  ],
  'HTTP/2.0 with Host': [() => ({ bytes: get().replace('HTTP/1.1', 'HTTP/2.0') }), 400],
  'HTTP/2.0 with a body': [
    () => ({
      bytes: `${head('POST /categories', 'Content-Length: 7').replace('HTTP/1.1', 'HTTP/2.0')}{"name`,
    }),
    400,
  ],
  'HTTP/2.0 after requests and before one': [
    () => ({ bytes: `${get()}${get()}${get().replace('HTTP/1.1', 'HTTP/2.0')}${get()}` }),
    200,
    200,
    400,
  ],
  'the preface of HTTP/2': [() => ({ bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }), 400],
  'HTTP/1.0': [() => ({ bytes: 'GET /health HTTP/1.0\r\n\r\n' }), 200],
  'CONNECT after requests': [
    () => ({ bytes: `${get()}${get()}CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n` }),
    200,
    200,
    400,
  ],
  'a broken chunk': [
    () => ({ bytes: `${head('POST /categories', 'Transfer-Encoding: chunked')}zz\r\n` }),
    400,
  ],
  'a broken chunk after a good one': [
    () => ({
      bytes: `${head('POST /categories', 'Transfer-Encoding: chunked')}1\r\n{\r\n`,
      later: { when: sleep(100), bytes: 'zz\r\n' },
    }),
    400,
  ],
  'a broken chunk of an unknown caller': [
    () => ({
      bytes: `${head('POST /categories', 'Transfer-Encoding: chunked', 'nobody')}1\r\n{\r\n`,
      later: { when: sleep(100), bytes: 'zz\r\n' },
    }),
    401,
  ],
}

/** TCP resets a client that still sends when the server has waited for it, as one may that stands still on a busy machine. */
const sendsOn = (name: string) => /drops|on and on|again and again|reads late/.test(name)

describe('each request gets one reply, and a connection ends soon after its last:', () => {
  for (const [name, [script, ...statuses]] of Object.entries(scripts))
    test.concurrent(name, async () => {
      const { replies, ended, reset } = await store.exchange(script())
      expect(replies.map(reply => reply.status)).toEqual(statuses)
      if (!sendsOn(name)) expect(reset).toBe(false)
      for (const { head: fields, body, status } of replies) {
        expect(fields).toMatch(/^x-request-id: ./m)
        expect(fields).toMatch(/^x-ratelimit-remaining: ./m)
        if (status >= 400) expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String) })
      }
      const last = replies.at(-1)
      if (last?.status === 408) expect(last.after).toBeGreaterThanOrEqual(requestTimeoutMs)
      expect(ended).toBeLessThan(60_000) // an idle connection stays open for longer
    })
})

test('a client that keeps its side open does not keep the connection', async () => {
  await store.exchange({ bytes: head('POST /categories', 'Content-Length: 99') + half })
  await expect.poll(connections).toBe(0)
})

describe('a request that asks for an upgrade', () => {
  const upgrade = (line: string, fields = '') =>
    head(line, `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c${fields}`)
  const last = () => head('GET /pets?limit=1', 'Connection: close')

  test.each<[string, () => string, number[]]>([
    ['it', () => upgrade('GET /pets?limit=1') + get() + last(), [200, 200, 200]],
    [
      'one with a body',
      () => `${upgrade('POST /categories', `\r\nContent-Length: 16`)}{"name":"Birds"}${last()}`,
      [201, 200],
    ],
    ['one that is refused', () => upgrade('GET /pets?limit=no') + get() + last(), [400, 200, 200]],
  ])('is served as if it did not, and so is what follows %s', async (_, bytes, statuses) => {
    const { replies } = await store.exchange(bytes())
    expect(replies.map(({ status }) => status)).toEqual(statuses)
  })

  test('is served any number of times on a connection', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const socket = connect(await store.port(), '127.0.0.1')
    for (let i = 0; i < 30; i++) {
      socket.write(upgrade('GET /pets?limit=1'))
      const [reply] = await once(socket, 'data')
      expect(String(reply)).toMatch(/^HTTP\/1\.1 200 /)
    }
    socket.destroy()
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('is refused behind a request that is not answered yet, and the connection ends', async () => {
    const { replies } = await store.exchange(get() + upgrade('GET /pets?limit=1') + get())
    expect(replies.map(({ status }) => status)).toEqual([200, 400])
    expect(replies[1]?.head).toContain('connection: close')
  })
})

describe('a client that ends its side after what it sent', () => {
  const sendAndEnd = (bytes: string) => store.exchange({ bytes, halfClosed: true })

  test('a write that has a connection of the database is done, though its client has ended its side', async () => {
    await store.call('createCategory', { body: { name: `Kind ${crypto.randomUUID()}` } }) // opens a connection
    const name = `Kind ${crypto.randomUUID()}`
    const body = JSON.stringify({ name })
    const { replies, reset } = await sendAndEnd(
      `${head('POST /categories', `Content-Length: ${body.length}`)}${body}`,
    )
    expect({ replies, reset }).toEqual({ replies: [], reset: false })
    await expect
      .poll(async () => {
        const { body: categories } = await store.call('listCategories', { query: { limit: 100 } })
        return categories.map((item: { name: string }) => item.name)
      })
      .toContain(name)
  })

  test.each([
    ['head', () => 'GET /pets HT'],
    ['body', () => head('POST /categories', 'Content-Length: 99')],
  ])('a client that ends its side before the end of a %s is refused', async (_, bytes) => {
    const { replies } = await sendAndEnd(bytes())
    expect(replies).toHaveLength(1)
    expect(replies[0]?.status).toBeGreaterThanOrEqual(400)
    expect(replies[0]?.status).toBeLessThan(500)
  })
})

describe('when the service is asked to stop', () => {
  const draining = renewed(() => startStore())
  let begin: (script: Script) => Promise<Exchange>
  beforeEach(async () => {
    const port = await draining.port() // it has none once it drains
    begin = script => exchange(port, script)
  })
  const post = (name: string) => {
    const body = JSON.stringify({ name })
    return { fields: `Content-Length: ${body.length}`, body }
  }

  test('a stop answers all requests in flight, and the last reply of each connection says so', async () => {
    const request = (line: string, header = 'Accept: */*') => head(line, header, draining.key)
    const { fields, body } = post('Late')
    const { promise: stopped, resolve: tell } = Promise.withResolvers<void>()
    let replied = 0
    const onReply = () => void replied++
    const all = Promise.all([
      begin({ bytes: request('GET /pets').repeat(5) }),
      // Its body comes after the signal.
      begin({ bytes: request('POST /categories', fields), later: { when: stopped, bytes: body } }),
      // It sends its first request after the signal.
      begin({ bytes: '', later: { when: stopped, bytes: request('GET /pets') } }),
      begin({
        bytes: request('GET /pets'),
        onReply,
        later: { when: stopped, bytes: request('GET /pets').repeat(2) },
      }),
      // Idle to the end.
      begin({ bytes: '' }),
    ])
    await expect.poll(() => replied).toBe(1)
    const drained = draining.app.drain(200_000)
    await sleep(50)
    tell()
    expect(await drained).toBe(true)
    const exchanges = await all
    expect(exchanges.map(({ replies }) => replies.map(({ status }) => status))).toEqual([
      [200, 200, 200, 200, 200],
      [201],
      [200],
      [200, 200, 200],
      [],
    ])
    expect(exchanges.map(({ reset }) => reset)).toEqual([false, false, false, false, false])
    for (const { replies } of exchanges.slice(1, 4))
      expect(replies.map(reply => /^connection: (.*)/m.exec(reply.head)?.[1])).toEqual(
        replies.map((_, index) => (index === replies.length - 1 ? 'close' : 'keep-alive')),
      )
    await expect(begin({ bytes: request('GET /pets') })).resolves.toMatchObject({ replies: [], reset: true })
  })

  test('a request that was sent while the process got no CPU is answered', async () => {
    const client = connect(await draining.port(), '127.0.0.1')
    const reply = async () => String((await once(client, 'data'))[0]).split('\r\n')[0]
    client.write(head('GET /pets', 'Accept: */*', draining.key))
    expect(await reply()).toContain('200')
    const drained = draining.app.drain(10_000)
    await sleep(20)
    client.write(head('GET /pets', 'Accept: */*', draining.key))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
    expect(await reply()).toContain('200')
    expect(await drained).toBe(true)
  })

  test('a request that a stop can’t finish in time is asked to come again', async () => {
    const { fields } = post('Never')
    const bytes = head('POST /categories', fields, draining.key)
    const waiting = begin({ bytes: `${bytes}{"na` })
    await sleep(100)
    expect(await draining.app.drain(200)).toBe(false)
    const { replies, reset } = await waiting
    expect(replies).toMatchObject([{ status: 503 }])
    expect(replies[0]?.head).toMatch(/^retry-after: \d+\r\n(.*\r\n)*connection: close/m)
    expect(reset).toBe(false)
  })
})
