import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify from 'fastify'
import type { Contract } from '../contract.ts'
import type { DocsAddresses } from './addresses.ts'
import { type Asset, assetOf, loadAssets } from './assets.ts'
import { hasSunsets } from './calendar.ts'
import { readTheme } from './theme.ts'

/** Swagger UI in the page's own clothes. */
export interface Page {
  /** the page by its addresses, with a slash at the end and without */
  pages: ReadonlyMap<string, Asset>
  /** the files that it loads, by their names below `/static/` */
  files: ReadonlyMap<string, Asset>
}

/**
 * Has @fastify/swagger-ui write the page for a document. It would write the same each time.
 * @param documentAddress where the page finds the document, by a name that changes with it
 * @param script what it is to run, too
 */
export async function makePage(
  contract: Contract,
  addresses: DocsAddresses,
  documentAddress: string,
  script?: string,
): Promise<Page> {
  const { page } = addresses
  const theme = await readTheme()
  const scripts = [theme.js, ...(script === undefined ? [] : [{ filename: 'added.js', content: script }])]
  const files = await loadAssets([...Object.values(theme), ...scripts])

  const { document } = contract.model
  const title = `${document.info.title} API`
  const writer = Fastify()
  // The generator has refused any text that is no OpenAPI document.
  const specification = { document: document as unknown as StaticDocumentSpec['document'] }
  await writer.register(swagger, { mode: 'static', specification })
  await writer.register(swaggerUi, {
    routePrefix: page,
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
      title,
      css: [theme.css],
      js: scripts,
      favicon: [{ ...theme.svg, rel: 'icon', type: 'image/svg+xml', sizes: 'any' }],
    },
  })
  async function write(address: string): Promise<string> {
    const { statusCode, payload } = await writer.inject(address)
    if (statusCode !== 200) throw new Error(`Swagger UI gives ${statusCode} for ${address}: ${payload}`)
    return payload
  }
  const initializer = 'swagger-initializer.js'
  files.set(
    initializer,
    await assetOf(initializer, Buffer.from(await write(`${page}/static/${initializer}`))),
  )
  const links = linksOf(contract, addresses, documentAddress)
  const pages = [page, `${page}/`].map(async address => {
    const html = dressed(await write(address), files, links)
    return [address, await assetOf('', Buffer.from(html), 'text/html; charset=utf-8')] as const
  })
  const made = { pages: new Map(await Promise.all(pages)), files }
  await writer.close()
  return made
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
