/** The contents at the left, in the order of the page: operations by tag, then chapters. It follows the scroll. */
function navigationPart({ React, h, ui, contents, tagNamed, component }) {
  /** The most operations that are listed at once. If there are more, only the present tag's are listed. */
  const most = 80

  function Navigation({ close }) {
    const box = React.useRef(null)
    const current = useCurrent(React)
    React.useEffect(() => keepVisible(box.current), [current])
    const { operations } = contents()
    const chapters = chaptersOf(contents())
    const isOpen = useSections(current, operations.length)
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
      groupsOf(operations, contents(), tagNamed).map(({ name, tags }) =>
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
      h(
        'div',
        { className: 'nav-more' },
        sectionsOf(contents()).map(({ id, title }) => entry(`#${id}`, current === id, title)),
      ),
      chapters.length > 0 &&
        h(
          'div',
          null,
          h('p', { className: 'nav-title', id: 'nav-guide' }, 'Guide'),
          h(
            'ul',
            { 'aria-labelledby': 'nav-guide' },
            chapters.map(({ id, title }) =>
              h('li', { key: id }, entry(`#${id}`, current === id || current?.startsWith(`${id}/`), title)),
            ),
          ),
        ),
    )
  }

  /** Returns whether a tag's operations are listed. */
  const useSections = (current, size) => (tag, operations) =>
    size <= most || operations.some(one => addressOf({ ...one, tag }) === current)

  const Method = ({ method }) => h('span', { className: `nav-method method-${method}` }, shortMethod(method))

  const Marks = ({ operation }) => {
    const { deprecated, 'x-stability': stability } = operation
    const marks = [deprecated && 'deprecated', typeof stability === 'string' && stability].filter(Boolean)
    return marks.map(mark => h('span', { key: mark, className: `nav-mark badge-${mark}` }, mark))
  }

  return { components: { Navigation } }
}

const shortMethod = method => ({ delete: 'DEL', options: 'OPT' })[method] ?? method.toUpperCase()

/** The sections between the operations and the guide. */
const sectionsOf = ({ document, webhooks }) => [
  ...(webhooks.length > 0 ? [{ id: 'webhooks', title: 'Webhooks' }] : []),
  ...(Object.keys(document.components?.schemas ?? {}).length > 0
    ? [{ id: 'schemas', title: 'Schemas' }]
    : []),
]

/** The operations by tag, and the tags by parent, in the document's order. */
function groupsOf(operations, { tags }, tagNamed) {
  const order = new Map(tags.map(({ name }, i) => [name, i]))
  const byTag = new Map()
  for (const operation of operations)
    for (const tag of operation.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), operation])
  const place = name => order.get(name) ?? order.size
  const placeOf = ({ name, members }) => order.get(name) ?? place(members[0])
  const groups = Map.groupBy([...byTag.keys()], tag => tagNamed(tag)['x-parent'] ?? tag)
  return (
    [...groups]
      .map(([name, members]) => ({ name, members: members.sort((a, b) => place(a) - place(b)) }))
      // A parent that is no tag itself stands where its first member does.
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map(({ name, members }) => ({
        name,
        tags: members.map(tag => ({ tag, operations: byTag.get(tag) })),
      }))
  )
}

/** Returns the `data-place` at the top of the screen, or of the target that the reader went to last. */
function useCurrent(React) {
  const [current, setCurrent] = React.useState(undefined)
  React.useEffect(() => {
    let isAsked = false
    const look = () => {
      isAsked = false
      // The target of a jump stands above this line, and the next part below it.
      const line = (Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0) + 24
      const places = [...document.querySelectorAll('main [data-place]')].filter(
        place => place instanceof HTMLElement && place.checkVisibility(),
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

/** Scrolls only the list, so that the present entry is visible. */
function keepVisible(list) {
  const entry = list?.querySelector('[aria-current]')
  if (!entry) return
  const [inner, outer] = [entry.getBoundingClientRect(), list.getBoundingClientRect()]
  if (inner.top < outer.top + 20) list.scrollTop -= outer.top + 20 - inner.top
  if (inner.bottom > outer.bottom - 40) list.scrollTop += inner.bottom - outer.bottom + 40
}
