import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Contract } from '../contract.ts'
import type { DocsAddresses } from './addresses.ts'
import { hasSunsets } from './calendar.ts'
import { keepFiles } from './kept-files.ts'
import { readTheme } from './theme.ts'

/** The page may load and do nothing from elsewhere and nothing inline, and nobody may frame it. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export interface PageOptions {
  contract: Contract
  addresses: DocsAddresses
  /** the address of the document, by a name that changes with it */
  document: string
  /** JavaScript that the page is to run, too */
  script: string | undefined
  /** Makes the document's texts: the page is not shown without them. */
  prepare: () => unknown
}

/** Swagger UI with the plugin of `page/`, at the address of the docs. */
export async function docsPage(scope: FastifyInstance, options: PageOptions): Promise<void> {
  const { contract, addresses, document, script, prepare } = options
  const { page, json, yaml, changes, sunsets } = addresses
  // There is one document: Swagger UI's own copies lead to it.
  const redirects = new Map([
    [`${page}/json`, json],
    [`${page}/yaml`, yaml],
  ])
  scope.addHook('onRequest', async (request, reply) => {
    prepare()
    reply.header('Referrer-Policy', 'no-referrer')
    const { url = '' } = request.routeOptions
    const target = redirects.get(url)
    if (target !== undefined) return reply.redirect(target)
    if (url === page || url === `${page}/`)
      reply.header('Link', `<${document}>; rel=preload; as=fetch; crossorigin`)
    return undefined
  })
  keepFiles(scope)

  const links = {
    document,
    changes: contract.changelog ? changes : undefined,
    sunsets: hasSunsets(contract) ? sunsets : undefined,
  }
  const theme = await readTheme(links)
  // The generator has refused any text that is no OpenAPI document.
  const specification = { document: contract.model.document as unknown as StaticDocumentSpec['document'] }
  await scope.register(swagger, { mode: 'static', specification })
  await scope.register(swaggerUi, {
    routePrefix: page,
    staticCSP: contentSecurityPolicy,
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      displayOperationId: true,
      plugins: [loadPlugin],
      pluginsOptions: { pluginLoadType: 'chain' },
    },
    // The top bar's, which this page does not have.
    logo: { type: 'image/svg+xml', content: '' },
    theme: {
      title: `${escapeHtml(contract.model.document.info.title)} API`,
      css: [theme.css],
      js: [theme.js, ...(script === undefined ? [] : [{ filename: 'added.js', content: script }])],
      favicon: [{ ...theme.svg, rel: 'icon', type: 'image/svg+xml', sizes: 'any' }],
    },
  })
}

/** @fastify/swagger-ui writes the title into its HTML as it is. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Set by page/plugin.js. The configuration is sent to the browser as source text, so this can only name it. */
declare function docsPlugin(system: unknown): object
const loadPlugin = (system: unknown) => docsPlugin(system)
