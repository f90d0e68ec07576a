import { Agent, request } from 'node:http'
import { shared } from 'spec-served-lab/support/fixtures'
import { type RunningServer, startProcess } from 'spec-served-lab/support/petstore'
import { exchange, requestText } from 'spec-served-lab/support/raw'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { afterEach, expect, test } from 'vitest'

const database = shared(serverDatabase)
let server: RunningServer
let key: string
/** Starts what each test stops. */
async function start(SHUTDOWN_TIMEOUT_MS = '500000'): Promise<void> {
  server = await startProcess({ ...database.env, SHUTDOWN_TIMEOUT_MS, REQUEST_TIMEOUT_MS: '600000' })
  key = await database.firstKey()
}
afterEach(async () => {
  await server?.stop('SIGKILL')
})

interface Outcome {
  status: number
  close: boolean
  isOurs: boolean
}

/** Sends one request; rejects when its connection fails before the whole reply is there. */
function send(agent: Agent, method: string, path: string, body?: object): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const sent = request(server.url + path, { method, agent, headers }, reply => {
      let text = ''
      reply.on('data', data => (text += data))
      reply.on('error', reject)
      reply.on('end', () => {
        const status = Number(reply.statusCode)
        const isOurs =
          reply.headers['x-request-id'] !== undefined &&
          (status < 400 || typeof JSON.parse(text).code === 'string')
        resolve({ status, close: reply.headers.connection === 'close', isOurs })
      })
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

/** Reads and writes over one connection until no new one is accepted; gives all outcomes, and the failures. */
async function useUntilStopped(
  client: number,
  onReply: () => void,
): Promise<{ outcomes: Outcome[]; failures: unknown[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const outcomes: Outcome[] = []
  for (let turn = 0; ; turn++) {
    const sent =
      turn % 3 === 2
        ? send(agent, 'POST', '/categories', { name: `Kind ${client} ${turn}` })
        : send(agent, 'GET', '/pets?limit=5')
    try {
      outcomes.push(await sent)
      onReply()
    } catch (error) {
      agent.destroy()
      const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' // all that request fails with are Errors
      return { outcomes, failures: isRefused ? [] : [error] }
    }
  }
}

test('a stop under load answers every request in our form, resets nobody, and loses nothing confirmed', async () => {
  await start()
  let replies = 0
  const using = Array.from({ length: 24 }, (_, client) => useUntilStopped(client, () => replies++))
  const clients = Promise.all(using)
  await expect.poll(() => replies).toBeGreaterThan(200)
  expect(await server.stop('SIGTERM')).toBe(0)
  const all = await clients
  expect(all.flatMap(({ failures }) => failures)).toEqual([])
  const outcomes = all.flatMap(client => client.outcomes)
  expect(outcomes.filter(({ isOurs }) => !isOurs)).toEqual([])
  // Each client was told on its connection.
  expect(all.filter(client => client.outcomes.at(-1)?.close)).toHaveLength(24)
  expect(outcomes.filter(({ close }) => close)).toHaveLength(24)
})

/** Sends half of a request, which a stop has to wait for. */
const sendHalf = () =>
  exchange(
    server.port,
    requestText(
      'POST /categories',
      { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Length': '99' },
      '{',
    ),
  )

test('a second signal ends a stop that waits for a client', async () => {
  await start()
  const waiting = sendHalf()
  await new Promise(resolve => setTimeout(resolve, 200))
  server.child.kill('SIGINT')
  await expect.poll(() => server.output()).toContain('SIGINT: stopping')
  expect(await server.stop('SIGTERM')).toBe(null)
  await waiting
})

test('a signal that npm repeats does not end a stop that waits for a client', async () => {
  await start('1500')
  const waiting = sendHalf()
  await new Promise(resolve => setTimeout(resolve, 200))
  server.child.kill('SIGINT')
  await expect.poll(() => server.output()).toContain('SIGINT: stopping')
  server.child.kill('SIGINT')
  expect((await waiting).replies).toMatchObject([{ status: 503 }])
})

test('SHUTDOWN_TIMEOUT_MS ends a stop that waits for a client', async () => {
  await start('1500')
  const waiting = sendHalf()
  await new Promise(resolve => setTimeout(resolve, 200))
  await server.stop('SIGHUP')
  expect((await waiting).replies).toMatchObject([{ status: 503 }])
})

test.each([
  ['a rejection', "void Promise.reject(new Error('Lost'))"],
  ['an exception', "throw new Error('Lost')"],
])('%s that nothing handles is logged, and stops the service in order', async (_, fail) => {
  const hook = `process.on('SIGUSR2', () => { ${fail} })`
  server = await startProcess(database.env, '.', [
    `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  ])
  expect(await server.stop('SIGUSR2')).toBe(1)
  const lines = server.output().trim().split('\n')
  const fatal = lines.map(line => JSON.parse(line)).filter(({ level }) => level === 60)
  expect(fatal).toEqual([expect.objectContaining({ err: expect.objectContaining({ message: 'Lost' }) })])
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'stopped' })
})
