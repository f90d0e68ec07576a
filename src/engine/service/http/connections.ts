import type http from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { createServer as createHttpServer, ServerResponse } from '../runtime/node-http.ts'
import { within } from '../runtime/within.ts'
import { unserved } from './unread.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops taking requests, and waits for those under way. After the timeout the rest is refused and cut.
     * @returns whether all were answered in time
     */
    drain(timeoutMs: number): Promise<boolean>
    /** Is aborted when a stop begins. */
    readonly stopping: AbortSignal
  }
}

/** How long a connection stays open after its last reply, in ms, if the client neither ends it nor stops sending. */
const lingering = 500
/** How long a connection may wait for its next request, in ms: longer than the 60 seconds of common load balancers. */
const keepAlive = 72_000
/** The most checks for quiet connections in a stop, while the server still accepts. */
const looks = 200
/** How long a stop lets connections without a request send one, in ms. */
const quietMs = 500
/** Interval of these checks, in ms. */
const lookEvery = 10
/** Time for the last refusals of a stop to leave, in ms. */
const leavingMs = 100

interface Connection {
  /** the response to the last request, until it is sent and another may follow */
  response?: http.ServerResponse | undefined
  /** the fault that ended the body of the last request */
  fault?: Error
  /** requests whose reply is not complete */
  pending: number
  /** a stop's checks that found no request since the connection was accepted or its last reply was sent */
  quietLooks: number
  /** The parser gave up, or the last reply is sent. Later bytes have no meaning. */
  isOver: boolean
}

/**
 * The connections of a server. Each request gets one reply. As in Node, a client that ends its side counts as gone.
 * @param requestTimeoutMs longest wait for a whole request, head and body
 * @param stalledAfterMs a client that takes nothing of a reply is cut off between this time and twice as long
 * @param refuse writes the last reply of a connection, for a request that can't be parsed
 */
export function createConnections(
  { requestTimeoutMs, stalledAfterMs }: { requestTimeoutMs: number; stalledAfterMs: number },
  refuse: (error: Error, socket: Socket) => Promise<void>,
) {
  const all = new Map<Socket, Connection>()
  const servers: http.Server[] = []
  /** during a stop: resolves when nobody can connect any more; replies wait for it */
  let accepting: Promise<unknown> | undefined
  const stopping = new AbortController()

  function createServer(listener: http.RequestListener): http.Server {
    const settings = {
      ServerResponse: Response as typeof http.ServerResponse, // its requests are Node's own
      requestTimeout: requestTimeoutMs,
      // For the header fields Node uses the smaller of the two limits.
      headersTimeout: requestTimeoutMs,
      // Interval at which Node looks for requests that timed out.
      connectionsCheckingInterval: Math.min(500, Math.ceil(requestTimeoutMs / 4)),
      keepAliveTimeout: keepAlive,
      // Without this option each request without a body runs through a stream that nobody reads.
      optimizeEmptyRequests: true,
      // Node would refuse a request without Host itself, in another form than ours.
      requireHostHeader: false,
    }
    const server = createHttpServer(settings, (request, response) => {
      // The parser also accepts the request lines of other versions (RFC 9112, section 2.3).
      if (request.httpVersionMajor !== 1) refuseUnserved('Only HTTP/1.0 and HTTP/1.1 are served.', request)
      else take(request, response, () => listener(request, response))
    })
    const refuseUnserved = (message: string, request: http.IncomingMessage): void =>
      void server.emit('clientError', unserved(message, request), request.socket)
    server.on('connection', socket => accept(socket))
    // Expectations other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    // Without this listener Node would close the connection of a CONNECT request without a reply.
    server.on('connect', request => refuseUnserved('The service opens no tunnels.', request))
    // Without this listener Node would serve the request, and drop those that follow it at once.
    server.on('upgrade', (request, socket, rest) => {
      // A project's plugin takes them, as @fastify/websocket does, or a server's second one hands them to the first.
      if (server.listenerCount('upgrade') > 1) return
      const { pending = 0 } = all.get(socket as Socket) ?? {} // this server has no other streams
      if (pending > 0) refuseUnserved('An Upgrade is served only after the replies before it.', request)
      else serveAgain(server, request, socket as Socket, rest)
    })
    servers.push(server)
    return server
  }

  /** Has a request parsed once more, without its Upgrade, which a server may ignore (RFC 9110, 7.8). README.md says why. */
  function serveAgain(
    server: http.Server,
    request: http.IncomingMessage,
    socket: Socket,
    rest: Buffer,
  ): void {
    const { method, url, httpVersion, rawHeaders } = request
    const lines = [`${method} ${url} HTTP/${httpVersion}`]
    for (let i = 0; i < rawHeaders.length; i += 2)
      if (rawHeaders[i]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
    socket.removeAllListeners('timeout') // Node's of the first time
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
    server.emit('connection', socket)
  }

  /** Gives requests the faults of their bodies, which come after the refusals of earlier stages. */
  function tellFaults(app: FastifyInstance): void {
    app.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
      const { response, fault } = all.get(raw.socket) ?? {}
      if (fault && response?.req === raw) done(fault)
      else done()
    })
  }

  /** Adds `drain` to the server, and ends connections in a stop. */
  function register(app: FastifyInstance): void {
    app.addHook('onSend', ({ raw }, reply, payload, done) => {
      if (!accepting) return done(null, payload)
      accepting.then(() => {
        // With several requests in flight, the last reply ends the connection.
        if (all.get(raw.socket)?.response === reply.raw) reply.header('connection', 'close')
        done(null, payload)
      }, done)
    })
    app.decorate('stopping', stopping.signal)
    app.decorate('drain', timeoutMs => drain(timeoutMs, refusal => app.refuseAll(refusal)))
  }

  /**
   * Handles each request that Node's parser refuses or gives up on. The body's reader gets its first fault. All
   * other faults are answered on the socket, after the earlier replies.
   */
  function fail(error: Error, socket: Socket): void {
    const connection = all.get(socket)
    if (!connection || !socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy()
      return
    }
    if (connection.isOver) return // Node reports every later fault, too
    connection.isOver = true
    const { response } = connection
    const isNext = !response || response.req.complete
    if (!isNext && !response.headersSent) {
      // With `close`, Node would end the connection by itself, and a client that still sends might miss the reply.
      response.removeHeader('connection')
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
    if (all.has(socket)) return // its request is parsed once more
    const connection: Connection = { pending: 0, quietLooks: 0, isOver: false }
    all.set(socket, connection)
    void socket.remoteAddress // Node keeps what it was asked for: the log needs it when the client is gone
    // Node removes its own error handler when it gives up on a socket or hands it out. A reset then ends the process.
    socket.on('error', () => {})
    socket.once('close', () => all.delete(socket))
    socket.on('resume', () => {
      const { response } = connection
      const isWaiting = response && !response.socket && !response.headersSent
      if (isWaiting && socket.writable) socket.pause() // Node resumes reading after each reply
    })
  }

  /**
   * Handles a request, unless it comes after the last reply. A pipelined request (RFC 9112, section 9.3.2) waits until
   * the client has taken the reply before. Meanwhile the server reads no more than arrived at once, 64 KiB at most.
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
      // An open connection that keeps its last request, of some 5 KB, makes each young collection copy it.
      connection.response = undefined
    })
    response.setTimeout(stalledAfterMs, () => {
      if (response.socket?.writableLength) response.socket.destroy()
    })
    // Node gives a response its socket when the response before is complete.
    if (response.socket) return void listener()
    socket.pause()
    response.once('socket', () => {
      if (connection.response === response) socket.resume()
      listener()
    })
  }

  /** Ends a connection, but reads on briefly: a reset for unread input may overtake the last reply (RFC 9112, 9.6). */
  function hangUp(socket: Socket): void {
    const connection = all.get(socket)
    if (!connection || socket.writableEnded) return
    connection.isOver = true
    socket.end()
    socket.removeAllListeners('data') // Node's parser
    socket.on('data', () => {}).resume()
    // In two steps: a process that stood still between them looks at its sockets before it resets any.
    const half = (next: () => void) => setTimeout(next, lingering / 2).unref()
    half(() => half(() => socket.destroy()))
  }

  /** Ends each connection after its last reply, which has `Connection: close`, or once it was quiet for some time. */
  async function drain(timeoutMs: number, refuseAll: (refusal: ApiError) => void): Promise<boolean> {
    const end = performance.now() + timeoutMs
    const quiet = Math.min(quietMs, timeoutMs / 4)
    const accepted = Promise.withResolvers<void>()
    accepting = accepted.promise
    stopping.abort()
    await quieten(quiet, performance.now() + timeoutMs / 2)
    const closed = servers.map(server => {
      server.keepAliveTimeout = quiet
      return promisify(server.close).call(server)
    })
    accepted.resolve()
    for (const [socket, { pending }] of all) if (pending === 0) socket.setTimeout(quiet)
    if (await within(end - performance.now(), Promise.all(closed), false)) return true
    const headers = { 'Retry-After': '5' }
    refuseAll(new ApiError('unavailable', 'The service is stopping; retry soon.', { headers }))
    await sleep(leavingMs)
    for (const socket of all.keys()) socket.destroy()
    return false
  }

  /**
   * Waits until each connection has a request or is quiet. Closing a server cuts connections without a request, and
   * resets those not yet accepted. It counts checks, not time: a process without CPU time sees nothing clients sent.
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

  return { createServer, register, tellFaults, fail }
}

type Listener = Parameters<http.ServerResponse['on']>[1]

/** A listener, and those that were added after it. */
class Listening {
  readonly listener: Listener
  next: Listening | undefined = undefined

  constructor(listener: Listener) {
    this.listener = listener
  }
}

/**
 * A response that keeps the listeners of its ends in lists of its own. `EventEmitter` keeps several in an array. V8 may make
 * such arrays among its old objects, where each keeps a whole request until the next full collection of garbage: a quarter
 * of all that is allocated.
 * Source: Node, http, `ServerResponse` of `http.createServer`
 */
export class Response extends ServerResponse {
  #finish: Listening | undefined
  #close: Listening | undefined

  #finished(): void {
    for (let each = this.#finish; each; each = each.next) each.listener.call(this)
  }

  #closed(): void {
    for (let each = this.#close; each; each = each.next) each.listener.call(this)
  }

  override on(event: string | symbol, listener: Listener): this {
    if (event === 'finish') {
      if (!this.#finish) super.on(event, this.#finished)
      this.#finish = withLast(this.#finish, listener)
    } else if (event === 'close') {
      if (!this.#close) super.on(event, this.#closed)
      this.#close = withLast(this.#close, listener)
    } else super.on(event, listener)
    return this
  }

  override removeListener(event: string | symbol, listener: Listener): this {
    if (event === 'finish') {
      this.#finish = without(this.#finish, listener)
      if (!this.#finish) super.removeListener(event, this.#finished)
    } else if (event === 'close') {
      this.#close = without(this.#close, listener)
      if (!this.#close) super.removeListener(event, this.#closed)
    }
    return super.removeListener(event, listener)
  }

  override off(event: string | symbol, listener: Listener): this {
    return this.removeListener(event, listener)
  }
}

function withLast(first: Listening | undefined, listener: Listener): Listening {
  const added = new Listening(listener)
  if (!first) return added
  let last = first
  while (last.next) last = last.next
  last.next = added
  return first
}

/** Returns a list without a listener that was added as itself, or by `once`. */
function without(first: Listening | undefined, listener: Listener): Listening | undefined {
  if (!first) return undefined
  const { listener: original } = first.listener as { listener?: Listener } // as Node documents it
  if (first.listener === listener || original === listener) return first.next
  first.next = without(first.next, listener)
  return first
}
