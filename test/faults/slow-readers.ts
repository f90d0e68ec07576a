import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { watchHealth } from './health.ts'
import type { Scenario } from './scenario.ts'
import { startService } from './service.ts'

/** Requests that each reader sends at once, without reading an answer. */
const pipelined = 20
/** How much more memory all of them together may cost, in MiB. */
const mostMemory = 300

export const slowReaders: Scenario = {
  name: 'slow readers',
  description:
    'readers ask for the largest files and lists, twenty requests at once each, and never read an answer',
  databases: ['pglite'],
  async run({ short, database, progress }) {
    const readers = short ? 50 : 200
    const service = await startService(database)
    const sockets: Socket[] = []
    try {
      const page = await (await fetch(`${service.process().url}/docs/`)).text()
      const bundle = /(?:src|href)="(?:\.?\/)?((?:docs\/)?static\/swagger-ui-bundle[^"]*)"/.exec(page)?.[1]
      if (!bundle) throw new Error(`The page names no bundle:\n${page}`)
      const file = bundle.startsWith('docs/') ? `/${bundle}` : `/docs/${bundle}`
      const before = service.memory()
      let most = before
      const watch = watchHealth(service.process().url)
      for (let reader = 0; reader < readers; reader++)
        sockets.push(
          await read(service.process().url, service.key, [file, '/openapi.json', '/pets?limit=100']),
        )
      for (let second = 0; second < (short ? 4 : 10); second++) {
        for (let tenth = 0; tenth < 10; tenth++) {
          await setTimeout(100)
          most = Math.max(most, service.memory())
        }
        progress(`${readers} readers for ${second + 1} s: ${service.memory()} MiB`)
      }
      const { silence, foreign } = await watch.end()
      const grown = most - before
      const faults: string[] = []
      if (grown > mostMemory) faults.push(`they cost ${grown} MiB`)
      if (foreign > 0) faults.push(`/health was not answered ${foreign} times`)
      return {
        figures: {
          readers,
          'memory that they cost, MiB': grown,
          'longest silence of /health, ms': silence,
        },
        faults,
      }
    } finally {
      for (const socket of sockets) socket.destroy()
      await service.close()
    }
  },
}

/** Sends requests on one connection and reads nothing. */
async function read(url: string, key: string, paths: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {}) // the service ends it
  await new Promise(resolve => socket.once('connect', resolve))
  socket.pause()
  for (let sent = 0; sent < pipelined; sent++) {
    const path = paths[sent % paths.length]
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nAccept-Encoding: ${sent % 2 ? 'br' : 'identity'}\r\n\r\n`,
    )
  }
  return socket
}
