import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { operationOf } from '../contract/destination.ts'
import { ApiError } from '../errors/api-error.ts'
import { createSlots, type Slotted } from '../runtime/slots.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null once it is answered */
    unanswered: Unanswered | null
  }
  interface FastifyInstance {
    /** Runs a handler until its request is refused. Work that begins later than that is not begun. */
    untilRefused<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
    /** Refuses all requests that have no answer yet. */
    refuseAll(refusal: ApiError): void
  }
}

/** How often unanswered requests are looked at, in ms. */
const lookEvery = 1_000

/** An unanswered request. */
interface Unanswered extends Slotted {
  request: FastifyRequest
  reply: FastifyReply
  began: number
  /** the time at which it was whole, as far as is known */
  since: number
  /** Ends the wait for its handler. */
  giveUp: ((refusal: ApiError) => void) | undefined
}

/** Refuses requests without an answer in time (503), so that no handler holds a caller or a transaction for ever. */
export const timeLimit = fp<{ handlerTimeoutMs: number; requestTimeoutMs: number }>(
  async (app, { handlerTimeoutMs, requestTimeoutMs }) => {
    const unanswered = createSlots<Unanswered>()
    const answered = (request: FastifyRequest) => {
      if (request.unanswered) unanswered.remove(request.unanswered)
      request.unanswered = null
    }

    app.decorateRequest('unanswered', null)
    app.addHook('onRequest', (request, reply, done) => {
      const time = performance.now()
      request.unanswered = { request, reply, began: time, since: time, giveUp: undefined, slot: undefined }
      unanswered.add(request.unanswered)
      done()
    })
    // Only the time to the answer counts. A body may take longer.
    app.addHook('onSend', (request, _reply, payload, done) => {
      answered(request)
      done(null, payload)
    })

    function refuse({ request, reply, giveUp }: Unanswered, refusal: ApiError): void {
      answered(request)
      app.endWork(request)
      if (giveUp) giveUp(refusal)
      else if (!reply.sent) reply.send(refusal)
    }

    function look(): void {
      const time = performance.now()
      unanswered.forEach(one => {
        const { request } = one
        // Until it is whole, a request has another limit.
        if (request.raw.complete === false && time - one.began < requestTimeoutMs) one.since = time
        if (time - one.since >= handlerTimeoutMs) refuse(one, tooLate(request, handlerTimeoutMs))
      })
    }
    const looking = setInterval(look, Math.min(lookEvery, handlerTimeoutMs / 4)).unref()
    app.addHook('onClose', async () => clearInterval(looking))

    app.decorate('refuseAll', (refusal: ApiError) => {
      unanswered.forEach(one => {
        refuse(one, refusal)
      })
    })
    app.decorate('untilRefused', <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> => {
      const own = request.unanswered
      if (!own) return Promise.reject(new ApiError('unavailable', 'The request was refused meanwhile.'))
      return new Promise((resolve, reject) => {
        own.giveUp = reject
        work().then(answer => {
          answered(request) // it may be stored from now on, and is not told as refused
          resolve(answer)
        }, reject)
      })
    })
  },
)

function tooLate(request: FastifyRequest, timeoutMs: number): ApiError {
  const name = operationOf(request) ?? `${request.method} ${request.routeOptions.url ?? 'of an unknown path'}`
  const cause = new Error(
    `${name} has not answered within ${timeoutMs} ms (HANDLER_TIMEOUT_MS): it was refused`,
  )
  const headers = { 'Retry-After': '5' }
  return new ApiError('unavailable', 'The operation takes too long; retry later.', { headers, cause })
}
