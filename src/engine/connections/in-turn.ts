import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Bounds what a connection can make the server hold. Requests sent ahead (pipelining, RFC 9112, section 9.3.2) are
 * handled one after the other, each once the client has taken the reply before; meanwhile no more is read than came at
 * once, 64 KiB at most.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  // Made outside what handles a request: all that is made there holds that request, for as long as it lives itself.
  const watch = (socket: Socket) => {
    socket.on('resume', () => {
      if (waiting.get(socket) && socket.writable) socket.pause()
    })
  }
  return (request, response) => {
    // Node gives a response its socket when the one before is through.
    if (response.socket) return handle(request, response)
    const { socket } = request
    const known = waiting.get(socket)
    if (known === undefined) watch(socket) // Node reads on after each reply
    waiting.set(socket, (known ?? 0) + 1)
    socket.pause()
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1
      waiting.set(socket, left)
      if (left === 0) socket.resume()
      handle(request, response)
    })
  }
}
