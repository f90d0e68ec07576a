import { performance } from 'node:perf_hooks' // the global one is a getter, called each time
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Is handed each request as it comes, also those that the router refuses. */
export type Observe = (request: FastifyRequest, reply: FastifyReply) => void

/** A request that was refused before its head was read: it was malformed, too long, too late, or of no served version. */
export interface RefusedUnread {
  requestId: string
  /** address of the peer; undefined when the connection is gone */
  ip: string | undefined
  status: number
  /** of the error that was sent */
  code: string
  /** what Node's parser or the server found wrong; holds nothing of the request */
  reason: string
  /** whether the client went away before it could be answered */
  isAborted: boolean
  /** from the refusal to its reply */
  ms: number
}

/** Is told of each request that was refused before its head was read. */
export type ObserveUnread = (refused: RefusedUnread) => void

/**
 * Calls back once, when a reply is out or its client is gone. Fastify's own hook says nothing of those who go away.
 * @param tell is told whether the client went away before it had the whole reply, and how long it took from now on, in ms
 */
export function whenOver({ raw }: FastifyReply, tell: (isAborted: boolean, ms: number) => void): void {
  const began = performance.now()
  let isOver = false
  const end = (isAborted: boolean) => {
    if (!isOver) tell(isAborted, performance.now() - began)
    isOver = true
  }
  raw.on('finish', () => end(false)).on('close', () => end(true))
}
