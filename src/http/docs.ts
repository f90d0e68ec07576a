import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import type { ContractDocument } from '../contract/document.ts'

/** Where the document names the origin it is served from. */
interface Servers {
  servers?: { variables?: { base_url?: { default: string } } }[]
}

/** The document with the origin that the request came to as its base URL. */
function withOrigin(document: ContractDocument, request: FastifyRequest): object {
  const { servers = [], ...rest }: Servers = document.value
  const origin = `${request.protocol}://${request.host}`
  const own = servers.map(server =>
    server.variables?.base_url
      ? {
          ...server,
          variables: { ...server.variables, base_url: { ...server.variables.base_url, default: origin } },
        }
      : server,
  )
  return { ...document.value, ...rest, servers: own }
}

/** The document at /openapi.yaml and /openapi.json, and Swagger UI at /docs. */
export async function registerDocs(app: FastifyInstance, document: ContractDocument): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, async request => withOrigin(document, request))
  app.get('/openapi.yaml', { schema: { hide: true } }, async (request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(stringify(withOrigin(document, request))),
  )
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/docs'))
  // The generator has refused any text that is no OpenAPI document.
  const specification = structuredClone(document.value) as unknown as StaticDocumentSpec['document']
  await app.register(swagger, { mode: 'static', specification: { document: specification } })
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { url: '/openapi.json' } })
}
