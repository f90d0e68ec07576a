import type { FastifyRequest } from 'fastify'
import type { Model } from '../../document/model.ts'

/** Where a service shows its document. */
export interface DocsAddresses {
  /** the page, and the beginning of all that belongs to it */
  page: string
  json: string
  yaml: string
  /** the interface in Markdown, for language models */
  llms: string
  /** the beginning of the pages of single operations in Markdown */
  operations: string
  /** what each release brought, in Markdown */
  changes: string
  /** the days on which operations end, for calendars */
  sunsets: string
  /** whether `/` leads to the page */
  isHome: boolean
}

/** `/docs`, `/openapi.json` and `/openapi.yaml`, unless the document has paths of its own there: those come first. */
export function docsAddresses({ operations }: Model): DocsAddresses {
  const isFree = (address: string) =>
    !operations.some(({ path }) => path === address || path.startsWith(`${address}/`))
  let page = '/docs'
  while (!isFree(page)) page = page.replace('/', '/_')
  const file = (name: string) => (isFree(`/${name}`) ? `/${name}` : `${page}/${name}`)
  return {
    page,
    json: file('openapi.json'),
    yaml: file('openapi.yaml'),
    llms: `${page}/llms.txt`,
    operations: `${page}/operations`,
    changes: `${page}/changes.md`,
    sunsets: `${page}/sunsets.ics`,
    isHome: !operations.some(({ path }) => path === '/'),
  }
}

/**
 * The origin that the request came to, or null if its Host holds anything but a host and a port (RFC 3986, 3.2.2).
 * Fastify's `request.host` would be that of X-Forwarded-Host, which proxies pass on as clients have sent it.
 */
export function originOf({ protocol, headers }: FastifyRequest): string | null {
  const origin = `${protocol}://${headers.host}`
  return /^https?:\/\/([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i.test(origin) ? origin : null
}
