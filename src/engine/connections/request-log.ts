import type { FastifyInstance } from 'fastify'
import { operationOf } from '../routes/operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the code of the error that it was answered with; null for none */
    refusal: string | null
  }
}

/** The levels at which requests are told of. */
const tellingLevels = ['trace', 'debug', 'info']

/** One line for each request, once its reply is out: who asked for what, and what came of it. */
export function registerRequestLog(app: FastifyInstance): void {
  app.decorateRequest('refusal', null)
  if (!tellingLevels.includes(app.log.level)) return
  app.addHook('onRequest', ({ log, method, url, ip }, _reply, done) => {
    log.debug({ method, url, ip }, 'incoming request')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, method, url, ip, refusal } = request
    const length = Number(reply.getHeader('content-length'))
    request.log.info(
      {
        method,
        url,
        ip,
        operationId: operationOf(request),
        // It may have been refused before anybody looked who sent it.
        key: caller?.kind === 'key' ? caller.keyId : undefined,
        status: reply.statusCode,
        code: refusal ?? undefined,
        bytes: Number.isNaN(length) ? undefined : length,
        ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
      },
      'request completed',
    )
    done()
  })
}
