/**
 * The links of the page: `#/Tag` and `#/Tag/operationId` as Swagger UI writes them, and `#id` for anything else. Their
 * target is opened where it is closed, and stands below the search, at first and whenever a link is followed.
 */
function linksPart({ React, h, ui }) {
  // Swagger UI fails on an address that can't be decoded, which leads nowhere.
  if (location.hash.includes('%') && decoded(location.hash) === location.hash)
    history.replaceState(null, '', location.pathname + location.search)

  /** Opens what a link leads to, which Swagger UI's own way would write into the address as one more step. */
  const reveal = key =>
    ui()
      .getStore()
      .dispatch({ type: 'layout_show', payload: { thing: key, shown: true } })

  /** How to find what a link leads to, once it is there. */
  const targetOf = hash => {
    const [, path] = /^#!?\/(.*)$/.exec(hash) ?? []
    if (path === undefined) return () => document.getElementById(decoded(hash.slice(1)))
    ui().layoutActions.updateFilter('')
    const [tag = '', id] = path.split('/').map(decoded)
    reveal(['operations-tag', tag])
    if (id === undefined) return () => document.querySelector(`[data-tag="${CSS.escape(tag)}"]`)
    reveal(['operations', tag, id])
    return () => document.getElementById(blockId(tag, id))
  }

  const follow = () => {
    const { hash } = location
    if (hash.length > 1 && hash !== '#/') settleAt(targetOf(hash))
    else scrollTo({ top: 0 })
  }

  const components = {
    /** The row of an operation is one button, which holds no link: the list at the left has those. */
    DeepLink: ({ text }) => h('span', null, text),

    /** Follows the address from when all that it may lead to is there. */
    Links: () => {
      React.useEffect(() => {
        // Swagger UI's own way scrolls slowly, and tells nobody.
        const go = event => {
          const link = event.target.closest?.('a[href^="#"]')
          const isPlain =
            event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
          if (!link || !isPlain || event.defaultPrevented || link.matches('.skip-link')) return
          event.preventDefault()
          // The browser says nothing of a link to where one is already.
          if (link.hash === location.hash) follow()
          else location.hash = link.hash
        }
        if (location.hash.length > 1) follow()
        addEventListener('hashchange', follow)
        document.addEventListener('click', go, true)
        return () => {
          removeEventListener('hashchange', follow)
          document.removeEventListener('click', go, true)
        }
      }, [])
      return null
    },
  }

  // Swagger UI's own way takes any address for a tag, and what it scrolls to lies below the search.
  const statePlugins = {
    layout: { wrapActions: { parseDeepLinkHash: () => () => ({ type: 'links_followed' }) } },
  }
  return { components, statePlugins }
}

/** The `id` that Swagger UI gives to an operation's block. */
const blockId = (tag, id) => CSS.escape(['operations', tag, id].join('-').replace(/\s/g, '_'))

/** A part of an address in plain characters; as it is where it can't be read. */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** For how long what a link led to must have stood still before it is left alone, in ms. */
const stillFor = 600
/** A frame counts for no more than so many ms: in one that takes longer the page is busy, and not still. */
const longestFrame = 50

/**
 * Scrolls to what is found and puts the keyboard there. What opens above and below moves it for a moment, so it is kept
 * in place until it stands still, or until the reader scrolls.
 */
function settleAt(find) {
  const reader = new AbortController()
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(event, () => reader.abort(), { signal: reader.signal, passive: true })
  let isFocused = false
  let still = 0
  let place
  let last
  const settle = time => {
    if (reader.signal.aborted) return
    const target = find()
    target?.scrollIntoView({ block: 'start' })
    // Of the page, not of the window: whoever scrolls by other means is not held for longer.
    const top = target && Math.round(target.getBoundingClientRect().top + scrollY)
    still = top === place ? still + Math.min(time - (last ?? time), longestFrame) : 0
    place = top
    last = time
    if (target && !isFocused) {
      isFocused = true
      const control = target.matches('[data-tag]') ? target.querySelector('button') : target
      if (control === target && !target.hasAttribute('tabindex')) target.tabIndex = -1
      control?.focus({ preventScroll: true })
    }
    if (still < stillFor) requestAnimationFrame(settle)
    else reader.abort()
  }
  requestAnimationFrame(settle)
}
