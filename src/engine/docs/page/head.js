/** Without a viewport, which Swagger UI's page lacks, phones show the page as wide as on a desk. */
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

/** Returns the path of the page. */
const home = () => location.pathname.replace(/\/(static\/index\.html)?$/, '')

/** Returns the path before those of the service, which a proxy takes away. */
function pathPrefix() {
  const { page } = /** @type {any} */ (globalThis).servedLinks
  return home().endsWith(page) ? home().slice(0, -page.length) : ''
}

/**
 * The addresses that the server wrote into the page. The page is already loading the document. A service may lack the
 * changelog, the calendar of sunsets, and the address for agents.
 * @returns {{ document: string, json: string, yaml: string, changes?: string, sunsets?: string, mcp?: string }}
 */
const docsLinks = () =>
  /** @type {any} */ (
    Object.fromEntries(
      Object.entries(/** @type {any} */ (globalThis).servedLinks).map(([name, path]) => [
        name,
        path && `${pathPrefix()}${path}`,
      ]),
    )
  )

/**
 * Puts the names of servers before their descriptions, as Swagger UI shows no names.
 * @param {any} document
 */
function withServerNames(document) {
  for (const server of document.servers ?? [])
    if (server.name) server.description = [server.name, server.description].filter(Boolean).join(': ')
  return document
}

/**
 * A document whose first servers have the prefix of the page. The service itself may not know of it.
 * @param {any} document
 */
function withPrefix(document) {
  const [{ url = '/', variables = {}, ...server } = {}, ...others] = document.servers ?? []
  const placed = text => {
    const { origin, pathname } = URL.parse(text, location.href) ?? location
    const isKnown = `${pathname}/`.startsWith(`${pathPrefix()}/`)
    if (isKnown || origin !== location.origin) return text
    return `${text.startsWith('/') ? '' : origin}${pathPrefix()}${pathname}`.replace(/\/$/, '')
  }
  const base = variables.base_url && { ...variables.base_url, default: placed(variables.base_url.default) }
  const own = {
    ...server,
    url: url.includes('{') ? url : placed(url),
    variables: { ...variables, ...(base && { base_url: base }) },
  }
  if (pathPrefix() === '') return document
  for (const item of Object.values(document.paths ?? {}))
    for (const one of Object.values(item))
      if (one?.servers?.[0]) one.servers[0].url = placed(one.servers[0].url)
  return { ...document, servers: [own, ...others] }
}
