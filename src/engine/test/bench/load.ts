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
  const request = textsOf(operation, hostname, key)
  const statuses: Load['statuses'] = {}
  const times: number[] = []
  let errors = 0
  const start = performance.now()
  const until = start + seconds * 1_000
  const sendOn = (ended: () => void) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let since = 0
    let reply = ''
    const next = () => {
      since = performance.now()
      if (since < until) socket.write(request(), 'latin1')
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
      reply = ''
      next()
    })
    socket.on('error', () => {}) // `close` comes next
    socket.on('close', () => {
      if (since < until) errors++
      ended()
    })
  }
  await Promise.all(Array.from({ length: connections }, () => new Promise<void>(sendOn)))
  return {
    seconds: (performance.now() - start) / 1_000,
    statuses,
    errors,
    times: Float64Array.from(times).sort(),
  }
}

/** Returns a function that makes the text of each request. */
function textsOf(operation: Operation, host: string, key: string): () => string {
  const make = () => {
    const { path, body = '' } = drawn(operation)
    const about = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    return `${operation.method} ${path} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n${about}\r\n${body}`
  }
  const text = make()
  return operation.ids === undefined ? () => text : make
}

/** Whether a reply has come to its end, by its length or the last of its chunks. */
function isWhole(reply: string): boolean {
  const end = reply.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(reply.slice(0, end))?.[1]
  return length === undefined ? reply.endsWith(lastChunk) : reply.length >= end + 4 + Number(length)
}
