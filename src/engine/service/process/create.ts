import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
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
 * requests pass the `onRequest` hooks that the server added before, and then only the service's stages.
 */
export const servicePlugin: FastifyPluginAsync<{ service: Service; settings?: Settings }> = async (
  app,
  { service, settings },
) => {
  const served = await createService(service, settings)
  await served.ready()
  app.addHook('onClose', () => served.close())
  app.addHook('onRequest', async (request, reply) => {
    reply.hijack()
    served.routing(request.raw, reply.raw)
  })
  app.all('/*', async () => {}) // the hook has answered
}
