import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { watchHealth } from './health.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Clients that send and read nothing. */
const silent = 60
/** Clients that begin a session again and again, without a key. */
const eager = 64
/** Calls of a tool that come at once. */
const atOnce = 1_000
/** The longest silence of /health, in ms. */
const longest = 1_000
/** The most memory that they may take, in MiB. */
const mostGrown = 500

const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'docs:///openapi.json' } }
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}

const stateless = '2026-07-28'
const call = (extra: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'listPets', arguments: { limit: 1 }, ...extra },
})
/** A call in each era of the protocol, with its header fields. */
const eras: Readonly<Record<string, readonly [body: object, ...fields: string[]]>> = {
  '2025-11-25': [call(), 'MCP-Protocol-Version: 2025-11-25'],
  [stateless]: [
    call({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': stateless,
        'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    ...[`MCP-Protocol-Version: ${stateless}`, 'Mcp-Method: tools/call', 'Mcp-Name: listPets'],
  ],
}

/** Returns a request of an agent, without a key unless it is among the fields. */
function message(body: unknown, ...added: string[]): string {
  const text = JSON.stringify(body)
  const accept = 'Accept: application/json, text/event-stream'
  const fields = ['Host: a', accept, 'Content-Type: application/json', ...added]
  return `POST /mcp HTTP/1.1\r\n${fields.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** Sends calls at once, each on a connection of its own. @returns how many were answered by each status */
async function burst(open: () => Socket, text: string): Promise<Map<string, number>> {
  const sockets = Array.from({ length: atOnce }, open)
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.once('connect', resolve))))
  const statuses = sockets.map(async socket => {
    const answered = new Promise<string>(resolve => {
      socket.once('data', data => resolve(data.toString().slice(9, 12)))
      socket.once('close', () => resolve('none'))
    })
    socket.write(text)
    return answered
  })
  const counts = new Map<string, number>()
  for (const status of await Promise.all(statuses)) counts.set(status, (counts.get(status) ?? 0) + 1)
  for (const socket of sockets) socket.destroy()
  return counts
}

export const agents: Scenario = {
  name: 'agents',
  description:
    '60 agents ask for documents and read none, and 64 begin sessions without a pause, all without a key; then 1,000 calls come at once in each era',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const seconds = short ? 5 : 20
    await using service = await startService(database)
    const { port } = new URL(service.process().url)
    const open = (): Socket => connect(Number(port), '127.0.0.1').on('error', () => {})
    const before = service.memory()
    const watch = watchHealth(service.process())
    const end = performance.now() + seconds * 1_000
    const sockets = Array.from({ length: silent + eager }, open)
    let answered = 0
    for (const [index, socket] of sockets.entries())
      if (index < silent) {
        socket.pause()
        socket.write(message(Array(100).fill(read)))
        for (let i = 0; i < 20; i++) socket.write(message(read))
      } else {
        const send = () => socket.write(message(initialize))
        socket.on('data', () => {
          answered++
          if (performance.now() < end) send()
        })
        send()
      }
    await setTimeout(seconds * 1_000)
    for (const socket of sockets) socket.destroy()
    const { silence, foreign } = await watch.end()
    progress(`${answered} sessions were begun or refused`)
    const grown = service.peakMemory() - before
    const faults: string[] = []
    const silences: Record<string, number> = {}
    for (const [era, [body, ...fields]] of Object.entries(eras)) {
      const health = watchHealth(service.process())
      const answers = await burst(open, message(body, ...fields, `X-API-Key: ${service.key}`))
      const { silence: silentMs } = await health.end()
      progress(`${era}: ${[...answers].map(([status, count]) => `${count} got ${status}`).join(', ')}`)
      silences[`longest silence during ${atOnce} calls of ${era}, ms`] = silentMs
      if (silentMs > longest) faults.push(`/health was silent for ${silentMs} ms during calls of ${era}`)
      const others = [...answers.keys()].filter(status => status !== '200' && status !== '503')
      if (others.length > 0) faults.push(`Calls of ${era} got ${others.join(', ')}`)
    }
    if (silence > longest) faults.push(`/health was silent for ${silence} ms`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (grown > mostGrown) faults.push(`The service held ${grown} MiB more than before`)
    return {
      figures: {
        'sessions begun or refused': answered,
        'longest silence of /health, ms': silence,
        'memory more than before, MiB': grown,
        ...silences,
      },
      faults,
    }
  },
}
