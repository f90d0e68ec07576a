import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { readConfig } from './config.ts'
import { readContract } from './contract.ts'
import type { Service } from './definition.ts'
import { open } from './open.ts'

/** Settings by the names that environment variables have. */
export type Settings = Readonly<Record<string, string | undefined>>

/**
 * Opens a service in a program of one's own, which listens, and closes it by `close()`. What `serve` does for a process
 * (signals, workers, the first key, metrics on a port) is left to that program.
 * @throws Error when a setting is wrong, the database can't be opened, or something of the service is not written yet
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
    await closing.disposeAsync().catch(() => {}) // what has failed first is told
    throw error
  }
}

/**
 * A Fastify plugin that serves a service within a server of one's own: all that this one has no route for. Such requests
 * pass the server's `onRequest` hooks that were added before, and then the service's stages alone.
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
