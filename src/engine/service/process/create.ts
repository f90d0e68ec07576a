import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'
import { readConfig } from './config.ts'
import { readContract } from './contract.ts'
import type { Service } from './definition.ts'
import { open } from './open.ts'

/** Settings by the names of their environment variables. */
export type Settings = Readonly<Record<string, string | undefined>>

/**
 * Opens a service in your own program. The program listens, and closes the service by `close()`. The program also does
 * what `serve` does for a process: signals, workers, the first key and a port for metrics.
 * @throws Error when a setting is wrong, the database can't be opened, or a handler is missing
 */
export async function createService(
  service: Service,
  settings: Settings = process.env,
): Promise<FastifyInstance> {
  const config = readConfig({ ...settings })
  const contract = await readContract(service.root)
  const closing = new AsyncDisposableStack()
  try {
    const { app } = await open(service, { ...config, metricsPort: undefined }, contract, closing)
    return app.addHook('onClose', () => closing.disposeAsync())
  } catch (error) {
    await closing.disposeAsync().catch(() => {}) // only the first failure is reported
    throw error
  }
}

/**
 * A Fastify plugin that serves a service within your own server: all requests for which that server has no route. Such
 * requests pass the `onRequest` hooks that the server added before, and then only the service's stages. Header fields that
 * these hooks set, such as those of `@fastify/helmet` and `@fastify/cors`, are on the replies. Hooks for `onSend` belong to
 * `service.plugins`. A first start may take longer than
 * Fastify lets a plugin take (`pluginTimeout`): requests then wait for it.
 */
export const servicePlugin: FastifyPluginAsync<{ service: Service; settings?: Settings }> = async (
  app,
  { service, settings },
) => {
  // Before the service opens, which keeps this thread busy at first.
  const { pluginTimeout = 10_000 } = app.initialConfig
  const isLate = setTimeout(pluginTimeout / 2, true, { ref: false })
  const plugins = [...(service.plugins ?? []), joinVary]
  const opening = createService({ ...service, plugins }, settings).then(async opened => {
    await opened.ready()
    return opened
  })
  let served: FastifyInstance | undefined
  const ready = opening.then(opened => {
    served = opened
  })
  if (pluginTimeout === 0) await ready
  else if (await Promise.race([ready, isLate])) {
    app.log.info('The service is still opening its database. Requests wait for it.')
    ready.catch(err => app.log.error({ err }, 'The service can’t be opened.'))
  }
  app.addHook('onClose', async () => (await opening.catch(() => undefined))?.close())
  app.addHook('onRequest', async (request, reply) => {
    served ??= await opening
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    reply.hijack()
    served.routing(request.raw, reply.raw)
  })
  app.all('/*', async () => {}) // the hook has answered
}

/** Keeps the names in a Vary that the outer server has set: the service's own would replace them. */
const joinVary = fp(async app => {
  app.addHook('onSend', (_, reply, payload, done) => {
    const [outer, inner] = [reply.raw.getHeader('vary'), reply.getHeader('vary')]
    if (outer !== undefined && inner !== undefined) reply.header('vary', [outer, inner].flat().join(', '))
    done(null, payload)
  })
})
