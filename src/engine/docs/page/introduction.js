/** What stands before the operations: what this is, where it is, and how to get in. Short, so that they begin at once. */
function introductionPart({ h, ui, contents, component }) {
  const components = {
    Introduction: () =>
      h(
        'section',
        { className: 'introduction', 'aria-label': 'Introduction' },
        h(component('InfoContainer', true)),
        h('div', { className: 'way-in' }, h(BaseUrl), h(GetKey)),
      ),

    InfoUrl: () =>
      h(
        'p',
        { className: 'document-links' },
        h('a', { href: documentAt('yaml') }, 'openapi.yaml'),
        h('a', { href: documentAt('json') }, 'openapi.json'),
        h('a', { href: `${home()}/llms.txt` }, 'llms.txt'),
      ),
  }

  const wrapComponents = {
    info: Original => props =>
      h(Original, {
        ...props,
        info: props.info.set('description', partsOfText(props.info.get('description') ?? '').lead),
      }),
  }

  /** The way to a credential, for who has none. */
  function GetKey() {
    const isGiven = ui().authSelectors.authorized()?.size > 0
    const chapter = chapterWith(contents(), 'Access')
    if (!chapter || isGiven) return null
    const isKey = Object.values(securitySchemesOf(contents())).every(({ type }) => type === 'apiKey')
    return h('a', { className: 'get-key', href: `#${chapter}` }, isKey ? 'Get a key' : 'Get access')
  }

  /** The address of the service: nothing to choose where there is one, else Swagger UI's choice. */
  function BaseUrl() {
    const servers = contents().document.servers ?? []
    const [{ url = location.origin, variables = {} } = {}] = servers
    const isChoice = servers.length > 1 || Object.values(variables).some(variable => variable.enum)
    if (isChoice) return h(component('ServersContainer', true))
    const filled = url.replace(/\{(\w+)\}/g, (whole, name) => variables[name]?.default ?? whole)
    return h('p', { className: 'base-url' }, 'Base URL ', h('code', null, filled))
  }

  return { components, wrapComponents }
}

/** Where the page lies. */
const home = () => location.pathname.replace(/\/(static\/index\.html)?$/, '')

/** The document's own address where the page is at its usual one; else that which leads there. */
const documentAt = format => (home() === '/docs' ? `/openapi.${format}` : `${home()}/${format}`)
