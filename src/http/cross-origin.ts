import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ContractDocument } from '../contract/document.ts'

interface Response {
  headers?: Record<string, unknown>
}

/** Where a document names header fields. */
interface Fields {
  paths?: Record<string, Record<string, { responses?: Record<string, Response> }>>
  components?: {
    responses?: Record<string, Response>
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
  const { paths = {}, components }: Fields = document.value
  const operations = Object.values(paths).flatMap(item => Object.values(item))
  const responses = [...operations.map(operation => operation.responses ?? {}), components?.responses ?? {}]
  const exposed = responses.flatMap(group =>
    Object.values(group).flatMap(({ headers = {} }) => Object.keys(headers)),
  )
  const sent = Object.values(components?.parameters ?? {}).filter(parameter => parameter.in === 'header')
  const allowed = ['X-API-Key', 'Content-Type', 'X-Request-Id', ...sent.map(parameter => parameter.name)]
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
      .header('Access-Control-Allow-Headers', allowed.join(', '))
      .header('Access-Control-Max-Age', rememberFor)
  }
}
