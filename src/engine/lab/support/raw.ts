import { connect } from 'node:net'

/** A reply as it came over a socket; the head in lower case. */
export interface RawReply {
  status: number
  head: string
  headers: Record<string, string>
  body: string
  /** ms since the connection was opened */
  after: number
}

/** All that came over a connection that the client keeps open to the end. Times in ms from its beginning. */
export interface Exchange {
  text: string
  replies: RawReply[]
  /** when the server said that nothing more will come */
  ended: number
  /** whether the connection was reset before that */
  reset: boolean
}

/** The actions of a client on its connection. */
export interface Script {
  bytes: string | Buffer
  /** whether it ends its side at once */
  halfClosed?: boolean
  /** sent again and again, until the server ends the connection and beyond */
  endlessly?: string
  /** It reads nothing before this time, in ms: a reset in the meantime takes the reply along. */
  readsAfter?: number
  /** sent after the first bytes */
  later?: { when: Promise<unknown>; bytes: string }
  /** called at each reply */
  onReply?: () => void
}

/**
 * Sends bytes as they are over a connection of its own.
 * @throws Error when the server has not ended the connection after 100 seconds
 */
export function exchange(port: number, script: Script | string | Buffer): Promise<Exchange> {
  const isPlain = typeof script === 'string' || Buffer.isBuffer(script)
  const {
    bytes,
    halfClosed,
    endlessly,
    readsAfter = 0,
    later,
    onReply,
  }: Script = isPlain ? { bytes: script } : script
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
      resolve({ text, replies: readReplies(text, arrivals), ended: elapsed(), reset })
      setTimeout(() => clearInterval(sending), 100)
      setTimeout(() => socket.destroy(), 2_000).unref()
    }
    const patience = setTimeout(() => {
      socket.destroy()
      reject(new Error(`The server does not end the connection; it sent:\n${text}`))
    }, 290_000)
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
    if (halfClosed) socket.end(bytes)
    else socket.write(bytes)
  })
}

function readReplies(text: string, arrivals: number[]): RawReply[] {
  return text
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter(Boolean)
    .map((reply, index) => {
      const [head = '', body = ''] = reply.split('\r\n\r\n')
      const [status = '', ...lines] = head.split('\r\n')
      const fields = lines.map(line => [
        line.split(': ')[0]?.toLowerCase(),
        line.slice(line.indexOf(': ') + 2),
      ])
      return {
        status: Number(status.split(' ')[1]),
        head: `${head.toLowerCase()}\r\n`,
        headers: Object.fromEntries(fields),
        body,
        after: arrivals[index] ?? 0,
      }
    })
}

/** The text of a request with these header fields; an empty line ends them. */
export const requestText = (line: string, fields: Record<string, string> = {}, body = '') =>
  `${line} HTTP/1.1\r\n${Object.entries({ Host: 'x', ...fields })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`
