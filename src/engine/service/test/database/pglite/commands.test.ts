import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freshDatabase } from 'spec-served-lab/support/database'
import { shared } from 'spec-served-lab/support/fixtures'
import { service } from 'spec-served-lab/support/petstore'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keyForm } from '../../../callers/api-key.ts'
import { unsealed } from '../../../callers/seal.ts'
import { askServer } from '../../../operate/ask-server.ts'
import { readContract } from '../../../process/contract.ts'
import { type Carried, type CommandSocket, listenForCommands } from '../../../process/socket.ts'
import { temporaryDirectory } from '../../../testing/temporary.ts'

const contract = await readContract(service.root)
const create = { command: 'keys.create', input: { body: { name: 'x', plan: 'Free', scopes: ['read'] } } }

let directory: string
let executed: Carried[]
let open: CommandSocket[]
const database = shared(freshDatabase)
beforeEach(() => {
  directory = temporaryDirectory()
  executed = []
  open = []
})
afterEach(async () => {
  for (const socket of open) await socket.close()
  rmSync(directory, { recursive: true })
})

async function listen(dataDir = directory) {
  const tools = {
    db: database.db,
    dataDir,
    contract,
    migrations: service.migrations,
    form: keyForm(service.name),
    seal: unsealed,
    now: () => new Date(),
    async keyChanged() {},
    settle: async () => {},
    isServing: true,
  }
  const socket = await listenForCommands(dataDir, tools, carried => executed.push(carried))
  open.push(socket)
  return socket
}

/** A command as it is sent. */
const requestOf = (command: string, body: string) =>
  `POST /${command} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Writes to the socket as it is, and gives all that comes back. */
function say(bytes: string): Promise<string> {
  const socket = createConnection(join(directory, 'socket'))
  socket.write(bytes)
  return text(socket)
}

test('a server runs operators’ commands for its owner alone, and removes its socket when it ends', async () => {
  expect(await askServer(directory, create)).toBeUndefined()
  const socket = await listen()
  expect(statSync(join(directory, 'socket')).mode & 0o777).toBe(0o600)
  const made = (await askServer(directory, create)) as { done: { id: number; name: string } } // as the command gives it
  expect(made).toMatchObject({ done: { name: 'x' } })
  expect(await askServer(directory, { command: 'keys.list', input: {} })).toMatchObject({
    done: { keys: [{ name: 'x' }] },
  })
  await expect(askServer(directory, { command: 'keys.show', input: { id: 99 } })).rejects.toMatchObject({
    body: { code: 'not_found', status: 404 },
  })
  await expect(askServer(directory, { command: 'keys.show', input: { id: 'x' } })).rejects.toThrow('number')
  expect(executed).toEqual([
    { command: 'keys.create', key: made.done.id, outcome: 'done' },
    { command: 'keys.list', outcome: 'done' },
    { command: 'keys.show', key: 99, outcome: 'refused', code: 'not_found' },
    { command: 'keys.show', outcome: 'refused', code: 'misuse' },
  ])
  await socket.close()
  expect(existsSync(join(directory, 'socket'))).toBe(false)
  expect(await askServer(directory, create)).toBeUndefined()
})

test('a path that is too long for a socket is no hindrance', async () => {
  const deep = join(directory, 'a'.repeat(100), 'b'.repeat(100))
  mkdirSync(deep, { recursive: true })
  const socket = await listen(deep)
  expect(statSync(join(deep, 'socket')).mode & 0o777).toBe(0o600)
  expect(await askServer(deep, create)).toMatchObject({ done: { name: 'x' } })
  await socket.close()
  expect(existsSync(join(deep, 'socket'))).toBe(false)
})

test('the socket of a killed server is replaced', async () => {
  writeFileSync(join(directory, 'socket'), '')
  await listen()
  expect(await askServer(directory, create)).toMatchObject({ done: { name: 'x' } })
})

test.each([
  ['a malformed HTTP request', '{"command":"keys.list"}\n', /400 Bad Request/],
  ['no JSON', requestOf('keys.list', '{'), /failed/],
  ['no object', requestOf('keys.show', 'null'), /"misuse":"A key is named by its number"/],
  ['another version’s', requestOf('keys.frob', '{}'), /does not know keys.frob/],
  ['a name of every object', requestOf('constructor', '{}'), /does not know constructor/],
  ['not what it takes', requestOf('keys.create', '{"body":{"name":7}}'), /"misuse":".*\/name must be/],
  ['no number', requestOf('keys.show', '{"id":"1 or 1=1"}'), /"misuse":"A key is named by its number"/],
  ['endless', requestOf('keys.list', 'x'.repeat(70_000)), /longer than 65536 bytes/],
])('a message that is %s is answered, and the next one too', async (_, message, answer) => {
  await listen()
  expect(await say(message)).toMatch(answer)
  expect(await askServer(directory, { command: 'keys.list', input: {} })).toHaveProperty('done')
})

test('a client that connects and says nothing keeps no server from stopping', async () => {
  const socket = await listen()
  const silent = createConnection(join(directory, 'socket'))
  await new Promise(resolve => silent.once('connect', resolve))
  await socket.close()
  silent.destroy()
})

/** Opens connections that say nothing; fewer than 512, which is what the system lets wait to be accepted. */
async function openIdle(count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    createConnection(join(directory, 'socket')).on('error', () => {}),
  )
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  return sockets
}

test.each([200, 400])('%i idle connections keep no command out, and are closed soon', async count => {
  await listen()
  const idle = await openIdle(count)
  const closed = idle.map(socket => socket.closed || once(socket.resume(), 'close'))
  expect(await askServer(directory, { command: 'keys.list', input: {} })).toHaveProperty('done')
  await Promise.all(closed)
  expect(await askServer(directory, { command: 'keys.list', input: {} })).toHaveProperty('done')
})

test('a client that sends its command in drops does not hold its place', async () => {
  await listen()
  const [slow] = await openIdle(1)
  const drops = setInterval(() => slow?.write('P'), 50)
  if (slow) await once(slow.resume(), 'close')
  clearInterval(drops)
  expect(slow?.destroyed).toBe(true)
  expect(await askServer(directory, { command: 'keys.list', input: {} })).toHaveProperty('done')
})

test('a client that ends its side after the command gets the answer', async () => {
  await listen()
  const socket = createConnection({ path: join(directory, 'socket'), allowHalfOpen: true })
  socket.end(requestOf('keys.list', '{}'))
  expect(await text(socket)).toMatch(/\{"done":/)
})
