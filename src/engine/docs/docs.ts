import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import type { Contract } from '../contract.ts'
import { sendSelected } from '../replies/conditional.ts'
import { registerPage } from './page.ts'
import { createRenderer, originOf } from './renderings.ts'

const mediaTypes = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }

/** The document at /openapi.yaml and /openapi.json, Swagger UI with our plugin at /docs, and the way there from `/`. */
export async function registerDocs(app: FastifyInstance, document: Contract): Promise<void> {
  const render = createRenderer(document)
  const onSend: onSendAsyncHookHandler<unknown> = async (request, reply, payload) =>
    Buffer.isBuffer(payload) ? sendSelected(request, reply, payload, true) : payload
  for (const format of ['json', 'yaml'] as const)
    app.get(`/openapi.${format}`, { schema: { hide: true }, onSend }, async (request, reply) => {
      const { bytes, etag } = render(originOf(request), format)
      // The text depends on Host, which is part of the URL that caches go by; they ask each time and mostly get a 304.
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      return reply.type(mediaTypes[format]).send(bytes)
    })
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    // RFC 8631
    reply.header('Link', '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"').redirect('/docs'),
  )
  await app.register(page => registerPage(page, document))
}
