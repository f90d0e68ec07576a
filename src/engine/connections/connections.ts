import http from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../replies/api-error.ts'
import { within } from '../within.ts'
import { unserved } from './unread.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops taking requests, and waits for those under way. When the time is up, the rest is refused and cut.
     * @returns whether all were answered in time
     */
    drain(timeoutMs: number): Promise<boolean>
  }
}

/** How long a connection stays open after its last reply for a client that neither ends it nor stops sending, in ms. */
const lingering = 500
/** How long a connection may wait for its next request, in ms: longer than the 60 seconds of common load balancers. */
const keepAlive = 72_000
/** How often a stop looks at most whether they are quiet, while it goes on accepting. */
const looks = 200
/** How long a stop gives connections without a request to send one after all, in ms. */
const quietMs = 500
/** How often it looks whether they are quiet, in ms. */
const lookEvery = 10
/** How long the last refusals of a stop are given to leave, in ms. */
const leavingMs = 100

interface Connection {
  /** to the last request, until it has been sent and another may follow */
  response?: http.ServerResponse | undefined
  /** the one that was handled last */
  reply?: FastifyReply | undefined
  /** what ended the body of the last request */
  fault?: Error
  /** requests without a whole reply yet */
  pending: number
  /** how often a stop has found it without a request since it was accepted or its last reply was out */
  quietLooks: number
  /** The parser has given up, or the last reply is out: the bytes that come any more have no meaning. */
  isOver: boolean
}

/**
 * The connections of a server: each request gets one reply. A client that ends its side is taken to be gone, as by Node.
 * @param requestTimeoutMs longest wait for a whole request, head and body
 * @param stalledAfterMs after this time, and before twice as long, a client is cut off that takes nothing of a reply
 * @param refuse writes the last reply of a connection for a request that can't be told from its bytes
 */
export function createConnections(
  { requestTimeoutMs, stalledAfterMs }: { requestTimeoutMs: number; stalledAfterMs: number },
  refuse: (error: Error, socket: Socket) => Promise<void>,
) {
  const all = new Map<Socket, Connection>()
  const servers: http.Server[] = []
  /** during a stop, what replies wait for: that nobody can connect any more */
  let accepting: Promise<unknown> | undefined

  function createServer(listener: http.RequestListener): http.Server {
    const settings = {
      requestTimeout: requestTimeoutMs,
      // Node takes the smaller of the two for the header fields, whichever that is.
      headersTimeout: requestTimeoutMs,
      // How often Node looks for requests whose time is up.
      connectionsCheckingInterval: Math.min(500, Math.ceil(requestTimeoutMs / 4)),
      keepAliveTimeout: keepAlive,
      // Without it each request that has no body goes through the life of a stream, for nobody.
      optimizeEmptyRequests: true,
      // Node would refuse a request without Host by itself, in a form that is not ours.
      requireHostHeader: false,
    }
    const server = http.createServer(settings, (request, response) => {
      // The parser reads the request lines of other versions, too (RFC 9112, section 2.3).
      if (request.httpVersionMajor !== 1) refuseUnserved('Only HTTP/1.0 and HTTP/1.1 are served.', request)
      else take(request, response, () => listener(request, response))
    })
    const refuseUnserved = (message: string, request: http.IncomingMessage): void =>
      void server.emit('clientError', unserved(message, request), request.socket)
    server.on('connection', socket => accept(socket))
    // Expectations other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    // Node would hang up without a word on who asks for a tunnel.
    server.on('connect', request => refuseUnserved('The service opens no tunnels.', request))
    servers.push(server)
    return server
  }

  /** Gives the server its `drain`, the faults of bodies to their requests, and the last replies of a stop their `close`. */
  function register(app: FastifyInstance): void {
    app.addHook('onRequest', async ({ raw }, reply) => {
      const connection = all.get(raw.socket)
      if (connection) connection.reply = reply
    })
    app.addHook('preParsing', async ({ raw }, _reply, payload) => {
      const { response, fault } = all.get(raw.socket) ?? {}
      if (fault && response?.req === raw) throw fault
      return payload
    })
    app.addHook('onSend', async ({ raw }, reply) => {
      if (!accepting) return
      await accepting
      // Of several requests in flight the last one's reply ends the connection.
      if (all.get(raw.socket)?.response === reply.raw) reply.header('connection', 'close')
    })
    app.decorate('drain', timeoutMs => drain(timeoutMs))
  }

  /**
   * Is told of each request that Node's parser refuses or gives up on. The first fault of a body goes to who reads it; all
   * others are answered on the socket, after the replies that are due before.
   */
  function fail(error: Error, socket: Socket): void {
    const connection = all.get(socket)
    if (!connection || !socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy()
      return
    }
    if (connection.isOver) return // Node tells of all that still comes
    connection.isOver = true
    const { response } = connection
    const isNext = !response || response.req.complete
    if (!isNext && !response.headersSent) {
      response.setHeader('connection', 'close')
      connection.fault = error
      if (response.req.listenerCount('error') > 0) response.req.emit('error', error)
    }
    const conclude = async () => {
      if (isNext && socket.writable) await within(lingering, refuse(error, socket), undefined)
      hangUp(socket)
    }
    if (response && connection.pending > 0) response.once('close', conclude)
    else conclude()
  }

  function accept(socket: Socket): void {
    const connection: Connection = { pending: 0, quietLooks: 0, isOver: false }
    all.set(socket, connection)
    // Node removes its own handler when it gives up on a socket or hands it out; a reset without one ends the process.
    socket.on('error', () => {})
    socket.once('close', () => all.delete(socket))
    socket.on('resume', () => {
      const { response } = connection
      const isWaiting = response && !response.socket && !response.headersSent
      if (isWaiting && socket.writable) socket.pause() // Node reads on after each reply
    })
  }

  /**
   * Has a request handled, unless it comes after the last reply. Requests sent ahead (RFC 9112, section 9.3.2) are handled
   * once the client has taken the reply before; meanwhile no more is read than came at once, 64 KiB at most.
   */
  function take({ socket }: http.IncomingMessage, response: http.ServerResponse, listener: () => void): void {
    const connection = all.get(socket)
    if (!connection || connection.isOver || !socket.writable) return
    connection.response = response
    connection.pending++
    response.on('close', () => {
      connection.pending--
      connection.quietLooks = 0
      if (connection.pending > 0 || !connection.response?.req.complete) return
      // An open connection that holds its last request, of some 5 KB, has each young collection copy it.
      connection.response = undefined
      connection.reply = undefined
    })
    response.setTimeout(stalledAfterMs, () => {
      if (response.socket?.writableLength) response.socket.destroy()
    })
    // Node gives a response its socket when the one before is through.
    if (response.socket) return void listener()
    socket.pause()
    response.once('socket', () => {
      if (connection.response === response) socket.resume()
      listener()
    })
  }

  /** Ends a connection, but reads on for a moment: a reset for unread input may overtake the last reply (RFC 9112, 9.6). */
  function hangUp(socket: Socket): void {
    const connection = all.get(socket)
    if (!connection || socket.writableEnded) return
    connection.isOver = true
    socket.end()
    socket.removeAllListeners('data') // Node's parser
    socket.on('data', () => {}).resume()
    setTimeout(() => socket.destroy(), lingering).unref()
  }

  /** Ends each connection after its last reply, which says `Connection: close`, or once it has been quiet for some time. */
  async function drain(timeoutMs: number): Promise<boolean> {
    const end = performance.now() + timeoutMs
    const quiet = Math.min(quietMs, timeoutMs / 4)
    const accepted = Promise.withResolvers<void>()
    accepting = accepted.promise
    await quieten(quiet, performance.now() + timeoutMs / 2)
    const closed = servers.map(server => {
      server.keepAliveTimeout = quiet
      return promisify(server.close).call(server)
    })
    accepted.resolve()
    for (const [socket, { pending }] of all) if (pending === 0) socket.setTimeout(quiet)
    if (await within(end - performance.now(), Promise.all(closed), false)) return true
    const headers = { 'Retry-After': '5' }
    const refusal = new ApiError('unavailable', 'The service is stopping; retry soon.', { headers })
    for (const { pending, reply } of all.values())
      if (pending > 0 && !reply?.raw.headersSent) reply?.send(refusal)
    await sleep(leavingMs)
    for (const socket of all.keys()) socket.destroy()
    return false
  }

  /**
   * Waits until each connection has a request or is quiet: closing a server cuts off who has none, and resets who is not
   * accepted yet. It counts looks, not time: a process that got no CPU meanwhile has not seen what callers sent.
   */
  async function quieten(quiet: number, end: number): Promise<void> {
    for (let look = 0; look < looks && performance.now() < end; look++) {
      await sleep(lookEvery)
      let isAwaited = false
      for (const connection of all.values())
        if (connection.pending === 0 && ++connection.quietLooks < quiet / lookEvery) isAwaited = true
      if (!isAwaited) return
    }
  }

  return { createServer, register, fail }
}
