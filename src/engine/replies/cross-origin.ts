import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf, schemesOf } from '../access/security.ts'
import type { Contract } from '../contract.ts'

/** How long a browser may remember what is allowed, in seconds. */
const rememberFor = 600

/**
 * Lets pages of other origins use the API and read every header field that the document declares.
 * @param origins `*` for all, or those allowed
 * @returns answers a preflight request, once the path's methods are known (Fetch standard, "CORS-preflight request")
 */
export async function registerCrossOrigin(
  app: FastifyInstance,
  { model }: Contract,
  origins: '*' | readonly string[],
): Promise<(request: FastifyRequest, reply: FastifyReply, methods: string) => void> {
  const responses = model.operations.flatMap(operation => [...operation.responses.values()])
  const exposed = responses.flatMap(({ headers = {} }) => Object.keys(headers))
  const sent = model.operations
    .flatMap(({ parameters }) => parameters)
    .filter(parameter => parameter.in === 'header')
    .map(({ name }) => name)
  const credentials = schemesOf(model).flatMap(({ scheme }) => fieldOf(scheme) ?? [])
  const allowed = new Set([...credentials, 'Content-Type', 'X-Request-Id', ...sent])
  // The preflight itself is answered with the other OPTIONS requests, so that it tells the path's own methods.
  await app.register(cors, {
    origin: origins === '*' ? '*' : [...origins],
    exposedHeaders: [...new Set(exposed)],
    preflight: false,
    hideOptionsRoute: true,
  })
  return (request, reply, methods) => {
    if (request.headers['access-control-request-method'] === undefined) return
    reply
      .header('Access-Control-Allow-Methods', methods)
      .header('Access-Control-Allow-Headers', [...allowed].join(', '))
      .header('Access-Control-Max-Age', rememberFor)
  }
}
