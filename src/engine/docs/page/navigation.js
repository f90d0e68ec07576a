/** The way around at the left: chapters of the guide, and the operations by tag; it follows the scroll. */
function navigationPart({ React, h, ui, contents, tagNamed }) {
  /** So many operations are listed at once; of more, only those of the tag where the reader is. */
  const most = 80

  function Navigation({ view, close }) {
    const box = React.useRef(null)
    const current = useCurrent(React, view)
    React.useEffect(() => keepVisible(box.current), [current])
    const search = searchText(ui)
    const found = ui().fn.findings(search)
    const chapters = search ? found.chapters : chaptersOf(contents())
    const isOpen = useSections(search, current, found.operations.length)
    const entry = (href, isCurrent, ...content) =>
      h(
        'a',
        { className: 'nostyle', href, 'aria-current': isCurrent ? 'location' : undefined, onClick: close },
        ...content,
      )
    return h(
      'nav',
      { className: 'navigation', 'aria-label': 'Contents', ref: box },
      chapters.length > 0 &&
        h(
          'div',
          null,
          h('p', { className: 'nav-title', id: 'nav-guide' }, 'Guide'),
          h(
            'ul',
            { 'aria-labelledby': 'nav-guide' },
            chapters.map(({ id, title, isCode }) =>
              h(
                'li',
                { key: id },
                entry(
                  `#${id}`,
                  current === id || current?.startsWith(`${id}/`),
                  isCode ? h('code', null, title) : title,
                ),
              ),
            ),
          ),
        ),
      groupsOf(found.operations, contents(), tagNamed).map(({ name, tags }) =>
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
              isOpen(tag, operations)
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
    )
  }

  /** Whether a tag's operations are listed. */
  const useSections = (search, current, size) => (tag, operations) =>
    size <= most ||
    (search && size <= 2 * most) ||
    operations.some(one => addressOf({ ...one, tag }) === current)

  const Method = ({ method }) =>
    h('span', { className: `nav-method method-${method}` }, shortMethods[method] ?? method.toUpperCase())

  const Marks = ({ operation }) => {
    const { deprecated, 'x-stability': stability } = operation
    const marks = [deprecated && 'deprecated', typeof stability === 'string' && stability].filter(Boolean)
    return marks.map(mark => h('span', { key: mark, className: `nav-mark badge-${mark}` }, mark))
  }

  return { components: { Navigation } }
}

const shortMethods = { delete: 'DEL', options: 'OPT' }

/** The operations by tag, and the tags by parent, in the document's order. */
function groupsOf(operations, { tags }, tagNamed) {
  const order = new Map(tags.map(({ name }, i) => [name, i]))
  const byTag = new Map()
  for (const operation of operations)
    for (const tag of operation.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), operation])
  const place = name => order.get(name) ?? order.size
  const groups = Map.groupBy([...byTag.keys()], tag => tagNamed(tag)['x-parent'] ?? tag)
  return [...groups]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([name, members]) => ({
      name,
      tags: members.sort((a, b) => place(a) - place(b)).map(tag => ({ tag, operations: byTag.get(tag) })),
    }))
}

/** What stands at the top of the screen: the `data-place` of it, or of what the reader went to last. */
function useCurrent(React, view) {
  const [current, setCurrent] = React.useState(undefined)
  React.useEffect(() => {
    let isAsked = false
    const look = () => {
      isAsked = false
      // What is jumped to stands above this line, and what comes after it below.
      const line = (Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0) + 24
      const places = [...document.querySelectorAll('main [data-place]')].filter(
        place => place instanceof HTMLElement && place.checkVisibility(),
      )
      const above = places.filter(place => place.getBoundingClientRect().top <= line)
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
      const gone = places.find(
        place =>
          place.getAttribute('data-place') === location.hash ||
          `#${place.getAttribute('data-place')}` === location.hash,
      )
      const wanted = isAtEnd && gone && gone.getBoundingClientRect().top < innerHeight ? gone : above.at(-1)
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
  }, [view])
  return current
}

/** Scrolls the list alone, so that the entry of where the reader is can be seen. */
function keepVisible(list) {
  const entry = list?.querySelector('[aria-current]')
  const side = list?.closest('.side')
  if (!entry || !side) return
  const [inner, outer] = [entry.getBoundingClientRect(), side.getBoundingClientRect()]
  if (inner.top < outer.top + 130) side.scrollTop -= outer.top + 130 - inner.top
  if (inner.bottom > outer.bottom - 40) side.scrollTop += inner.bottom - outer.bottom + 40
}
