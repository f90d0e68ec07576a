/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { blockId, decoded } from '../basics/addresses.js'

/**
 * The links of the page: `#/Tag` and `#/Tag/operationId` as Swagger UI writes them, with the name of a field behind, and
 * `#id` for anything else. At
 * first and at each followed link, the page opens the target if it is closed, and scrolls it below the search.
 * @param {Tools} tools
 * @returns {Part}
 */
export function linksPart({ React, h, ui, findOperation }) {
  // Swagger UI fails on an address that can't be decoded. Such an address has no target.
  if (location.hash.includes('%') && decoded(location.hash) === location.hash)
    history.replaceState(null, '', location.pathname + location.search)

  /**
   * Opens the target of a link. Swagger UI's own way would add an entry to the browser's history.
   * @param {string[]} key
   */
  const reveal = key =>
    ui()
      .getStore()
      .dispatch({ type: 'layout_show', payload: { thing: key, shown: true } })

  /**
   * Returns how to find the target of a link once it exists, and how to name it.
   * @param {string} hash
   * @returns {{ find(): Element | null, titleOf(target: Element): string }}
   */
  const targetOf = hash => {
    const [, path] = /^#!?\/(.*)$/.exec(hash) ?? []
    ui().layoutActions.updateFilter('')
    if (path === undefined) {
      const id = decoded(hash.slice(1))
      const [, name] = /^\w+\/(.+)$/.exec(id) ?? []
      return {
        find: () => document.getElementById(id),
        titleOf: ({ textContent }) => name ?? textContent.replace(/#$/, '').trim(),
      }
    }
    const [tag = '', id, ...field] = path.split('/').map(decoded)
    reveal(['operations-tag', tag])
    if (id === undefined)
      return { find: () => document.querySelector(`[data-tag="${CSS.escape(tag)}"]`), titleOf: () => tag }
    reveal(['operations', tag, id])
    return {
      // A field has the address itself as its `id`.
      find: () => document.getElementById(field.length > 0 ? decoded(`/${path}`) : blockId(tag, id)),
      titleOf: () => findOperation(id)?.title ?? id,
    }
  }

  const ownTitle = document.title
  /** @param {(hash: string) => void} setMissing called with an address that has no target, or with '' */
  const follow = setMissing => {
    const { hash } = location
    setMissing('')
    document.title = ownTitle
    if (hash.length < 2 || hash === '#/') return scrollTo({ top: 0 })
    const { find, titleOf } = targetOf(hash)
    return settleAt(
      find,
      target => {
        document.title = `${titleOf(target)} · ${ownTitle}`
      },
      () => setMissing(hash),
    )
  }

  /** @type {Part['components']} */
  const components = {
    /** The row of an operation is one button, which can't hold a link. The list at the left has the links. */
    DeepLink: ({ text }) => h('span', null, text),

    /** Follows the address once all targets may exist. */
    Links: () => {
      const [missing, setMissing] = React.useState('')
      React.useEffect(() => {
        const followNow = () => follow(setMissing)
        /**
         * Swagger UI's own way scrolls slowly, and fires no event.
         * @param {MouseEvent} event
         */
        const go = event => {
          /** @type {HTMLAnchorElement | null} */
          const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null
          const isPlain =
            event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
          if (!link || !isPlain || event.defaultPrevented || link.matches('.skip-link')) return
          event.preventDefault()
          // The browser fires no event for a link to the present address.
          if (link.hash === location.hash) followNow()
          else location.hash = link.hash
        }
        if (location.hash.length > 1) followNow()
        addEventListener('hashchange', followNow)
        document.addEventListener('click', go, true)
        return () => {
          removeEventListener('hashchange', followNow)
          document.removeEventListener('click', go, true)
        }
      }, [])
      if (!missing) return null
      return h(
        'p',
        { className: 'missing', role: 'alert' },
        h('code', null, decoded(missing)),
        ' is not on this page. It may have another name now, or be gone: search for it, or look in the contents.',
      )
    },
  }

  // Swagger UI's own way takes any address for a tag, and scrolls its target below the search.
  const statePlugins = {
    layout: { wrapActions: { parseDeepLinkHash: () => () => ({ type: 'links_followed' }) } },
  }
  return { components, statePlugins }
}

/** A target counts as settled after it stood still for this time, in ms. */
const stillFor = 600
/** The longest time that one frame counts for, in ms. In a longer frame the page is busy, not still. */
const longestFrame = 50

/**
 * Scrolls to an element and gives it the keyboard focus. Other elements may open and move it, so it is kept in place
 * until it stands still, or until the reader scrolls.
 * @param {() => Element | null} find returns the element, once it exists
 * @param {(target: Element) => void} onFound
 * @param {() => void} onMissing called if there is no element though the page stands still
 */
function settleAt(find, onFound, onMissing) {
  const reader = new AbortController()
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(event, () => reader.abort(), { signal: reader.signal, passive: true })
  let isFound = false
  let still = 0
  /** @type {number | null} */
  let place = null
  /** @type {number | undefined} */
  let last
  /** @param {number} time */
  const settle = time => {
    if (reader.signal.aborted) return
    const target = find()
    if (target && !isFound) {
      isFound = true
      onFound(target)
      target.closest('details')?.setAttribute('open', '')
      const control = target.matches('[data-tag]') ? target.querySelector('button') : target
      if (control instanceof HTMLElement) {
        if (control === target && !target.hasAttribute('tabindex')) control.tabIndex = -1
        control.focus({ preventScroll: true })
      }
    }
    target?.scrollIntoView({ block: 'start' })
    // The position on the page, not in the window: a reader who scrolls by other means is not held for longer.
    const top = target && Math.round(target.getBoundingClientRect().top + scrollY)
    still = top === place ? still + Math.min(time - (last ?? time), longestFrame) : 0
    place = top
    last = time
    if (still < stillFor) requestAnimationFrame(settle)
    else {
      reader.abort()
      if (!target) onMissing()
    }
  }
  requestAnimationFrame(settle)
}
