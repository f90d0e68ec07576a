/** @import { OpenApi } from '../document/types.js' */
/** @import { Tools } from './tools.js' */
/** @import { Part } from './types.js' */
import { docsLinks, pathPrefix } from '../basics/addresses.js'
import { methods } from '../document/contents.js'
import { swaggerForm } from './swagger-form.js'

/**
 * Loads the document from the address that the page gives. The page's own parts read it in plain objects at once.
 * Swagger UI gets it afterwards, because making its own form of it takes longer than all of that.
 * @param {Tools} tools
 * @returns {Part}
 */
export function loadingPart({ ui, contents, deliver }) {
  const download = () => async () => {
    const { specActions, errActions } = ui()
    specActions.updateLoadingStatus('loading')
    try {
      const reply = await fetch(docsLinks().document)
      if (!reply.ok) throw new Error(`${reply.status} ${reply.statusText}`.trim())
      /** @type {OpenApi} */
      const document = await reply.json()
      nameServers(document)
      deliver(withPrefix(document))
      specActions.updateLoadingStatus('success')
    } catch (error) {
      const text = `This page can’t load its document (${error instanceof Error ? error.message : error}): see whether you are online, and reload the page.`
      specActions.updateLoadingStatus('failed')
      return errActions.newThrownErr(Object.assign(new Error(text), { name: docsLinks().document }))
    }
    // The page is painted first.
    return requestAnimationFrame(() => setTimeout(() => specActions.updateJsonSpec(swaggerForm(contents()))))
  }
  /**
   * Descriptions look the same before and after.
   * @param {(...values: unknown[]) => boolean} original
   */
  const isOAS3 =
    original =>
    (/** @type {unknown[]} */ ...values) =>
      original(...values) || /^3\./.test(contents().document.openapi ?? '')
  return { statePlugins: { spec: { wrapActions: { download }, wrapSelectors: { isOAS3 } } } }
}

/**
 * Puts the names of servers before their descriptions, as Swagger UI shows no names.
 * @param {OpenApi} document
 */
function nameServers({ servers = [] }) {
  for (const server of servers)
    if (server.name) server.description = [server.name, server.description].filter(Boolean).join(': ')
}

/**
 * A document whose first servers have the prefix of the page. The service itself may not know of it.
 * @param {OpenApi} document
 * @returns {OpenApi}
 */
function withPrefix(document) {
  const prefix = pathPrefix()
  if (prefix === '') return document
  const [{ url, variables = {}, ...server } = { url: '/' }, ...others] = document.servers ?? []
  /** @param {string} text */
  const placed = text => {
    const { origin, pathname } = URL.parse(text, location.href) ?? location
    const isKnown = `${pathname}/`.startsWith(`${prefix}/`)
    if (isKnown || origin !== location.origin) return text
    return `${text.startsWith('/') ? '' : origin}${prefix}${pathname}`.replace(/\/$/, '')
  }
  const base = variables.base_url && { ...variables.base_url, default: placed(variables.base_url.default) }
  const own = {
    ...server,
    url: url.includes('{') ? url : placed(url),
    variables: { ...variables, ...(base && { base_url: base }) },
  }
  for (const item of Object.values(document.paths ?? {}))
    for (const method of methods) {
      const [first] = item[method]?.servers ?? []
      if (first) first.url = placed(first.url)
    }
  return { ...document, servers: [own, ...others] }
}
