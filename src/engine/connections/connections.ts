import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Server as Listener, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { inTurn } from './in-turn.ts'
import { cutStalled } from './stalled.ts'

/** How long a connection stays open after its last reply for a client that neither ends it nor stops sending, in ms. */
const lingering = 500
/** How long a connection may wait for its next request, in ms: longer than the 60 seconds of common load balancers. */
const keepAlive = 72_000
/** The parser reads the request lines of other versions, too (RFC 9112, section 2.3). */
const versions = 'Only HTTP/1.0 and HTTP/1.1 are served.'
/** How long a stop goes on accepting at most, in ms. */
const accepting = 2_000

/** A request that Node's parser takes and this server does not. */
export class UnservedRequest extends Error {
  readonly request: IncomingMessage

  constructor(message: string, request: IncomingMessage) {
    super(message)
    this.request = request
  }
}

/** One connection, and the last request that came over it, until it has its whole reply and another may follow. */
interface Connection {
  request?: IncomingMessage | undefined
  response?: ServerResponse | undefined
  /** the reply that is being sent: requests may have come ahead */
  current?: ServerResponse | undefined
  /** what a reply is still to be sent with */
  awaited?: FastifyReply | undefined
  /** requests without a whole reply yet */
  pending: number
  /** Counts one less of them. */
  answered(): void
  /** The parser has given up: the bytes that come any more have no meaning. */
  broken: boolean
  /** The last reply is out; what still comes is thrown away. */
  ended: boolean
  bytesRead: number
  /** when something was last read or answered, by `performance.now` */
  quietSince: number
}

export interface Connections {
  /** Makes the server that accepts them. */
  createServer(listener: RequestListener): Server
  /**
   * Is told by the server of each request that Node's parser refuses or gives up on. A request gets one reply: the
   * first fault of a body goes to who reads it, and is silent when the request is answered by then; all others are
   * answered on the socket, after the replies that are due before.
   */
  fail(error: Error, socket: Socket): void
  /** The fault that ended the body of a request before anybody read it. */
  faultOf(request: IncomingMessage): Error | undefined
  /**
   * Notes the reply that a connection waits for; undefined when it has been sent. Kept here, as a collection that each
   * request enters and leaves is rebuilt so often that its old copies keep the replies from young collections.
   */
  await(socket: Socket, reply: FastifyReply | undefined): void
  /** The replies that connections still wait for. */
  awaited(): FastifyReply[]
  /**
   * Accepts no more connections and ends those that are there, each after the last of its replies, which says
   * `Connection: close`; one without a request is ended once it has been quiet for some time, as a client may be about
   * to send one.
   * @returns whether all ended in time
   */
  drain(times: { quietMs: number; timeoutMs: number }): Promise<boolean>
  /** Cuts what is left. */
  destroy(): void
}

/**
 * @param times longest wait for a whole request, head and body, and for a client that takes nothing of a reply, in ms
 * @param refuse writes the last reply of a connection for a request that can't be told from its bytes
 */
export function openConnections(
  { requestTimeoutMs, stalledAfterMs }: { requestTimeoutMs: number; stalledAfterMs: number },
  refuse: (error: Error, socket: Socket) => Promise<void>,
): Connections {
  const connections = new Map<Socket, Connection>()
  const faults = new WeakMap<IncomingMessage, Error>()
  const servers: Server[] = []
  let accepted = 0
  /** requests that wait until nobody can connect any more */
  let held: (() => void)[] | undefined
  let stopping = false

  function accept(socket: Socket): void {
    accepted++
    const connection: Connection = {
      pending: 0,
      answered() {
        connection.pending--
        connection.quietSince = performance.now()
        if (connection.pending === 0 && connection.request?.complete && connection.response?.shouldKeepAlive)
          forget(connection)
      },
      broken: false,
      ended: false,
      bytesRead: 0,
      quietSince: performance.now(),
    }
    connections.set(socket, connection)
    // Node removes its own handler when it gives up on a socket or hands it out; a reset without one ends the process.
    socket.on('error', () => {})
    socket.once('close', () => connections.delete(socket))
    // Node calls this after the last reply of a connection.
    socket.destroySoon = () => end(socket)
  }

  /** An open connection that holds its last request, of some 5 KB, has each young collection copy it. */
  function forget(connection: Connection): void {
    connection.request = undefined
    connection.response = undefined
    connection.current = undefined
  }

  /**
   * Ends a connection so that its last reply arrives: closing a socket with unread input resets it, and a reset may
   * overtake the reply. So what still comes is read and thrown away for a moment (RFC 9112, section 9.6).
   */
  function end(socket: Socket): void {
    const connection = connections.get(socket)
    if (!connection || connection.ended) return
    connection.ended = true
    socket.end()
    socket.removeAllListeners('data') // Node's parser
    socket.on('data', () => {}).resume()
    setTimeout(() => socket.destroy(), lingering).unref()
  }

  /** Notes a request; false for one that comes after a reply that said it would be the last. */
  function take(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = connections.get(request.socket)
    if (!connection) return true
    const { response: before } = connection
    if (connection.ended || connection.broken || (before?.headersSent && !before.shouldKeepAlive))
      return false
    if (stopping) {
      // Of several requests in flight the last one's reply ends the connection.
      if (before && !before.headersSent) before.shouldKeepAlive = true
      response.shouldKeepAlive = false
    }
    connection.request = request
    connection.response = response
    connection.pending++
    response.on('close', connection.answered)
    return true
  }

  function refuseAndEnd(error: Error, socket: Socket): void {
    if (!socket.writable) return
    setTimeout(() => end(socket), lingering).unref() // whatever the refusal waits for
    refuse(error, socket).finally(() => end(socket))
  }

  const isQuiet = (socket: Socket, connection: Connection, quietMs: number): boolean => {
    if (connection.pending > 0) return false
    if (connection.bytesRead !== socket.bytesRead) connection.quietSince = performance.now()
    connection.bytesRead = socket.bytesRead
    return performance.now() - connection.quietSince >= quietMs
  }

  return {
    createServer(listener) {
      const handle = inTurn((request, response) => {
        const connection = connections.get(request.socket)
        if (connection) connection.current = response
        listener(request, response)
      })
      const server = createServer(
        {
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
        },
        (request, response) => {
          if (request.httpVersionMajor !== 1) return void refuseRequest(versions, request)
          if (!take(request, response)) return
          if (held) held.push(() => handle(request, response))
          else handle(request, response)
        },
      )
      // Node would end the connection of a client that ends its side, under a reply that is not there yet.
      Object.assign(server, { httpAllowHalfOpen: true }) // a public property that the types lack
      const refuseRequest = (message: string, request: IncomingMessage) =>
        server.emit('clientError', new UnservedRequest(message, request), request.socket)
      server.on('connection', accept)
      // Expectations other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response))
      // Node would hang up without a word on who asks for a tunnel.
      server.on('connect', request => refuseRequest('The service opens no tunnels.', request))
      server.once(
        'close',
        cutStalled(() => [...connections.values()].flatMap(({ current }) => current ?? []), stalledAfterMs),
      )
      servers.push(server)
      return server
    },

    fail(error, socket) {
      const connection = connections.get(socket)
      if (!connection || !socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
        socket.destroy()
        return
      }
      if (connection.ended || connection.broken) return // Node tells of all that still comes
      connection.broken = true
      const { request, response } = connection
      if (!request || !response) {
        refuseAndEnd(error, socket)
        return
      }
      const isNext = request.complete
      if (!isNext && !response.headersSent) {
        response.shouldKeepAlive = false
        faults.set(request, error)
        if (request.listenerCount('error') > 0) request.emit('error', error)
      }
      const conclude = () => (isNext ? refuseAndEnd(error, socket) : end(socket))
      if (connection.pending === 0) conclude()
      else response.once('close', conclude)
    },

    faultOf: request => faults.get(request),

    await(socket, reply) {
      const connection = connections.get(socket)
      if (connection) connection.awaited = reply
    },

    awaited: () => [...connections.values()].flatMap(({ awaited }) => awaited ?? []),

    async drain({ quietMs, timeoutMs }) {
      const started = performance.now()
      const elapsed = () => performance.now() - started
      // Who has connected but is not accepted yet would be reset. The event loop accepts one connection a turn: the
      // turns are short, and soon there are no more, while requests wait and no reply makes a client connect anew.
      const waiting: (() => void)[] = []
      held = waiting
      await turn()
      let before: number
      do {
        before = accepted
        await turn()
      } while (accepted > before && elapsed() < Math.min(accepting, timeoutMs / 4))
      // Not the close of HTTP servers, which cuts idle connections, even under a request that is on its way.
      for (const server of servers) Listener.prototype.close.call(server)
      stopping = true
      for (const connection of connections.values()) {
        const { response } = connection
        if (response && !response.headersSent) response.shouldKeepAlive = false
        connection.quietSince = performance.now() // who was quiet before may be about to send
      }
      held = undefined
      for (const handle of waiting) handle()
      while (connections.size > 0 && elapsed() < timeoutMs) {
        await sleep(20)
        await turn() // what has arrived by now has been read
        for (const [socket, connection] of connections) if (isQuiet(socket, connection, quietMs)) end(socket)
      }
      return connections.size === 0
    },

    destroy() {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}
