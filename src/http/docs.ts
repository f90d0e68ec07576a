import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import type { ContractDocument } from '../contract/document.ts'
import { isNamedIn } from '../contract/etag.ts'

/** The document with an origin of its own, ready to send. */
interface Rendering {
  text: string
  etag: string
}

type Format = 'json' | 'yaml'

const mediaTypes = { json: 'application/json; charset=utf-8', yaml: 'application/yaml; charset=utf-8' }

/** Stands for the origin in texts made beforehand: callers choose their Host, so each new one must cost little. */
const someOrigin = 'http://origin.invalid'

/** The document as text for an origin, null for the document's own; the latest few are remembered. */
function createRenderer({ value }: ContractDocument, capacity = 32) {
  const write = (tree: object) => ({ json: JSON.stringify(tree), yaml: stringify(tree) })
  const own = write(value)
  const template = write(withOrigin(value, someOrigin))
  const renderings = new Map<string, Rendering>()
  return (origin: string | null, format: Format): Rendering => {
    const key = `${format} ${origin}`
    const known = renderings.get(key)
    if (known) return known
    const text = origin === null ? own[format] : template[format].replaceAll(someOrigin, origin)
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
    const [oldest] = renderings.keys()
    if (renderings.size >= capacity && oldest !== undefined) renderings.delete(oldest)
    renderings.set(key, { text, etag })
    return { text, etag }
  }
}

/** Where the document names the origin it is served from. */
interface Servers {
  servers?: { variables?: { base_url?: { default: string } } }[]
}

function withOrigin(document: object, origin: string): object {
  const { servers = [] }: Servers = document
  return {
    ...document,
    servers: servers.map(server =>
      server.variables?.base_url
        ? {
            ...server,
            variables: { ...server.variables, base_url: { ...server.variables.base_url, default: origin } },
          }
        : server,
    ),
  }
}

/** The origin that the request came to, or null if its Host holds anything but a host and a port (RFC 3986, 3.2.2). */
function originOf({ protocol, host }: FastifyRequest): string | null {
  const origin = `${protocol}://${host}`
  return /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(origin) ? origin : null
}

/** What the page may load and do: nothing from elsewhere, nothing inline, and nobody may frame it. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

const asset = (name: string) => readFile(new URL(`./docs/${name}`, import.meta.url), 'utf8')

/** The document at /openapi.yaml and /openapi.json, Swagger UI with our plugin at /docs, and the way there from `/`. */
export async function registerDocs(app: FastifyInstance, document: ContractDocument): Promise<void> {
  const render = createRenderer(document)
  for (const format of ['json', 'yaml'] as const)
    app.get(`/openapi.${format}`, { schema: { hide: true } }, async (request, reply) => {
      const { text, etag } = render(originOf(request), format)
      // The text depends on Host, which is part of the URL that caches go by; they ask each time and mostly get a 304.
      reply.headers({ ETag: etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
      const known = request.headers['if-none-match']
      if (known !== undefined && isNamedIn(known, etag)) return reply.code(304).send()
      return reply.type(mediaTypes[format]).send(text)
    })
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    // RFC 8631
    reply.header('Link', '</openapi.json>; rel="service-desc", </docs>; rel="service-doc"').redirect('/docs'),
  )
  await app.register(page => registerPage(page, document))
}

/** Swagger UI at /docs, in the page's own clothes. */
async function registerPage(page: FastifyInstance, document: ContractDocument): Promise<void> {
  page.addHook('onSend', async (_request, reply, payload) => {
    reply.headers(pageHeaders)
    // The plugin's page has no viewport: phones would show it as wide as a desk.
    return isHtml(reply) && typeof payload === 'string'
      ? payload.replace(
          '<head>',
          '<head>\n<meta name="viewport" content="width=device-width, initial-scale=1">',
        )
      : payload
  })
  // The generator has refused any text that is no OpenAPI document.
  const specification = structuredClone(document.value) as unknown as StaticDocumentSpec['document']
  await page.register(swagger, { mode: 'static', specification: { document: specification } })
  const [css, js, favicon] = await Promise.all(['page.css', 'plugin.js', 'favicon.svg'].map(asset))
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    uiHooks: { onRequest: redirectToDocument },
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      plugins: [loadPlugin],
      pluginsOptions: { pluginLoadType: 'chain' },
    },
    theme: {
      title: `${specification.info.title} API`,
      css: [{ filename: 'page.css', content: css ?? '' }],
      js: [{ filename: 'plugin.js', content: js ?? '' }],
      favicon: [
        { filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: favicon ?? '' },
      ],
    },
  })
}

/** Set by plugin.js. The configuration is sent to the browser as source text, so this can only name it. */
declare function docsPlugin(system: unknown): object
const loadPlugin = (system: unknown) => docsPlugin(system)

/** There is one document: the plugin's own copies lead to it. */
async function redirectToDocument(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const format = /^\/docs\/(json|yaml)$/.exec(request.routeOptions.url ?? '')?.[1]
  if (format) await reply.redirect(`/openapi.${format}`)
}

const isHtml = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/html')
