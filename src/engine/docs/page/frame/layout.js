/** @import { MouseEvent } from 'react' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { securitySchemesOf } from '../document/security.js'

/**
 * The layout of the page: the contents at the left, the text in the middle, the key and the quota above both.
 * @param {Tools} tools
 * @returns {Part}
 */
export function layoutPart({ React, h, ui, contents, component }) {
  /** @type {Part['wrapComponents']} */
  const wrapComponents = {
    // Swagger UI still shows the states of loading and failure.
    BaseLayout: Original => props =>
      ui().specSelectors.loadingStatus() === 'success' ? h(Page) : h(Original, props),
  }

  function Page() {
    const [isOpen, setOpen] = React.useState(false)
    const close = () => setOpen(false)
    React.useEffect(() => {
      ui().fn.noteVisit()
      addEventListener('hashchange', close)
      return () => removeEventListener('hashchange', close)
    }, [])
    const Errors = component('errors', true)
    return h(
      'div',
      { className: 'swagger-ui docs' },
      h(component('SvgAssets')),
      h(Skip, { to: 'content', text: 'Skip to the content' }),
      h(Skip, { to: 'operations', text: 'Skip to the operations' }),
      h(Bar, { isOpen, open: () => setOpen(true) }),
      h(Side, { isOpen, close }),
      h(
        'main',
        { id: 'content', tabIndex: -1 },
        h(component('Links')),
        h(Errors),
        h(component('Introduction')),
        h(component('FirstCall', true)),
        h(component('Guide')),
        h(component('operations', true)),
        h(component('Webhooks')),
        h(component('Models', true)),
      ),
    )
  }

  /**
   * Jumps at once, and adds no entry to the browser's history.
   * @param {MouseEvent} event
   * @param {string} id
   */
  const skipTo = (event, id) => {
    event.preventDefault()
    const target = document.getElementById(id)
    target?.focus({ preventScroll: true })
    target?.scrollIntoView()
  }

  /**
   * A link that only the keyboard shows.
   * @param {{ to: string, text: string }} props
   */
  const Skip = ({ to, text }) =>
    h(
      'a',
      {
        className: 'skip-link',
        href: `#${to}`,
        onClick: (/** @type {MouseEvent} */ event) => skipTo(event, to),
      },
      text,
    )

  /**
   * The bar above the page: the drawer's button on small screens, the remaining quota, and the key.
   * @param {{ isOpen: boolean, open(): void }} props
   */
  function Bar({ isOpen, open }) {
    const { info } = contents().document
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
      h('a', { className: 'bar-title nostyle', href: '#/' }, info?.title),
      h(component('Quota')),
      h(component('ColourScheme')),
      hasSecurity && h('div', { className: 'scheme-container' }, h(Authorize)),
    )
  }

  /** The button that opens Swagger UI's dialog for the key. */
  function Authorize() {
    const { authActions, authSelectors, keySelectors } = ui()
    return h(component('authorizeBtn'), {
      isAuthorized: authSelectors.authorized().size > 0 && keySelectors.state().status !== 401,
      showPopup: Boolean(authSelectors.shownDefinitions()),
      onClick: () => authActions.showDefinitions(authSelectors.definitionsToAuthorize()),
      getComponent: component,
    })
  }

  /**
   * The left part. On small screens it is a drawer over the page, which Escape closes.
   * @param {{ isOpen: boolean, close(): void }} props
   */
  function Side({ isOpen, close }) {
    /** @type {{ current: HTMLElement | null }} */
    const box = React.useRef(null)
    React.useEffect(() => {
      if (!isOpen) return undefined
      const opener = document.activeElement
      box.current?.querySelector('input')?.focus()
      /** @param {KeyboardEvent} event */
      const onKey = event => {
        if (event.key === 'Escape') close()
      }
      document.addEventListener('keydown', onKey)
      return () => {
        document.removeEventListener('keydown', onKey)
        if (opener instanceof HTMLElement && box.current?.contains(document.activeElement)) opener.focus()
      }
    }, [isOpen])
    const { info } = contents().document
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
          h('a', { className: 'side-title nostyle', href: '#/', onClick: close }, info?.title),
          h('button', { type: 'button', className: 'close', 'aria-label': 'Close', onClick: close }, '×'),
        ),
        h(component('Search')),
        h(component('Navigation'), { close }),
      ),
    )
  }

  return { wrapComponents }
}
