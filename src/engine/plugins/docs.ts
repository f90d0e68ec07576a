import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Contract } from '../contract.ts'
import { type DocsAddresses, docsAddresses, originOf } from '../docs/addresses.ts'
import { sunsetCalendar } from '../docs/calendar.ts'
import { interfaceInMarkdown, operationInMarkdown } from '../docs/markdown.ts'
import { docsPage } from '../docs/page.ts'
import { digest, sendSelected } from '../replies/etag.ts'

const markdown = 'text/markdown; charset=utf-8' // RFC 7763
const calendar = 'text/calendar; charset=utf-8' // RFC 5545
const mediaTypes = {
  json: 'application/json; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  llms: markdown,
}

export interface DocsOptions {
  /** the origin that the document names; absent: the one that each request names */
  publicUrl?: string | undefined
  /** JavaScript that the page is to run, too */
  docsScript?: string | undefined
}

/** Serves the document as YAML, JSON and Markdown, Swagger UI with our plugin, and leads from `/` to that page. */
export async function docs(
  app: FastifyInstance,
  { contract, publicUrl, docsScript }: DocsOptions & { contract: Contract },
): Promise<void> {
  const addresses = docsAddresses(contract.model)
  const { page, json, operations, changes, sunsets, isHome } = addresses
  // Made after the start: the first callers come before the first readers.
  let made: ReturnType<typeof createRenderer> | undefined
  const renderer = () => (made ??= createRenderer(contract, addresses))
  app.addHook('onListen', async () => {
    try {
      renderer()
    } catch (err) {
      app.log.error({ err }, 'The docs can’t be shown.')
    }
  })

  const options = {
    schema: { hide: true },
    onSend: async (request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
      Buffer.isBuffer(payload) ? sendSelected(request, reply, payload, true) : payload,
  }
  const send = (reply: FastifyReply, type: string, text: string, lifetime = 'no-cache') =>
    reply

      .headers({ ETag: `"${digest(text)}"`, 'Cache-Control': lifetime, 'Access-Control-Allow-Origin': '*' })
      .type(type)
      .send(Buffer.from(text))

  const fingerprint = digest(JSON.stringify([contract.model.document, publicUrl])).slice(0, 16)
  for (const format of ['json', 'yaml', 'llms'] as const)
    app.get(addresses[format], options, async (request, reply) => {
      // A client chooses its Host: a shared cache must not give others a reply that names it.
      const [origin, lifetime] =
        publicUrl === undefined
          ? [originOf(request), 'private, no-cache']
          : [publicUrl, lifetimeOf(request, fingerprint)]
      return send(reply, mediaTypes[format], renderer()(origin, format), lifetime)
    })
  app.get(changes, options, async (_request, reply) => send(reply, markdown, contract.changelog))
  app.get(sunsets, options, async (_request, reply) => send(reply, calendar, sunsetCalendar(contract)))
  app.get<{ Params: { name: string } }>(`${operations}/:name`, options, async (request, reply) => {
    const [, id = ''] = /^(.+)\.md$/s.exec(request.params.name) ?? []
    const operation = contract.model.operation(id)
    if (!operation) return reply.callNotFound()
    return send(reply, markdown, operationInMarkdown(contract, operation, addresses))
  })
  if (isHome)
    app.get('/', { schema: { hide: true } }, async (_request, reply) =>
      // RFC 8631
      reply.header('Link', `<${json}>; rel="service-desc", <${page}>; rel="service-doc"`).redirect(page),
    )
  await app.register(docsPage, {
    contract,
    addresses,
    document: `${json}?v=${fingerprint}`,
    script: docsScript,
    prepare: renderer,
  })
}

/** Stands for the origin in texts made beforehand: callers choose their Host, so each new one must cost little. */
const someOrigin = 'http://origin.invalid'

/** Prepares the making of the document as text for an origin, null for its own. */
function createRenderer(contract: Contract, addresses: DocsAddresses) {
  const document = structuredClone(contract.model.document)
  const origins = (document.servers ?? []).flatMap(({ variables }) => variables?.base_url ?? [])
  const own = origins[0]?.default ?? someOrigin
  for (const origin of origins) origin.default = someOrigin
  const templates = {
    json: JSON.stringify(document),
    // As it was written by hand, comments and all.
    yaml: contract.text.replace(`default: ${own}`, `default: ${someOrigin}`),
    llms: interfaceInMarkdown(document, contract, addresses),
  }
  return (origin: string | null, format: keyof typeof templates) =>
    templates[format].replaceAll(someOrigin, () => origin ?? own)
}

/** How long a reply may be kept: a text is the same for good at an address with its fingerprint (`?v=`, RFC 8246). */
function lifetimeOf({ url }: FastifyRequest, fingerprint: string): string {
  const asked = new URLSearchParams(url.split('?')[1]).get('v')
  return asked === fingerprint ? 'public, max-age=31536000, immutable' : 'no-cache'
}
