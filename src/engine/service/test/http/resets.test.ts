import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { shared } from 'spec-served-lab/support/fixtures'
import { startProcess } from 'spec-served-lab/support/petstore'
import { reach, resetInEach, resetStates } from 'spec-served-lab/support/resets'
import { serverDatabase } from 'spec-served-lab/support/server-database'
import { beforeAll, describe, expect, test } from 'vitest'

const database = shared(serverDatabase)
const start = (env: Record<string, string>) =>
  startProcess({ ...env, METRICS_PORT: '0', SHUTDOWN_TIMEOUT_MS: '20000' })
const server = shared(() => start(database.env))
let key: string
beforeAll(async () => {
  key = await database.firstKey()
})

const metricsUrl = ({ output } = server) => /(http:\/\/\S+\/metrics)/.exec(output())?.[1] ?? ''
const metricsPort = (of = server) => Number(new URL(metricsUrl(of)).port)
/** Has the server answer on both ports. */
async function answers(of = server): Promise<number[]> {
  const replies = await Promise.all([fetch(`${of.url}/health`), fetch(metricsUrl(of))])
  await Promise.all(replies.map(reply => reply.text()))
  return replies.map(({ status }) => status)
}

describe('a reset connection', () => {
  test.each([
    ['the API', () => server.port, undefined],
    ['the metrics', metricsPort, '/metrics'],
  ])('a reset ends nothing else on the port of %s', async (_, portOf, path) => {
    await resetInEach(portOf(), resetStates(key, path, path), answers)
    expect(await answers()).toEqual([200, 200])
  })

  test('a connection that is reset in any state ends nothing else on the socket for commands', async () => {
    const { DATA_DIR } = database.env
    if (DATA_DIR === undefined) return // commands go to PostgreSQL itself
    const command = '{"command":"keys.list","input":{}}\n'
    for (const bytes of ['', command.slice(0, 9), command, command.repeat(99), 'no JSON\n'])
      for (const isAnswered of [false, true]) {
        const socket = createConnection({ path: join(DATA_DIR, 'socket'), allowHalfOpen: true })
        socket.on('error', () => {})
        await once(socket, 'connect')
        if (bytes !== '') socket.write(bytes)
        if (isAnswered && bytes.includes('\n')) await once(socket, 'readable')
        socket.destroy() // a reset, where something of the answer is unread
        expect(await answers()).toEqual([200, 200])
      }
  })
})

test.each([
  ['the API', () => server.port],
  ['the metrics', metricsPort],
])('CONNECT is answered and closed on the port of %s', async (_, portOf) => {
  const socket = createConnection({ port: portOf(), host: '127.0.0.1' })
  socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  expect(text).toMatch(/^HTTP\/1\.1 40[05] .*\r\n(.*\r\n)*connection: close\r\n/i)
})

test('SIGUSR1 opens no debugger, and a stop ends well though connections are reset in any state meanwhile', async () => {
  await using store = await serverDatabase()
  await using stopping = await start(store.env)
  const firstKey = await store.firstKey()
  const sockets = await Promise.all([
    ...resetStates(firstKey).map(state => reach(stopping.port, state)),
    ...resetStates(firstKey, '/metrics', '/metrics').map(state => reach(metricsPort(stopping), state)),
  ])
  stopping.child.kill('SIGUSR1')
  expect(await answers(stopping)).toEqual([200, 200])
  const ended = stopping.stop()
  await expect.poll(() => stopping.output()).toContain('SIGTERM: stopping')
  for (const socket of sockets) socket.resetAndDestroy()
  expect(await ended).toBe(0)
  expect(stopping.output()).not.toContain('Debugger')
})
