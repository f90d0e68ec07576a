/** The tags as a tree, with their operations. */
function tagTreePart({ h, ui, tags, tagNamed }) {
  const components = {
    /** The operations by tag, and the tags by parent, in the document's order. */
    operations: () => {
      const shown = ui()
        .specSelectors.taggedOperations()
        .filter(tagObj => tagObj.get('operations').size > 0)
      const search = ui().layoutSelectors.currentFilter()
      const found = shown.reduce((sum, tag) => sum + tag.get('operations').size, 0)
      const Tag = ui().getComponent('OperationTag')
      const tagSection = (name, level) => h(Tag, { key: name, tag: name, tagObj: shown.get(name), level })
      const byParent = new Map()
      for (const name of shown.keySeq()) {
        const parent = tagNamed(name)['x-parent'] ?? name
        byParent.set(parent, [...(byParent.get(parent) ?? []), name])
      }
      const order = tags().map(tag => tag.name)
      const groups = [...byParent].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
      return h(
        'div',
        { className: 'tag-tree' },
        h(
          'p',
          { className: found === 0 ? 'nothing-found' : 'visually-hidden', role: 'status' },
          searchResult(search, found),
        ),
        groups.map(([name, members]) =>
          members.length === 1 && members[0] === name
            ? tagSection(name, 2)
            : h(
                'section',
                { key: name, className: 'tag-group', 'aria-labelledby': `tag-group-${name}` },
                h(
                  'h2',
                  { id: `tag-group-${name}` },
                  name,
                  h('small', { className: 'hint' }, tagNamed(name).description),
                ),
                members.map(member => tagSection(member, member === name ? 2 : 3)),
              ),
        ),
      )
    },

    /** A tag as a heading with one button in it, and its operations. */
    OperationTag: ({ tag, tagObj, level = 2 }) => {
      const key = ['operations-tag', tag]
      const open = ui().layoutSelectors.isShown(key, true)
      const Operation = ui().getComponent('OperationContainer', true)
      const Collapse = ui().getComponent('Collapse')
      const id = `operations-tag-${tag.replaceAll(' ', '_')}`
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
            h('small', { className: 'hint' }, tagNamed(tag).description),
            h(ui().getComponent(open ? 'ArrowUpIcon' : 'ArrowDownIcon'), { className: 'arrow' }),
          ),
        ),
        h(
          Collapse,
          { isOpened: open },
          tagObj
            .get('operations')
            .map(op =>
              h(Operation, {
                key: `${op.get('path')} ${op.get('method')}`,
                tag,
                op,
                path: op.get('path'),
                method: op.get('method'),
                specPath: op.get('specPath'),
              }),
            )
            .toArray(),
        ),
      )
    },
  }
  return { components }
}

function searchResult(search, found) {
  if (!search) return ''
  return found === 0 ? `Nothing found for “${search}”.` : `${count(found, 'operation')} found.`
}
