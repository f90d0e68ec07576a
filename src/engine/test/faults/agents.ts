import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { watchHealth } from './health.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Clients that send and read nothing. */
const silent = 60
/** Clients that begin a session again and again, without a key. */
const eager = 64
/** The longest silence of /health, in ms. */
const longest = 1_000
/** The most memory that they may take, in MiB. */
const mostGrown = 500

const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'docs:///openapi.json' } }
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}

/** Returns a request of an agent without a key. */
function message(body: unknown): string {
  const text = JSON.stringify(body)
  const fields = ['Host: a', 'Accept: application/json, text/event-stream', 'Content-Type: application/json']
  return `POST /mcp HTTP/1.1\r\n${fields.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

export const agents: Scenario = {
  name: 'agents',
  description:
    '60 agents ask for documents and read none, and 64 begin sessions without a pause, all without a key',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const seconds = short ? 5 : 20
    await using service = await startService(database)
    const { port } = new URL(service.process().url)
    const open = (): Socket => connect(Number(port), '127.0.0.1').on('error', () => {})
    const before = service.memory()
    const watch = watchHealth(service.process().url)
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
    if (silence > longest) faults.push(`/health was silent for ${silence} ms`)
    if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
    if (grown > mostGrown) faults.push(`The service held ${grown} MiB more than before`)
    return {
      figures: {
        'sessions begun or refused': answered,
        'longest silence of /health, ms': silence,
        'memory more than before, MiB': grown,
      },
      faults,
    }
  },
}
