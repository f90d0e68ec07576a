import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ContractDocument } from '../contract/document.ts'

interface Headers {
  components?: {
    headers?: Record<string, unknown>
    parameters?: Record<string, { in: string; name: string }>
  }
}

/** How long a browser may remember what is allowed, in seconds. */
const rememberFor = 600

/**
 * Lets pages of other origins use the API and read every header field that the document declares.
 * @param origins `*` for all, or those allowed
 * @returns answers a preflight request, once the path's methods are known (Fetch standard, "CORS-preflight request")
 */
export async function registerCrossOrigin(
  app: FastifyInstance,
  document: ContractDocument,
  origins: '*' | readonly string[],
): Promise<(request: FastifyRequest, reply: FastifyReply, methods: string) => void> {
  const { components }: Headers = document.value
  const exposed = Object.keys(components?.headers ?? {}).filter(name => name !== 'ListETag')
  const sent = Object.values(components?.parameters ?? {}).filter(parameter => parameter.in === 'header')
  const allowed = ['X-API-Key', 'Content-Type', 'X-Request-Id', ...sent.map(parameter => parameter.name)]
  // The preflight itself is answered with the other OPTIONS requests, so that it tells the path's own methods.
  await app.register(cors, {
    origin: origins === '*' ? '*' : [...origins],
    exposedHeaders: exposed,
    preflight: false,
    hideOptionsRoute: true,
  })
  return (request, reply, methods) => {
    if (request.headers['access-control-request-method'] === undefined) return
    reply
      .header('Access-Control-Allow-Methods', methods)
      .header('Access-Control-Allow-Headers', allowed.join(', '))
      .header('Access-Control-Max-Age', rememberFor)
  }
}
