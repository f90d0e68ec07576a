import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { shared } from '../support/fixtures.ts'
import { type RunningServer, startProcess } from '../support/process.ts'
import { reach, resetInEach, resetStates } from '../support/resets.ts'
import { serverDatabase } from '../support/server-database.ts'

const database = shared(serverDatabase)
let server: RunningServer
let key: string
beforeEach(async () => {
  server = await startProcess({ ...database.env, METRICS_PORT: '0', SHUTDOWN_TIMEOUT_MS: '20000' })
  key = await database.firstKey()
})
afterEach(async () => {
  await server.stop('SIGKILL')
})

const port = () => Number(new URL(server.url).port)
const metricsUrl = () => /(http:\/\/\S+\/metrics)/.exec(server.output())?.[1] ?? ''
const metricsPort = () => Number(new URL(metricsUrl()).port)
/** Has the server answer on both ports. */
async function answers(): Promise<number[]> {
  const replies = await Promise.all([fetch(`${server.url}/health`), fetch(metricsUrl())])
  await Promise.all(replies.map(reply => reply.text()))
  return replies.map(({ status }) => status)
}

describe('a connection that is reset in any state ends nothing but itself', () => {
  test('on the port of the API', async () => {
    await resetInEach(port(), resetStates(key), answers)
    expect(await answers()).toEqual([200, 200])
    expect(await server.stop()).toBe(0)
  })

  test('on the port of the metrics', async () => {
    const states = resetStates(key, '/metrics', '/metrics')
    await resetInEach(metricsPort(), states, answers)
    expect(await answers()).toEqual([200, 200])
    expect(await server.stop()).toBe(0)
  })

  test('while the service stops', async () => {
    const sockets = await Promise.all([
      ...resetStates(key).map(state => reach(port(), state)),
      ...resetStates(key, '/metrics', '/metrics').map(state => reach(metricsPort(), state)),
    ])
    await answers()
    const ended = server.stop()
    await expect.poll(() => server.output()).toContain('SIGTERM: stopping')
    for (const socket of sockets) socket.resetAndDestroy()
    expect(await ended).toBe(0)
  })

  test('on the socket for commands', async () => {
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
    expect(await server.stop()).toBe(0)
  })
})

test.each([
  ['the API', port],
  ['the metrics', metricsPort],
])('CONNECT is answered and closed on the port of %s', async (_, portOf) => {
  const socket = createConnection({ port: portOf(), host: '127.0.0.1' })
  socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  expect(text).toMatch(/^HTTP\/1\.1 40[05] .*\r\n(.*\r\n)*connection: close\r\n/i)
})

test('SIGUSR1 opens no debugger in the running service', async () => {
  server.child.kill('SIGUSR1')
  expect(await answers()).toEqual([200, 200])
  expect(await server.stop()).toBe(0)
  expect(server.output()).not.toContain('Debugger')
})
