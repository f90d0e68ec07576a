import type { Model } from '../model.ts'

export type DocsAddresses = ReturnType<typeof docsAddresses>

/** Stands for the origin in prepared texts. Clients choose their Host, so each new origin must cost little. */
export const someOrigin = 'http://origin.invalid'
/** Stands for the path before those of the service in prepared texts. */
export const somePrefix = '/prefix.invalid'

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
    /** where agents learn who issues tokens for that (RFC 9728, section 3.1), with the path before those of the service */
    resource: (prefix: string) => `/.well-known/oauth-protected-resource${prefix}${file('mcp')}`,
    llms: `${page}/llms.txt`,
    /** the prefix of the pages of single operations in Markdown */
    operations: `${page}/operations`,
    /** an operation in Markdown */
    operation: (id: string) => `${page}/operations/${encodeURIComponent(id)}.md`,
    changes: `${page}/changes.md`,
    /** the same as a feed */
    feed: `${page}/changes.atom`,
    sunsets: `${page}/sunsets.ics`,
    /** the prefix of released documents */
    releases: `${page}/releases`,
    /** where a browser looks for the icon of a reply that is no page */
    icon: file('favicon.ico'),
    /** whether `/` redirects to the page */
    isHome: !operations.some(({ url }) => url === '/'),
  }
}
