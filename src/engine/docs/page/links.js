/**
 * The links of the page: `#/Tag` and `#/Tag/operationId` as Swagger UI writes them, and `#id` for anything else. Their
 * target is opened where it is closed, and stands below the search, at first and whenever a link is followed.
 */
function linksPart({ React, h, ui, findOperation }) {
  // Swagger UI fails on an address that can't be decoded, which leads nowhere.
  if (location.hash.includes('%') && decoded(location.hash) === location.hash)
    history.replaceState(null, '', location.pathname + location.search)

  /** Opens what a link leads to, which Swagger UI's own way would write into the address as one more step. */
  const reveal = key =>
    ui()
      .getStore()
      .dispatch({ type: 'layout_show', payload: { thing: key, shown: true } })

  /** How to find what a link leads to, once it is there, and how that is called. */
  const targetOf = hash => {
    const [, path] = /^#!?\/(.*)$/.exec(hash) ?? []
    ui().layoutActions.updateFilter('')
    if (path === undefined) {
      const id = decoded(hash.slice(1))
      const [, name] = /^\w+\/(.+)$/.exec(id) ?? []
      return {
        find: () => document.getElementById(id),
        titleOf: target => name ?? target.textContent.replace(/#$/, '').trim(),
      }
    }
    const [tag = '', id] = path.split('/').map(decoded)
    reveal(['operations-tag', tag])
    if (id === undefined)
      return { find: () => document.querySelector(`[data-tag="${CSS.escape(tag)}"]`), titleOf: () => tag }
    reveal(['operations', tag, id])
    return {
      find: () => document.getElementById(blockId(tag, id)),
      titleOf: () => findOperation(id)?.title ?? id,
    }
  }

  const ownTitle = document.title
  /** @param {(hash: string) => void} setMissing told the address that leads nowhere, '' for one that does not */
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

  const components = {
    /** The row of an operation is one button, which holds no link: the list at the left has those. */
    DeepLink: ({ text }) => h('span', null, text),

    /** Follows the address from when all that it may lead to is there. */
    Links: () => {
      const [missing, setMissing] = React.useState('')
      React.useEffect(() => {
        const followNow = () => follow(setMissing)
        // Swagger UI's own way scrolls slowly, and tells nobody.
        const go = event => {
          const link = event.target.closest?.('a[href^="#"]')
          const isPlain =
            event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
          if (!link || !isPlain || event.defaultPrevented || link.matches('.skip-link')) return
          event.preventDefault()
          // The browser says nothing of a link to where one is already.
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
 * @param {() => any} find an element, once it is there
 * @param {(target: Element) => void} onFound
 * @param {() => void} onMissing nothing is found, though the page stands still
 */
function settleAt(find, onFound, onMissing) {
  const reader = new AbortController()
  for (const event of ['wheel', 'touchstart', 'keydown', 'pointerdown'])
    addEventListener(event, () => reader.abort(), { signal: reader.signal, passive: true })
  let isFound = false
  let still = 0
  let place
  let last
  const settle = time => {
    if (reader.signal.aborted) return undefined
    const target = find()
    if (target && !isFound) {
      isFound = true
      onFound(target)
      const control = target.matches('[data-tag]') ? target.querySelector('button') : target
      if (control === target && !target.hasAttribute('tabindex')) target.tabIndex = -1
      control?.focus({ preventScroll: true })
    }
    target?.scrollIntoView({ block: 'start' })
    // Of the page, not of the window: whoever scrolls by other means is not held for longer.
    const top = target && Math.round(target.getBoundingClientRect().top + scrollY)
    still = top === place ? still + Math.min(time - (last ?? time), longestFrame) : 0
    place = top
    last = time
    if (still < stillFor) return requestAnimationFrame(settle)
    reader.abort()
    return target ?? onMissing()
  }
  requestAnimationFrame(settle)
}
