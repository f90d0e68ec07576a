import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { DocsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'

/** The page loads nothing from other origins and nothing inline, and no other page may frame it. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const folder = join(import.meta.dirname, 'page')

/** The style sheets of the page, in the order in which a browser reads them. */
const sheets =
  'colours base layout navigation guide operations requests code replies dialogs small-screens print'.split(
    ' ',
  )

/** Joins files of `page/` into one, so that a browser makes one request. */
async function joined(names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')))
  return texts.join('\n')
}

export interface PageOptions {
  contract: Contract
  addresses: DocsAddresses
  /** the document's address; its name changes with the content */
  document: string
  /** additional JavaScript of the page */
  script: string | undefined
}

/** Registers Swagger UI with the plugin of `page/`, at the address of the docs. */
export async function registerPage(scope: FastifyInstance, options: PageOptions): Promise<void> {
  // The generator has refused any text that is no OpenAPI document.
  const { contract } = options
  const specification = {
    document: contract.model.document as unknown as StaticDocumentSpec['document'],
  }
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
      supportedSubmitMethods: contract.model.operations.map(({ at }) => at.at(-1)) as 'get'[],
      plugins: [loadPlugin],
      pluginsOptions: { pluginLoadType: 'chain' },
    },
    // The logo belongs to the top bar, which this page does not have.
    logo: { type: 'image/svg+xml', content: '' },
    theme: await themeOf(options, scope.hasRoute({ method: 'POST', url: options.addresses.mcp })),
  })
}

async function themeOf({ contract, addresses, document, script }: PageOptions, hasMcp: boolean) {
  const { changelog, facts, model, texts } = contract
  const links = {
    page: addresses.page,
    document,
    json: addresses.json,
    yaml: addresses.yaml,
    changes: changelog ? addresses.changes : undefined,
    sunsets: [...facts.values()].some(({ deprecation }) => deprecation?.sunset)
      ? addresses.sunsets
      : undefined,
    mcp: hasMcp ? addresses.mcp : undefined,
  }
  const scripts = (await readdir(folder)).filter(name => name.endsWith('.js')).sort()
  const served = { servedLinks: links, servedRules: texts.rules }
  const page = `Object.assign(globalThis, ${JSON.stringify(served)})\n${await joined(scripts)}`
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

/** @fastify/swagger-ui writes the title into its HTML unescaped. */
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Defined by page/plugin.js. The configuration reaches the browser as source text, so it can only name the plugin. */
declare function docsPlugin(system: unknown): object
const loadPlugin = (system: unknown) => docsPlugin(system)
