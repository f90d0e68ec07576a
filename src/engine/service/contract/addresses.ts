import type { FastifyRequest } from 'fastify'
import type { Model } from '../../document/model.ts'

export type DocsAddresses = ReturnType<typeof docsAddresses>

/** Stands for the origin in prepared texts. Clients choose their Host, so each new origin must cost little. */
export const someOrigin = 'http://origin.invalid'

/** The addresses at which a service shows its document. The document's own paths take precedence. */
export function docsAddresses({ operations }: Model) {
  const isFree = (address: string) =>
    !operations.some(({ url }) => url === address || url.startsWith(`${address}/`))
  let page = '/docs'
  while (!isFree(page)) page = page.replace('/', '/_')
  const file = (name: string) => (isFree(`/${name}`) ? `/${name}` : `${page}/${name}`)
  return {
    /** the page, and the prefix of all its files */
    page,
    json: file('openapi.json'),
    yaml: file('openapi.yaml'),
    /** where agents call the operations */
    mcp: file('mcp'),
    /** where agents learn who issues tokens for that (RFC 9728, section 3.1) */
    resource: `/.well-known/oauth-protected-resource${file('mcp')}`,
    llms: `${page}/llms.txt`,
    /** the prefix of the pages of single operations in Markdown */
    operations: `${page}/operations`,
    changes: `${page}/changes.md`,
    sunsets: `${page}/sunsets.ics`,
    /** whether `/` redirects to the page */
    isHome: !operations.some(({ url }) => url === '/'),
  }
}

/**
 * Returns the origin of a request, or null if its Host holds anything but a host and a port (RFC 3986, 3.2.2).
 * Fastify's `request.host` would use X-Forwarded-Host, which proxies pass on as clients sent it.
 */
export function originOf({ protocol, headers }: FastifyRequest): string | null {
  const origin = `${protocol}://${headers.host}`
  return /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(origin) ? origin : null
}
