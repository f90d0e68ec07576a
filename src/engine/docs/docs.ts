import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import type { Contract } from '../contract.ts'
import { sendSelected } from '../replies/conditional.ts'
import { docsAddresses } from './addresses.ts'
import { registerPage } from './page.ts'
import { createRenderer, originOf } from './renderings.ts'

const mediaTypes = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }

/** The document as YAML and JSON, Swagger UI with our plugin, and the way there from `/`. */
export async function registerDocs(app: FastifyInstance, contract: Contract): Promise<void> {
  const render = createRenderer(contract)
  const addresses = docsAddresses(contract.model)
  const onSend: onSendAsyncHookHandler<unknown> = async (request, reply, payload) =>
    Buffer.isBuffer(payload) ? sendSelected(request, reply, payload, true) : payload
  for (const format of ['json', 'yaml'] as const)
    app.get(addresses[format], { schema: { hide: true }, onSend }, async (request, reply) => {
      const { bytes, etag } = render(originOf(request), format)
      // The text depends on Host, which is part of the URL that caches go by; they ask each time and mostly get a 304.
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      return reply.type(mediaTypes[format]).send(bytes)
    })
  const { page, json, isHome } = addresses
  if (isHome)
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      // RFC 8631
      reply.header('Link', `<${json}>; rel="service-desc", <${page}>; rel="service-doc"`).redirect(page),
    )
  await app.register(scope => registerPage(scope, contract, addresses))
}
