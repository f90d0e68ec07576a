import { connect } from 'node:net'
import { drawn, type Operation } from './operations.ts'

/** The outcome of a load. */
export interface Load {
  /** from the first request to the last reply */
  seconds: number
  /** the number of replies by status */
  statuses: Record<string, number>
  /** connections that ended without a reply */
  errors: number
  /** the time of each reply, in ms, in ascending order */
  times: Float64Array
}

/** Longest wait for a reply, in ms. */
const timeout = 10_000

/** The end of a body in chunks. JSON has no such bytes. */
const lastChunk = '0\r\n\r\n'

/**
 * Sends requests on connections for some seconds, each when the reply to the last one has come. It reads no more of replies
 * than their status and length, as it shares the cores with the server.
 */
export async function sendLoad(
  url: string,
  key: string,
  operation: Operation,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const statuses: Load['statuses'] = {}
  const times: number[] = []
  let errors = 0
  const start = performance.now()
  const until = start + seconds * 1_000
  const sendOn = (position: number, ended: () => void) => {
    // No two connections change the same record.
    const id = 1 + Math.floor((position / connections) * (operation.ids ?? 1))
    const request = textsOf(operation, hostname, key, id)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let since = 0
    let reply = ''
    let tag: string | undefined
    const next = () => {
      since = performance.now()
      if (since < until) socket.write(request(tag), 'latin1')
      else socket.destroy()
    }
    socket.setEncoding('latin1').setTimeout(timeout, () => socket.destroy(new Error('No reply')))
    socket.on('connect', next)
    socket.on('data', (part: string) => {
      reply += part
      if (!isWhole(reply)) return
      times.push(performance.now() - since)
      const status = reply.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (operation.isConditional) tag = /\r\netag: *(\S+)/i.exec(reply)?.[1]
      reply = ''
      next()
    })
    socket.on('error', () => {}) // `close` comes next
    socket.on('close', () => {
      if (since < until) errors++
      ended()
    })
  }
  await Promise.all(
    Array.from({ length: connections }, (_, position) => new Promise<void>(ended => sendOn(position, ended))),
  )
  return {
    seconds: (performance.now() - start) / 1_000,
    statuses,
    errors,
    times: Float64Array.from(times).sort(),
  }
}

/** Returns a function that makes the text of each request of a connection. @param id the identifier that it keeps to, if it does */
function textsOf(operation: Operation, host: string, key: string, id: number): (tag?: string) => string {
  const { ids, isKeyed, isConditional } = operation
  const make = (tag?: string) => {
    const { path, body = '', fields } = drawn(operation, isConditional ? id : undefined, tag)
    const further = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
    const about = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    return `${operation.method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${further.join('')}${about}\r\n${body}`
  }
  if (ids !== undefined || isKeyed) return make
  const text = make()
  return () => text
}

/** Whether a reply has come to its end, by its length or the last of its chunks. */
function isWhole(reply: string): boolean {
  const end = reply.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(reply.slice(0, end))?.[1]
  return length === undefined ? reply.endsWith(lastChunk) : reply.length >= end + 4 + Number(length)
}
