import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import type { Contract } from '../contract.ts'
import { keepCodings } from '../replies/coding.ts'
import { digest, sendSelected } from '../replies/conditional.ts'
import { type DocsAddresses, docsAddresses } from './addresses.ts'
import { sunsetCalendar } from './calendar.ts'
import { operationInMarkdown } from './markdown/operation.ts'
import { lifetimeOf, registerPage } from './page.ts'
import { createRenderer, originOf } from './renderings.ts'

const markdown = 'text/markdown; charset=utf-8' // RFC 7763
const mediaTypes = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  llms: markdown,
}

/** The document as YAML, JSON and Markdown, Swagger UI with our plugin, and the way there from `/`. */
export async function registerDocs(app: FastifyInstance, contract: Contract, script?: string): Promise<void> {
  const addresses = docsAddresses(contract.model)
  const render = createRenderer(contract, addresses)
  /** Names the document, wherever it is asked for. */
  const fingerprint = digest(render('http://localhost', 'json').bytes).slice(0, 16)
  const onSend: onSendAsyncHookHandler<unknown> = async (request, reply, payload) =>
    Buffer.isBuffer(payload) ? sendSelected(request, reply, payload, true) : payload
  for (const format of ['json', 'yaml', 'llms'] as const)
    app.get(addresses[format], { schema: { hide: true }, onSend }, async (request, reply) => {
      const { bytes, etag } = render(originOf(request), format)
      // The text depends on Host, which is part of the URL that caches go by; they ask each time and mostly get a 304.
      const lifetime = lifetimeOf(request, fingerprint)
      reply.headers({ ETag: etag, 'Cache-Control': lifetime, 'Access-Control-Allow-Origin': '*' })
      return reply.type(mediaTypes[format]).send(bytes)
    })
  const { page, json, operations, changes, sunsets, isHome } = addresses
  const calendar = 'text/calendar; charset=utf-8' // RFC 5545
  for (const [address, type, text] of [
    [changes, markdown, contract.changelog],
    [sunsets, calendar, sunsetCalendar(contract)],
  ] as const) {
    const bytes = keepCodings(Buffer.from(text), 'quick')
    const etag = `"${digest(text)}"`
    app.get(address, { schema: { hide: true }, onSend }, async (_request, reply) => {
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      return reply.type(type).send(bytes)
    })
  }
  const pageNamed = operationPages(contract, addresses)
  app.get(`${operations}/:name`, { schema: { hide: true }, onSend }, async (request, reply) => {
    const { name } = request.params as { name: string } // the router's
    const found = pageNamed(name)
    if (!found) return reply.callNotFound()
    reply.headers({ ETag: found.etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
    return reply.type(markdown).send(found.bytes)
  })
  if (isHome)
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      // RFC 8631
      reply.header('Link', `<${json}>; rel="service-desc", <${page}>; rel="service-doc"`).redirect(page),
    )
  await app.register(scope => registerPage(scope, contract, addresses, `${json}?v=${fingerprint}`, script))
}

/** The operations in Markdown by the names of their files, each made when it is first asked for. */
function operationPages(contract: Contract, addresses: DocsAddresses) {
  const made = new Map<string, { bytes: Buffer; etag: string }>()
  return (name: string) => {
    const known = made.get(name)
    const operation = name.endsWith('.md') ? contract.model.operation(name.slice(0, -3)) : undefined
    if (known || !operation) return known
    const text = operationInMarkdown(contract, operation, addresses)
    const page = { bytes: keepCodings(Buffer.from(text), 'quick'), etag: `"${digest(text)}"` }
    made.set(name, page)
    return page
  }
}
