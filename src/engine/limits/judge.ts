import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Count } from './counting.ts'

/** What has been counted, for the plugin to judge. */
interface Counted {
  max: number
  current: number
  ttl: number
}

/** Judges counts by @fastify/rate-limit: what has been counted is all that its store knows. */
export async function createJudge(app: FastifyInstance): Promise<(counted: Counted) => Promise<Count>> {
  const waiting = new Map<string, Counted>()
  function Store() {
    const incr = (token: string, callback: (error: null, result?: Counted) => void) => {
      callback(null, waiting.get(token))
      waiting.delete(token)
    }
    return { incr, child: Store }
  }
  let limit: ((request: FastifyRequest) => Promise<unknown>) | undefined
  await app.register(async scope => {
    // The plugin makes its store itself, from a class.
    await scope.register(rateLimit, { global: false, store: Store as unknown as FastifyRateLimitStoreCtor })
    limit = scope.createRateLimit({
      max: (_request, token) => waiting.get(token)?.max ?? 0,
      keyGenerator: request => (request as unknown as { token: string }).token, // the plugin is handed this, below
    })
  })
  let last = 0
  return counted => {
    last = (last + 1) % Number.MAX_SAFE_INTEGER
    const request = { token: String(last), routeOptions: {} }
    waiting.set(request.token, counted)
    // The plugin asks for a request; the token is all that these functions read of it. It always gives a count.
    return limit?.(request as unknown as FastifyRequest) as Promise<Count>
  }
}
