import { served } from './served.js'

/** Returns the path of the page. */
export const home = () => location.pathname.replace(/\/((static\/)?index\.html)?$/, '')

/** Returns the path before those of the service, which a proxy takes away. */
export function pathPrefix() {
  const { page } = served.links
  return home().endsWith(page) ? home().slice(0, home().length - page.length) : ''
}

/**
 * The addresses that the server wrote into the page. The page is already loading the document. A service may lack the
 * changelog, the calendar of sunsets, and the address for agents.
 */
export function docsLinks() {
  const prefix = pathPrefix()
  const { document, json, yaml, changes, feed, sunsets, mcp } = served.links
  return {
    document: prefix + document,
    json: prefix + json,
    yaml: prefix + yaml,
    changes: changes && prefix + changes,
    feed: feed && prefix + feed,
    sunsets: sunsets && prefix + sunsets,
    mcp: mcp && prefix + mcp,
  }
}

/** The versions of the released documents, the newest first, each with its address. */
export const releases = () =>
  served.releases.map(version => ({
    version,
    address: `${pathPrefix()}${served.links.page}/releases/${version}.yaml`,
  }))

/**
 * Returns the address of an operation on the page.
 * @param {{ tag: string, id: string }} operation
 */
export const addressOf = ({ tag, id }) => `#/${encodeURIComponent(tag)}/${encodeURIComponent(id)}`

/**
 * The `id` that Swagger UI gives to an operation's block.
 * @param {string} tag
 * @param {string} id
 */
export const blockId = (tag, id) => CSS.escape(['operations', tag, id].join('-').replace(/\s/g, '_'))

/**
 * Decodes a part of an address. A text that can't be decoded stays as it is.
 * @param {string} text
 */
export function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
