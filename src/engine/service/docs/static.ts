import Fastify from 'fastify'
import { contentSecurityPolicy, registerPage, withoutScript } from 'spec-served-docs'
import { docsAddresses } from 'spec-served-document/contract/addresses'
import type { Contract } from 'spec-served-document/contract/contract'
import { serverUrlsIn } from './server-urls.ts'

/** The addresses of the files beside the page, from its folder, such as `/openapi.json`. */
export interface StaticLinks {
  json: string
  yaml: string
  changes?: string | undefined
  feed?: string | undefined
  sunsets?: string | undefined
}

/**
 * Makes the docs page of a document for a host that serves nothing but files. Its addresses are relative, so that it may stand in
 * any folder. A browser lets it call itself and the servers of the document.
 * @returns the files by their paths, of which `index.html` is the page
 */
export async function staticPage(contract: Contract, links: StaticLinks): Promise<Map<string, Buffer>> {
  const addresses = docsAddresses(contract.model)
  const app = Fastify()
  try {
    await app.register(scope =>
      registerPage(scope, {
        ...{ contract, addresses, document: links.json, addition: undefined },
        links: { page: '', document: links.json, ...links },
      }),
    )
    const read = async (file: string) => {
      const { statusCode, rawPayload } = await app.inject(`${addresses.page}/${file}`)
      if (statusCode !== 200) throw new Error(`The docs page has no file ${file}: ${statusCode}`)
      return rawPayload
    }
    const html = String(await read(''))
    const linked = [...html.matchAll(/ (?:href|src)="\.\/([\w./-]+)"/g)].flatMap(([, name]) => name ?? [])
    const names = [...linked, 'static/languages.js'] // which the page loads later
    const files = await Promise.all(names.map(async name => [name, await read(name)] as const))
    const bodies = JSON.stringify(contract.texts.bodies)
    return new Map([
      ['index.html', Buffer.from(withoutScript(withPolicy(html, contract), './llms.txt'))],
      ...files.map(([name, content]) => {
        // The page is a function of the bodies: see ../../docs/page.ts.
        const isPage = name === 'static/theme/page.js'
        return [name, isPage ? Buffer.from(`${content}(${bodies})\n`) : content] as const
      }),
    ])
  } finally {
    await app.close()
  }
}

/** Writes the policy into the page, as a host of files sends none. There it can't forbid frames. */
function withPolicy(html: string, { model }: Contract): string {
  const policy = contentSecurityPolicy
    .replace("connect-src 'self'", ["connect-src 'self'", ...originsOf(serverUrlsIn(model))].join(' '))
    .replace(/; frame-ancestors [^;]*/, '')
  const tag = `<meta http-equiv="Content-Security-Policy" content="${policy}">`
  return html.replace(/(<meta charset="[^"]*">)/i, `$1\n      ${tag}`)
}

/** Returns the origins of servers; all of them if a reader may write a part of an origin. */
function originsOf(urls: readonly string[]): string[] {
  const origins = urls.flatMap(url => {
    const [origin = ''] = /^(\{[^{}]*\}|https?:\/\/[^/?#]*)+/i.exec(url) ?? []
    if (origin.includes('{')) return ['http:', 'https:']
    return URL.canParse(origin) ? new URL(origin).origin : []
  })
  return [...new Set(origins)]
}
