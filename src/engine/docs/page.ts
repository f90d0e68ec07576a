import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Contract } from '../contract.ts'
import { digest, sendSelected } from '../replies/etag.ts'
import type { DocsAddresses } from './addresses.ts'
import { rulesInWords } from './rules.ts'

/** The page may load and do nothing from elsewhere and nothing inline, and nobody may frame it. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const folder = join(import.meta.dirname, 'page')

/** The style sheets of the page, in the order in which a browser reads them. */
const sheets =
  'colours base layout navigation guide operations requests code replies dialogs small-screens'.split(' ')

/** Files of `page/` as one, which a browser asks for once. */
async function joined(names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')))
  return texts.join('\n')
}

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
  const { contract, addresses, document, prepare } = options
  const { page, json, yaml } = addresses
  // There is one document: Swagger UI's own copies lead to it.
  const redirects: Record<string, string> = { [`${page}/json`]: json, [`${page}/yaml`]: yaml }
  scope.addHook('onRequest', async (request, reply) => {
    prepare()
    reply.header('Referrer-Policy', 'no-referrer')
    const { url = '' } = request.routeOptions
    const target = redirects[url]
    if (target !== undefined) return reply.redirect(target)
    if (url === page || url === `${page}/`)
      reply.header('Link', `<${document}>; rel=preload; as=fetch; crossorigin`)
    return undefined
  })
  sendFiles(scope)
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
    theme: await themeOf(options),
  })
}

/** Gives what the routes of a scope send strong ETags and codings, and keeps the files that @fastify/static reads. */
function sendFiles(scope: FastifyInstance): void {
  const files = new Map<string, { type: string; bytes: Buffer; ETag: string }>()
  const nameIn = ({ params }: FastifyRequest) => (params as { '*'?: string })['*'] // the router's

  scope.addHook('onRequest', async (request, reply) => {
    const name = nameIn(request)
    if (name === undefined) return undefined
    // @fastify/static would send its folder's index, and refuse other paths with 403.
    if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) return reply.callNotFound()
    const file = files.get(name)
    return file && reply.type(file.type).send(file.bytes)
  })

  scope.addHook('onSend', async (request, reply, payload) => {
    const isRead = payload instanceof Readable
    // @fastify/static sends nothing to HEAD.
    if (reply.statusCode !== 200 || (isRead && request.method === 'HEAD')) return payload
    let file = files.get(nameIn(request) ?? '')
    if (!file || file.bytes !== payload) {
      const bytes = isRead ? await buffer(payload) : Buffer.from(payload as string | Buffer) // it is serialised by now
      file = { type: String(reply.getHeader('content-type')), bytes, ETag: `"${digest(bytes)}"` }
      if (isRead) files.set(nameIn(request) ?? '', file)
    }
    for (const field of ['content-length', 'last-modified', 'accept-ranges']) reply.removeHeader(field)
    const { bytes, ETag } = file
    reply.headers({ ETag, 'Cache-Control': 'no-cache' })
    return sendSelected(request, reply, bytes, true)
  })
}

async function themeOf({ contract, addresses, document, script }: PageOptions) {
  const { changelog, facts, model } = contract
  const links = {
    document,
    changes: changelog ? addresses.changes : undefined,
    sunsets: [...facts.values()].some(({ deprecation }) => deprecation?.sunset)
      ? addresses.sunsets
      : undefined,
  }
  const scripts = (await readdir(folder)).filter(name => name.endsWith('.js')).sort()
  const page = `globalThis.servedLinks = ${JSON.stringify(links)}\n${await joined(scripts)}\n${rulesInWords}`
  const icon = { filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any' }
  return {
    title: `${escapeHtml(model.document.info.title)} API`,
    css: [{ filename: 'page.css', content: await joined(sheets.map(name => `${name}.css`)) }],
    js: [
      { filename: 'page.js', content: page },
      ...(script === undefined ? [] : [{ filename: 'added.js', content: script }]),
    ],
    favicon: [{ ...icon, content: await joined(['favicon.svg']) }],
  }
}

/** @fastify/swagger-ui writes the title into its HTML as it is. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Set by page/plugin.js. The configuration is sent to the browser as source text, so this can only name it. */
declare function docsPlugin(system: unknown): object
const loadPlugin = (system: unknown) => docsPlugin(system)
