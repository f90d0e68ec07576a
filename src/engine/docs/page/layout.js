/**
 * The page in its parts: at the left the way around, in the middle what is read, above both the key and the quota.
 * A chapter of the guide and the reference are never shown at once; the reference stays as it is meanwhile.
 */
function layoutPart({ React, h, ui, contents, component }) {
  const wrapComponents = {
    // Loading and failing stay Swagger UI's.
    BaseLayout: Original => props =>
      ui().specSelectors.loadingStatus() === 'success' ? h(Page) : h(Original, props),
  }

  function Page() {
    const [view, setView] = React.useState(() => viewOf(location.hash, 'reference'))
    const [isOpen, setOpen] = React.useState(false)
    React.useEffect(() => ui().fn.noteVisit(), [])
    React.useEffect(() => {
      const onHash = () => {
        setOpen(false)
        setView(before => viewOf(location.hash, before))
      }
      addEventListener('hashchange', onHash)
      return () => removeEventListener('hashchange', onHash)
    }, [])
    const isGuide = view === 'guide'
    const Errors = component('errors', true)
    return h(
      'div',
      { className: 'swagger-ui docs' },
      h(component('SvgAssets')),
      h('a', { className: 'skip-link', href: '#content', onClick: toContent }, 'Skip to the content'),
      h(Bar, { isOpen, open: () => setOpen(true) }),
      h(Side, { isOpen, close: () => setOpen(false), view }),
      h(
        'main',
        { id: 'content', tabIndex: -1 },
        h(Errors),
        isGuide && h(component('Guide')),
        h(
          'div',
          { className: 'reference', hidden: isGuide },
          h(component('Introduction')),
          h(component('operations', true)),
          h(component('Webhooks')),
          h(component('Models', true)),
        ),
      ),
      h(component('Links')),
    )
  }

  /** At once, and without a step in the browser's history. */
  const toContent = event => {
    event.preventDefault()
    document.getElementById('content')?.focus()
  }

  /** Which of the two views an address belongs to; one of neither leaves the reader where they are. */
  const viewOf = (hash, before) => {
    if (hash.length < 2 || /^#!?\//.test(hash)) return 'reference'
    const id = decoded(hash.slice(1))
    return chaptersOf(contents()).some(chapter => id === chapter.id || id.startsWith(`${chapter.id}/`)) ||
      sectionsOf(contents()).has(id)
      ? 'guide'
      : before
  }

  /** Above the page: the way to the drawer on small screens, what is left of the quota, and the key. */
  function Bar({ isOpen, open }) {
    const { info = {} } = contents().document
    const hasSecurity = Object.keys(securitySchemesOf(contents())).length > 0
    return h(
      'header',
      { className: 'bar', role: 'banner' },
      h(
        'button',
        {
          type: 'button',
          className: 'menu',
          'aria-label': 'Contents and search',
          'aria-expanded': isOpen,
          'aria-controls': 'side',
          onClick: open,
        },
        h('span', { 'aria-hidden': true }),
      ),
      h('a', { className: 'bar-title nostyle', href: '#/' }, info.title),
      h(component('Quota')),
      h(component('ColourScheme')),
      hasSecurity && h('div', { className: 'scheme-container' }, h(Authorize)),
    )
  }

  /** The button that opens Swagger UI's dialog for the key. */
  function Authorize() {
    const { authActions, authSelectors } = ui()
    return h(component('authorizeBtn'), {
      isAuthorized: authSelectors.authorized().size > 0,
      showPopup: Boolean(authSelectors.shownDefinitions()),
      onClick: () => authActions.showDefinitions(authSelectors.definitionsToAuthorize()),
      getComponent: component,
    })
  }

  /** The left part; on small screens a drawer that opens over the page, which Escape closes. */
  function Side({ isOpen, close, view }) {
    const box = React.useRef(null)
    React.useEffect(() => {
      if (!isOpen) return undefined
      const opener = document.activeElement
      box.current.querySelector('input').focus()
      const onKey = event => event.key === 'Escape' && close()
      document.addEventListener('keydown', onKey)
      return () => {
        document.removeEventListener('keydown', onKey)
        if (opener instanceof HTMLElement && box.current?.contains(document.activeElement)) opener.focus()
      }
    }, [isOpen])
    const { info = {} } = contents().document
    return h(
      React.Fragment,
      null,
      h('div', { className: isOpen ? 'shade is-open' : 'shade', onClick: close }),
      h(
        'aside',
        {
          id: 'side',
          className: isOpen ? 'side is-open' : 'side',
          'aria-label': 'Contents and search',
          ref: box,
        },
        h(
          'div',
          { className: 'side-head' },
          h('a', { className: 'side-title nostyle', href: '#/', onClick: close }, info.title),
          h('span', { className: 'side-version' }, info.version),
          h('button', { type: 'button', className: 'close', 'aria-label': 'Close', onClick: close }, '×'),
        ),
        h(component('Search')),
        h(component('Navigation'), { view, close }),
      ),
    )
  }

  return { wrapComponents }
}
