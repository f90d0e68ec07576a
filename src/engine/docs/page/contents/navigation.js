/** @import { ReactNode } from 'react' */
/** @import { Contents, OperationObject, TaggedOperations } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { addressOf } from '../basics/addresses.js'
import { count, shortMethod } from '../basics/words.js'
import { chaptersOf, firstCallOf } from '../document/chapters.js'
import { groupsOf } from '../document/contents.js'
import { searchText } from './search.js'

/**
 * The contents at the left, in the order of the page: chapters, then operations by tag. It follows the scroll.
 * @param {Tools} tools
 * @returns {Part}
 */
export function navigationPart({ React, h, ui, contents, component }) {
  /** The most operations that are listed at once. If there are more, only the present tag's are listed. */
  const most = 80

  /** @param {{ close(): void }} props */
  function Navigation({ close }) {
    /** @type {{ current: HTMLElement | null }} */
    const box = React.useRef(null)
    const current = useCurrent(React)
    React.useEffect(() => keepVisible(box.current), [current])
    const found = contents()
    const guide = [
      ...(firstCallOf(contents()) ? [{ id: 'first-call', title: 'Your first call' }] : []),
      ...chaptersOf(contents()),
    ]
    /** @param {TaggedOperations} section */
    const isOpen = ({ tag, operations: members }) =>
      found.operations.length <= most ||
      members.some(operation => addressOf({ ...operation, tag }) === current)
    /**
     * @param {string} href
     * @param {boolean | undefined} isCurrent
     * @param {ReactNode[]} content
     */
    const entry = (href, isCurrent, ...content) =>
      h(
        'a',
        { className: 'nostyle', href, 'aria-current': isCurrent ? 'location' : undefined, onClick: close },
        ...content,
      )
    if (searchText(ui))
      return h('nav', { className: 'navigation', 'aria-label': 'Found' }, h(component('Results'), { close }))
    return h(
      'nav',
      { className: 'navigation', 'aria-label': 'Contents', ref: box },
      guide.length > 0 &&
        h(
          'div',
          null,
          h('p', { className: 'nav-title', id: 'nav-guide' }, 'Guide'),
          h(
            'ul',
            { 'aria-labelledby': 'nav-guide' },
            guide.map(({ id, title }) =>
              h('li', { key: id }, entry(`#${id}`, current === id || current?.startsWith(`${id}/`), title)),
            ),
          ),
        ),
      groupsOf(found.operations, found).map(({ name, tags }) =>
        h(
          'div',
          { key: name },
          h('p', { className: 'nav-title' }, name),
          tags.map(({ tag, operations }) =>
            h(
              React.Fragment,
              { key: tag },
              tag !== name &&
                h('p', { className: 'nav-tag' }, entry(`#/${encodeURIComponent(tag)}`, false, tag)),
              isOpen({ tag, operations })
                ? h(
                    'ul',
                    null,
                    operations.map(operation =>
                      h(
                        'li',
                        { key: operation.id },
                        entry(
                          addressOf({ ...operation, tag }),
                          current === addressOf({ ...operation, tag }),
                          h(Method, { method: operation.method }),
                          h('span', { className: 'nav-name' }, operation.title),
                          h(Marks, { operation: operation.operation }),
                        ),
                      ),
                    ),
                  )
                : h(
                    'ul',
                    null,
                    h(
                      'li',
                      null,
                      entry(`#/${encodeURIComponent(tag)}`, false, count(operations.length, 'operation')),
                    ),
                  ),
            ),
          ),
        ),
      ),
      h(
        'div',
        { className: 'nav-more' },
        sectionsOf(contents()).map(({ id, title }) => entry(`#${id}`, current === id, title)),
      ),
    )
  }

  /** @param {{ method: string }} props */
  const Method = ({ method }) => h('span', { className: `nav-method method-${method}` }, shortMethod(method))

  /** @param {{ operation: OperationObject }} props */
  const Marks = ({ operation: { deprecated, 'x-stability': stability } }) => {
    const marks = [deprecated ? 'deprecated' : '', typeof stability === 'string' ? stability : ''].filter(
      Boolean,
    )
    return marks.map(mark => h('span', { key: mark, className: `nav-mark badge-${mark}` }, mark))
  }

  return { components: { Navigation } }
}

/**
 * The sections after the operations.
 * @param {Contents} found
 */
const sectionsOf = ({ document, webhooks }) => [
  ...(webhooks.length > 0 ? [{ id: 'webhooks', title: 'Webhooks' }] : []),
  ...(Object.keys(document.components?.schemas ?? {}).length > 0
    ? [{ id: 'schemas', title: 'Schemas' }]
    : []),
]

/**
 * Returns the `data-place` at the top of the screen, or of the target that the reader went to last.
 * @param {Tools['React']} React
 */
function useCurrent(React) {
  /** @type {[string | undefined, (place: string | undefined) => void]} */
  const [current, setCurrent] = React.useState()
  React.useEffect(() => {
    let isAsked = false
    const look = () => {
      isAsked = false
      // The target of a jump stands above this line, and the next part below it.
      const line = (Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0) + 24
      const places = [...document.querySelectorAll('main [data-place]')].filter(place =>
        place.checkVisibility(),
      )
      const above = places.filter(place => place.getBoundingClientRect().top <= line)
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
      // The end of the page can't scroll to the top. There the reader's last target counts, else the last part.
      const inSight = places.filter(place => place.getBoundingClientRect().top < innerHeight)
      const gone = inSight.find(place =>
        [location.hash, location.hash.slice(1)].includes(place.getAttribute('data-place') ?? ''),
      )
      const wanted = isAtEnd ? (gone ?? inSight.at(-1)) : above.at(-1)
      setCurrent((wanted ?? places[0])?.getAttribute('data-place') ?? undefined)
    }
    const ask = () => {
      if (!isAsked) requestAnimationFrame(look)
      isAsked = true
    }
    ask()
    addEventListener('scroll', ask, { passive: true })
    addEventListener('resize', ask)
    addEventListener('hashchange', ask)
    return () => {
      removeEventListener('scroll', ask)
      removeEventListener('resize', ask)
      removeEventListener('hashchange', ask)
    }
  }, [])
  return current
}

/**
 * Scrolls only the list, so that the present entry is visible.
 * @param {HTMLElement | null} list
 */
function keepVisible(list) {
  const entry = list?.querySelector('[aria-current]')
  if (!list || !entry) return
  const [inner, outer] = [entry.getBoundingClientRect(), list.getBoundingClientRect()]
  if (inner.top < outer.top + 20) list.scrollTop -= outer.top + 20 - inner.top
  if (inner.bottom > outer.bottom - 40) list.scrollTop += inner.bottom - outer.bottom + 40
}
