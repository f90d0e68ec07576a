import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../replies/api-error.ts'
import type { Connections } from './connections.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Stops taking requests and waits until those that are there are answered. When the time is up, the rest is told to
     * come again, and what is still open is cut.
     * @returns whether all were answered in time
     */
    drain(timeoutMs: number): Promise<boolean>
  }
}

/** How long connections without a request are given to send one after all, in ms. */
const quietMs = 500
/** How long the last refusals are given to leave, in ms. */
const leavingMs = 100

/** Gives the server its `drain`, and the faults of bodies to their requests. */
export function registerStopping(app: FastifyInstance, connections: Connections): void {
  app.addHook('onRequest', async (request, reply) => connections.await(request.raw.socket, reply))
  app.addHook('onSend', async request => connections.await(request.raw.socket, undefined))
  app.addHook('preParsing', (request, _reply, payload, done) =>
    done(connections.faultOf(request.raw) ?? null, payload),
  )
  app.decorate('drain', async timeoutMs => {
    const inTime = await connections.drain({ quietMs: Math.min(quietMs, timeoutMs / 2), timeoutMs })
    if (inTime) return true
    for (const reply of connections.awaited())
      reply.send(
        new ApiError('unavailable', 'The service is stopping; retry soon.', {
          headers: { 'Retry-After': '5' },
        }),
      )
    await sleep(leavingMs)
    connections.destroy()
    return false
  })
}
