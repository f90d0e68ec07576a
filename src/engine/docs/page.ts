import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { DocsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { joinModules } from './modules.ts'
import type { Served } from './page/basics/served.d.ts'

/** The page loads nothing from other origins and nothing inline, and no other page may frame it. */
export const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const folder = join(import.meta.dirname, 'page')

/** The style sheets of the page, in the order in which a browser reads them. */
const sheets = [
  'theme/colours.css',
  'theme/base.css',
  'frame/layout.css',
  'contents/navigation.css',
  'guide/guide.css',
  'operation/operations.css',
  'operation/requests.css',
  'code/code.css',
  'reply/replies.css',
  'key/dialogs.css',
  'theme/small-screens.css',
  'theme/print.css',
]

const read = (name: string) => readFile(join(folder, name), 'utf8')

export interface PageOptions {
  contract: Contract
  addresses: DocsAddresses
  /** the document's address; its name changes with the content */
  document: string
  /** the security scheme of the keys that the engine makes, and what they begin with; absent: it makes none */
  key?: Served['key']
  /** additional JavaScript of the page */
  addition: string | undefined
  /** the addresses that the page leads to; absent: those of the service */
  links?: Served['links']
}

/** Registers Swagger UI with the plugin of `page/`, at the address of the docs. */
export async function registerPage(scope: FastifyInstance, options: PageOptions): Promise<void> {
  // The generator has refused any text that is no OpenAPI document.
  const { contract } = options
  const specification = {
    document: contract.model.document as unknown as StaticDocumentSpec['document'],
  }
  serveLanguages(scope, options.addresses)
  await scope.register(swagger, { mode: 'static', specification })
  await scope.register(swaggerUi, {
    routePrefix: options.addresses.page,
    staticCSP: contentSecurityPolicy,
    uiConfig: {
      layout: 'BaseLayout',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      displayOperationId: true,
      // The type lacks other methods of a document (QUERY, LINK). Swagger UI compares names in the document.
      supportedSubmitMethods: contract.model.operations.map(({ place }) => place.at(-1)) as 'get'[],
      plugins: [loadPlugin],
      pluginsOptions: { pluginLoadType: 'chain' },
    },
    // The logo belongs to the top bar, which this page does not have.
    logo: { type: 'image/svg+xml', content: '' },
    theme: await themeOf(options, scope.hasRoute({ method: 'POST', url: options.addresses.mcp })),
  })
}

/** Adds to the page what a reader without JavaScript sees. @param llms the address of the Markdown */
export const withoutScript = (html: string, llms: string): string =>
  html.replace(
    '<div id="swagger-ui"></div>',
    tag =>
      `${tag}\n      <noscript>This page needs JavaScript. <a href="${llms}">The same as Markdown</a>.</noscript>`,
  )

/** Serves the code of further languages, which few readers ask for: it is read then. */
function serveLanguages(scope: FastifyInstance, { page }: DocsAddresses): void {
  let script: Buffer | undefined
  scope.get(`${page}/static/languages.js`, { schema: { hide: true } }, async (_request, reply) => {
    script ??= await readFile(join(import.meta.dirname, 'generated/languages.js'))
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}

async function themeOf(options: PageOptions, hasMcp: boolean) {
  const { contract, addresses, document, key, addition } = options
  const { changelog, facts, model, releases = [], texts } = contract
  const links: Served['links'] = options.links ?? {
    page: addresses.page,
    document,
    json: addresses.json,
    yaml: addresses.yaml,
    changes: changelog ? addresses.changes : undefined,
    feed: changelog ? addresses.feed : undefined,
    sunsets: [...facts.values()].some(({ deprecation }) => deprecation?.sunset)
      ? addresses.sunsets
      : undefined,
    mcp: hasMcp ? addresses.mcp : undefined,
  }
  const versions = releases.map(({ version }) => version)
  const known: Omit<Served, 'bodies'> = { links, releases: versions, rules: texts.rules, key }
  const served = `{ ...${JSON.stringify(known)}, bodies }`
  const script = await joinModules(folder, 'main.js', { 'basics/served.js': { served } })
  const style = await Promise.all(sheets.map(read))
  const icon = { filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any' }
  return {
    title: `${escapeHtml(model.document.info.title)} API`,
    css: [{ filename: 'page.css', content: style.join('\n') }],
    js: [
      { filename: 'page.js', content: `(bodies => {\n'use strict'\n${script}})` },
      ...(addition === undefined ? [] : [{ filename: 'added.js', content: addition }]),
    ],
    favicon: [{ ...icon, content: await read('favicon.svg') }],
  }
}

/** @fastify/swagger-ui writes the title into its HTML unescaped. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Runs in the browser, which gets it as source text. So it asks page/main.js for the plugin by an event. */
const loadPlugin = (system: unknown): object => {
  const request = { system, plugin: {} }
  document.dispatchEvent(new CustomEvent('docs-plugin', { detail: request }))
  return request.plugin
}
declare const document: EventTarget
