import type { ServerResponse } from 'node:http'

/** How often a connection is looked at in the time that it may stand still. */
const looks = 10

/**
 * Cuts clients off that take nothing of a reply for so many milliseconds. Nearly all replies leave at once, and cost
 * nothing here: those that still wait when it looks are watched from then on.
 * @param underWay the replies that are being sent
 * @returns what ends it
 */
export function cutStalled(underWay: () => Iterable<ServerResponse>, stalledAfterMs: number): () => void {
  const watched = new WeakSet<ServerResponse>()
  const look = () => {
    for (const response of underWay()) {
      if (!response.socket?.writableLength || watched.has(response)) continue
      watched.add(response)
      endWhenStalled(response, stalledAfterMs)
    }
  }
  const timer = setInterval(look, stalledAfterMs / looks).unref()
  return () => clearInterval(timer)
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
