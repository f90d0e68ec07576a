import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Contract } from '../contract.ts'
import { keepCodings } from '../replies/coding.ts'
import { digest, sendSelected } from '../replies/conditional.ts'
import type { DocsAddresses } from './addresses.ts'
import { type Asset, loadAssets } from './assets.ts'
import { hasSunsets } from './calendar.ts'
import { readTheme } from './theme.ts'

/** What the page may load and do: nothing from elsewhere, nothing inline, and nobody may frame it. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

/** For how long something may be kept: what is asked for by its fingerprint (`?v=`) stays that for good (RFC 8246). */
export function lifetimeOf({ url }: FastifyRequest, fingerprint: string): string {
  const asked = new URLSearchParams(url.split('?')[1]).get('v')
  return asked === fingerprint ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/**
 * Swagger UI in the page's own clothes.
 * @param documentAddress where the page finds the document, by a name that changes with it
 * @param script what it is to run, too
 */
export async function registerPage(
  page: FastifyInstance,
  document: Contract,
  addresses: DocsAddresses,
  documentAddress: string,
  script?: string,
): Promise<void> {
  const theme = await readTheme()
  const scripts = [theme.js, ...(script === undefined ? [] : [{ filename: 'added.js', content: script }])]
  const assets = await loadAssets([...Object.values(theme), ...scripts])

  page.addHook('onRequest', async (request, reply) => {
    const name = assetName(request, addresses.page)
    if (name === undefined) return
    const asset = assets.get(name)
    if (!asset) return reply.callNotFound()
    return reply
      .headers({ ETag: asset.etag, 'Cache-Control': lifetimeOf(request, asset.fingerprint) })
      .type(asset.type)
      .send(asset.bytes)
  })
  const texts = createTexts(assets, linksOf(document, addresses, documentAddress))
  /** There is one document: the plugin's own copies lead to it. */
  async function redirectToDocument(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (const format of ['json', 'yaml'] as const)
      if (request.routeOptions.url === `${addresses.page}/${format}`) await reply.redirect(addresses[format])
  }
  page.addHook('onSend', async (request, reply, payload) => {
    reply.headers(pageHeaders)
    if (reply.statusCode !== 200) return payload
    if (Buffer.isBuffer(payload)) return sendSelected(request, reply, payload, true)
    if (typeof payload !== 'string') return payload
    const { bytes, etag } = texts(payload, isHtml(reply))
    reply.headers({ ETag: etag, 'Cache-Control': 'no-cache' })
    return sendSelected(request, reply, bytes, true)
  })

  // The generator has refused any text that is no OpenAPI document.
  const specification = structuredClone(document.model.document) as unknown as StaticDocumentSpec['document']
  await page.register(swagger, { mode: 'static', specification: { document: specification } })
  await page.register(swaggerUi, {
    routePrefix: addresses.page,
    uiHooks: { onRequest: redirectToDocument },
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      displayOperationId: true,
      plugins: [loadPlugin],
      pluginsOptions: { pluginLoadType: 'chain' },
    },
    // The top bar's, which this page has not.
    logo: { type: 'image/svg+xml', content: '' },
    theme: {
      title: `${specification.info.title} API`,
      css: [theme.css],
      js: scripts,
      favicon: [{ ...theme.svg, rel: 'icon', type: 'image/svg+xml', sizes: 'any' }],
    },
  })
}

/** Which file a request is for; undefined where it is for the page or for what the plugin writes itself. */
function assetName({ routeOptions, params }: FastifyRequest, home: string): string | undefined {
  const { url = '' } = routeOptions
  const [, name] = (url.startsWith(home) && /^\/static\/(\*|theme\/.+)$/.exec(url.slice(home.length))) || []
  return name === '*' ? (params as { '*': string })['*'] : name // the router fills in what the star stands for
}

/** The plugin's few texts as they are sent: always the same ones, so each is prepared once. */
function createTexts(assets: ReadonlyMap<string, Asset>, links: string) {
  const prepared = new Map<string, { bytes: Buffer; etag: string }>()
  return (text: string, html: boolean) => {
    const known = prepared.get(text)
    if (known) return known
    const sent = html ? dressed(text, assets, links) : text
    const ready = { bytes: keepCodings(Buffer.from(sent), 'best'), etag: `"${digest(sent)}"` }
    prepared.set(text, ready)
    return ready
  }
}

/** Where the page finds the document, which it will ask for first, and what is no part of it: releases and calendar. */
function linksOf(contract: Contract, { changes, sunsets }: DocsAddresses, documentAddress: string): string {
  const link = (type: string, address: string) => `\n<link rel="alternate" type="${type}" href="${address}">`
  return [
    `\n<link rel="preload" as="fetch" crossorigin href="${documentAddress}">`,
    contract.changelog && link('text/markdown', changes),
    hasSunsets(contract) && link('text/calendar', sunsets),
  ]
    .filter(Boolean)
    .join('')
}

/** What the plugin's page would load and this one does not use: Swagger UI's top bar, and four lines of style. */
const unused =
  /\s*<(?:script|link)[^>]*\/static\/(?:swagger-ui-standalone-preset\.js|index\.css)"[^>]*>(?:\s*<\/script>)?/g

/** The plugin's page with a viewport, without which phones show it as wide as a desk, and its files by fingerprint. */
function dressed(html: string, assets: ReadonlyMap<string, Asset>, links: string): string {
  return html
    .replace(unused, '')
    .replace('<head>', `<head>\n<meta name="viewport" content="width=device-width, initial-scale=1">${links}`)
    .replace(/(?<=(?:href|src)="[^"]*\/static\/)([^"]+)(?=")/g, name => {
      const asset = assets.get(name)
      return asset ? `${name}?v=${asset.fingerprint}` : name
    })
}

/** Set by page/plugin.js. The configuration is sent to the browser as source text, so this can only name it. */
declare function docsPlugin(system: unknown): object
const loadPlugin = (system: unknown) => docsPlugin(system)

const isHtml = (reply: FastifyReply) => String(reply.getHeader('content-type')).startsWith('text/html')
