import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** All that came over a connection that the client keeps open to the end. Times in ms from its beginning. */
export interface Exchange {
  replies: { status: number; head: string; body: string; after: number }[]
  /** when the server said that nothing more will come */
  ended: number
  /** whether the connection was reset before that */
  reset: boolean
}

/** What a client does on its connection. */
export interface Script {
  bytes: string
  /** sent again and again, until the server ends the connection and beyond */
  endlessly?: string
  /** It reads nothing before this time, in ms: a reset in the meantime takes the reply along. */
  readsAfter?: number
  /** sent after the first bytes */
  later?: { when: Promise<unknown>; bytes: string }
  /** called at each reply */
  onReply?: () => void
}

/** Makes connections to a server that listens on TCP, and tells what came of each. */
export function exchangesWith(app: FastifyInstance): (script: Script) => Promise<Exchange> {
  const { port } = app.server.address() as AddressInfo // it listens on TCP
  return script => exchange(port, script)
}

/** @throws Error when the server has not ended the connection after 100 seconds */
export function exchange(
  port: number,
  { bytes, endlessly, readsAfter = 0, later, onReply }: Script,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const elapsed = () => performance.now() - started
    // Half open: the client does not end its side when the server ends its own.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    const arrivals: number[] = []
    const sending = endlessly === undefined ? undefined : setInterval(() => socket.write(endlessly), 20)
    later?.when.then(() => socket.write(later.bytes))
    const finish = (reset: boolean) => {
      clearTimeout(patience)
      resolve({ replies: readReplies(text, arrivals), ended: elapsed(), reset })
      setTimeout(() => clearInterval(sending), 100)
      setTimeout(() => socket.destroy(), 2_000).unref()
    }
    const patience = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server does not end the connection; it sent:\n${text}`))
    }, 100_000)
    setTimeout(() => socket.resume(), readsAfter)
    socket.on('data', data => {
      text += data
      while (arrivals.length < text.split('HTTP/1.1 ').length - 1) {
        arrivals.push(elapsed())
        onReply?.()
      }
    })
    socket.once('end', () => finish(false))
    socket.on('error', () => finish(true))
    if (readsAfter > 0) socket.pause()
    socket.write(bytes)
  })
}

function readReplies(text: string, arrivals: number[]): Exchange['replies'] {
  return text
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter(Boolean)
    .map((reply, index) => {
      const [head = '', body = ''] = reply.split('\r\n\r\n')
      return {
        status: Number(head.split(' ')[1]),
        head: head.toLowerCase(),
        body,
        after: arrivals[index] ?? 0,
      }
    })
}
