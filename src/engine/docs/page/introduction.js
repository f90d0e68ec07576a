/** The introduction: the page's banner, the one address of the service, and the document itself. */
function introductionPart({ React, h, ui, plain }) {
  const components = {
    /** The address of the service; there is one, so nothing to choose. */
    ServersContainer: () => {
      const { url, variables = {} } = plain(ui().specSelectors.servers().first())
      const filled = url.replace(/\{(\w+)\}/g, (_, name) => variables[name].default)
      return h('p', { className: 'base-url' }, 'Base URL ', h('code', null, filled))
    },

    InfoUrl: () =>
      h(
        'p',
        { className: 'document-links' },
        'The document: ',
        h('a', { href: documentAt('yaml') }, 'openapi.yaml'),
        ', ',
        h('a', { href: documentAt('json') }, 'openapi.json'),
      ),

    /** What stands between the introduction and the operations. */
    FilterContainer: () =>
      h(
        React.Fragment,
        null,
        ...['Plans', 'Search', 'Links'].map(name => h(ui().getComponent(name), { key: name })),
      ),
  }
  const wrapComponents = {
    InfoContainer: Original => props => {
      const banner = React.useRef(null)
      React.useEffect(() => nameSections(banner.current))
      return h('header', { role: 'banner', ref: banner }, h(Original, props))
    },
  }
  return { components, wrapComponents }
}

/** The document's own address where the page is at its usual one; else that which leads there. */
const documentAt = format => {
  const home = location.pathname.replace(/\/(static\/index\.html)?$/, '')
  return home === '/docs' ? `/openapi.${format}` : `${home}/${format}`
}

/** Gives each section of the guide an address of its own, `#limits`, and a link to it. */
function nameSections(guide) {
  for (const heading of guide.querySelectorAll(':is(.markdown, .renderedMarkdown) :is(h2, h3):not([id])')) {
    const name =
      heading.textContent
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.join('-') ?? 'section'
    let id = name
    for (let i = 2; document.getElementById(id); i++) id = `${name}-${i}`
    const link = document.createElement('a')
    link.href = `#${id}`
    link.className = 'section-link'
    link.ariaLabel = `Link to ${heading.textContent}`
    link.textContent = '#'
    heading.id = id
    heading.append(' ', link)
  }
}
