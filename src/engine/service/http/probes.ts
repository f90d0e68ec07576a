import fp from 'fastify-plugin'
import type { DependencyState } from '../context.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns whether the service can serve: its dependencies answer, and it is not about to stop. Never throws. */
    isReady(): Promise<boolean>
    /** To be called before a stop, while requests are still taken: load balancers are to send no more. */
    retire(): void
  }
}

/** The paths by which an orchestrator learns whether to restart a process, and whether to send it requests. */
export const probePaths = { live: '/livez', ready: '/readyz' } as const

export interface ProbesOptions {
  /** whether the document has a path of its own at an address, which takes precedence */
  isTaken(path: string): boolean
  dependencies(): Promise<readonly DependencyState[]>
}

/** Answers the probes of an orchestrator. They need no credential, cost nothing, and are never shed. */
export const probes = fp<ProbesOptions>(async (app, { isTaken, dependencies }) => {
  let isRetired = false
  app.decorate('retire', () => {
    isRetired = true
  })
  app.decorate('isReady', async () => {
    if (isRetired || app.stopping.aborted) return false
    return (await dependencies()).every(({ status }) => status !== 'unavailable')
  })
  const options = { schema: { hide: true }, config: { isProbe: true } }
  if (!isTaken(probePaths.live)) app.get(probePaths.live, options, async () => ({ status: 'ok' }))
  if (!isTaken(probePaths.ready))
    app.get(probePaths.ready, options, async (_request, reply) =>
      (await app.isReady())
        ? { status: 'ok' }
        : reply.code(503).header('retry-after', '5').send({ status: 'unavailable' }),
    )
})
