/** @import { ReactNode } from 'react' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { docsLinks, home, releases } from '../basics/addresses.js'
import { partsOfText } from '../document/chapters.js'

/**
 * The text at the top: the service and its address.
 * @param {Tools} tools
 * @returns {Part}
 */
export function introductionPart({ h, contents, component, Markdown }) {
  /** @type {Part['components']} */
  const components = {
    Introduction: () =>
      h(
        'section',
        { className: 'introduction', 'aria-label': 'Introduction' },
        h(Info),
        h(BaseUrl),
        h(Versions),
        h(Import),
      ),
  }

  /** The document's own description, in Swagger UI's form. */
  function Info() {
    const { document } = contents()
    const { json, yaml } = docsLinks()
    const { info = { title: '', version: '' } } = document
    const { title, version, description = '', termsOfService, contact = {}, license } = info
    const { name = 'the developer', url, email } = contact
    /**
     * @param {string} key
     * @param {ReactNode} content
     */
    const line = (key, content) => content && h('div', { key }, content)
    return h(
      'div',
      { className: 'info' },
      h(
        'hgroup',
        { className: 'main' },
        h(
          'h1',
          { className: 'title' },
          title,
          h(
            'span',
            null,
            version && h('small', null, h('pre', { className: 'version' }, version)),
            h(
              'small',
              { className: 'version-stamp' },
              h('pre', { className: 'version' }, `OAS ${String(document.openapi).replace(/\.\d+$/, '')}`),
            ),
          ),
        ),
        h(
          'p',
          { className: 'document-links' },
          h('a', { href: yaml }, 'openapi.yaml'),
          h('a', { href: json }, 'openapi.json'),
          h('a', { href: `${home()}/llms.txt` }, 'llms.txt'),
        ),
      ),
      h('div', { className: 'description' }, h(Markdown, { source: partsOfText(description).lead })),
      line('terms', termsOfService && outside(termsOfService, 'Terms of service')),
      line('website', url && outside(url, `${name} - Website`)),
      line('email', email && outside(`mailto:${email}`, url ? `Send email to ${name}` : `Contact ${name}`)),
      line('license', license && (license.url ? outside(license.url, license.name) : license.name)),
    )
  }

  /** The released documents, but for the one that the page shows. */
  function Versions() {
    const { version: present = '' } = contents().document.info ?? {}
    const others = releases().filter(({ version }) => version !== present)
    if (others.length === 0) return null
    return h(
      'details',
      { className: 'aside' },
      h('summary', null, 'Other versions'),
      h('p', null, 'The document of each release, as it was published:'),
      h(
        'ul',
        null,
        others.map(({ version, address }) => h('li', { key: version }, h('a', { href: address }, version))),
      ),
    )
  }

  /** How API clients import the document. */
  function Import() {
    const { json, yaml } = docsLinks()
    /**
     * @param {string} name
     * @param {ReactNode[]} steps
     */
    const client = (name, ...steps) => h('li', null, h('strong', null, name), ': ', ...steps)
    return h(
      'details',
      { className: 'aside' },
      h('summary', null, 'Import into Postman, Bruno or Insomnia'),
      h('p', null, 'All operations become requests of a collection, from this address:'),
      h('p', null, h('code', null, new URL(json, location.href).href)),
      h(
        'ul',
        null,
        client('Postman', 'choose Import, and paste the address.'),
        client('Insomnia', 'choose Import, then URL, and paste the address.'),
        client(
          'Bruno',
          'save ',
          h('a', { href: yaml, download: 'openapi.yaml' }, 'openapi.yaml'),
          ', choose Import Collection, and open the file.',
        ),
      ),
      h('p', null, 'Then enter your credential once, in the settings of the collection.'),
    )
  }

  /**
   * A link to another site, if a browser may follow it.
   * @param {string} address
   * @param {string} text
   */
  const outside = (address, text) => {
    const { protocol } = URL.parse(address, location.href) ?? { protocol: '' }
    return /^(https?|mailto):$/.test(protocol)
      ? h('a', { href: address, className: 'link', target: '_blank', rel: 'noopener noreferrer' }, text)
      : text
  }

  /** The address of the service. Swagger UI's choice appears only if there are several. */
  function BaseUrl() {
    const servers = contents().document.servers ?? []
    const [{ url, variables = {} } = { url: location.origin }] = servers
    const isChoice = servers.length > 1 || Object.values(variables).some(variable => variable.enum)
    if (isChoice) return h(component('ServersContainer', true))
    const filled = url.replace(
      /\{(\w+)\}/g,
      (whole, /** @type {string} */ name) => variables[name]?.default ?? whole,
    )
    return h('p', { className: 'base-url' }, 'Base URL ', h('code', null, filled))
  }

  return { components }
}
