/** The operations by tag, and the tags by parent, in the document's order. */
function tagTreePart({ h, ui, contents, tagNamed, component, Markdown }) {
  const components = {
    operations: () => {
      const shown = ui()
        .specSelectors.taggedOperations()
        .filter(tagObj => tagObj.get('operations').size > 0)
      const search = searchText(ui)
      const groups = groupsOf(contents().operations, contents(), tagNamed)
      return h(
        'div',
        { className: 'tag-tree' },
        search &&
          shown.size === 0 &&
          h(
            'p',
            { className: 'nothing-found' },
            `No operation for “${search}”. `,
            h('a', { href: '#/', onClick: () => ui().layoutActions.updateFilter('') }, 'Show all'),
          ),
        groups.map(({ name, tags }) => {
          const members = tags.filter(({ tag }) => shown.get(tag))
          const section = ({ tag }, level) =>
            h(component('OperationTag'), { key: tag, tag, tagObj: shown.get(tag), level })
          if (members.length === 0) return null
          return tags.every(({ tag }) => tag === name)
            ? members.map(member => section(member, 2))
            : h(
                'section',
                { key: name, className: 'tag-group', 'aria-labelledby': `tag-group-${slugOf(name)}` },
                h(
                  'h2',
                  { id: `tag-group-${slugOf(name)}` },
                  name,
                  h('small', { className: 'hint' }, tagNamed(name).description),
                ),
                members.map(member => section(member, member.tag === name ? 2 : 3)),
              )
        }),
      )
    },

    /** A tag as a heading with one button in it, and its operations. */
    OperationTag: ({ tag, tagObj, level = 2 }) => {
      const key = ['operations-tag', tag]
      const open = ui().layoutSelectors.isShown(key, true)
      const Place = component('Place')
      const Collapse = component('Collapse')
      const id = `operations-tag-${tag.replaceAll(' ', '_')}`
      const { description = '' } = tagNamed(tag)
      const isShort = description.length < 120 && !description.includes('\n')
      return h(
        'section',
        { className: `opblock-tag-section${open ? ' is-open' : ''}`, 'aria-labelledby': id },
        h(
          `h${level}`,
          { className: 'opblock-tag', id, 'data-tag': tag },
          h(
            'button',
            { type: 'button', 'aria-expanded': open, onClick: () => ui().layoutActions.show(key, !open) },
            h('span', null, tag),
            isShort && h('small', { className: 'hint' }, description),
            h(component(open ? 'ArrowUpIcon' : 'ArrowDownIcon'), { className: 'arrow' }),
          ),
        ),
        !isShort && open && h(Markdown, { source: description }),
        h(
          Collapse,
          { isOpened: open },
          tagObj
            .get('operations')
            .map(op => h(Place, { key: keyOf(op.get('path'), op.get('method')), tag, op }))
            .toArray(),
        ),
      )
    },
  }

  /** Who comes without an address sees at once what an operation looks like, where there is room for it. */
  const beginsOpen = location.hash.length < 2 && innerWidth >= 1200
  const isFirst = ([kind, tag, id]) => {
    const found = contents()
    found.first ??= groupsOf(found.operations, found, tagNamed).flatMap(({ tags }) => tags)[0] ?? {}
    return kind === 'operations' && tag === found.first.tag && id === found.first.operations[0].id
  }

  const statePlugins = {
    layout: {
      wrapSelectors: {
        // What the search finds must be seen, in closed tags too.
        isShown: original => (state, key, otherwise) =>
          (key[0] === 'operations-tag' && Boolean(state.get('filter'))) ||
          original(key, otherwise || (beginsOpen && key.length === 3 && isFirst(key))),
      },
    },
  }
  return { components, statePlugins }
}
