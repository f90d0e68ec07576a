import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How often a connection is looked at in the time that it may stand still. */
const looks = 10

/**
 * Bounds what a connection can make the server hold. Requests sent ahead (pipelining, RFC 9112, section 9.3.2) are
 * handled one after the other, each once the client has taken the reply before; meanwhile no more is read than came at
 * once, 64 KiB at most.
 * A client that takes nothing of a reply for a while is cut off.
 * @param stalledAfterMs how long, in milliseconds
 */
export function inTurn(listener: RequestListener, stalledAfterMs: number): RequestListener {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    endWhenStalled(response, stalledAfterMs)
    listener(request, response)
  }
  const waiting = new WeakMap<Socket, number>()
  const readOn = (socket: Socket) => {
    if (waiting.get(socket) && socket.writable) socket.pause()
  }
  return (request, response) => {
    // Node gives a response its socket when the one before is through.
    if (response.socket) return handle(request, response)
    const { socket } = request
    const known = waiting.get(socket)
    if (known === undefined) socket.on('resume', () => readOn(socket)) // Node reads on after each reply
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

/** Cuts a client off that takes nothing of this reply for so many milliseconds. */
function endWhenStalled(response: ServerResponse, stalledAfterMs: number): void {
  const lookAfter = stalledAfterMs / looks
  let stalledSince = 0
  let lastLook = 0
  // Called when nothing has moved for that long; the bytes of a write that is under way count.
  response.setTimeout(lookAfter, () => {
    const { socket } = response
    if (!socket || socket.writableLength === 0) return // waits for us, or still sends its request
    const now = performance.now()
    if (now - lastLook > 1.5 * lookAfter) stalledSince = now - lookAfter // something was taken in between
    lastLook = now
    if (now - stalledSince >= stalledAfterMs) socket.destroy()
    else socket.setTimeout(lookAfter)
  })
}
