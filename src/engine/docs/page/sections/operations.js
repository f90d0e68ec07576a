/** @import { TaggedOperations } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { ImmutableMap, Part, System } from '../swagger-ui/types.js' */
import { slugOf } from '../basics/words.js'
import { searchText } from '../contents/search.js'
import { findings } from '../contents/search-index.js'
import { groupsOf, keyOf, onceFor } from '../document/contents.js'

/**
 * The operations by tag, and the tags by parent, in the document's order.
 * @param {Tools} tools
 * @returns {Part}
 */
export function operationsPart({ h, ui, contents, tagNamed, component, Markdown }) {
  /** @type {Part['components']} */
  const components = {
    operations: () => {
      const search = searchText(ui)
      const found = findings(contents(), search).operations
      return h(
        'div',
        { className: 'tag-tree', id: 'operations', tabIndex: -1 },
        search &&
          found.length === 0 &&
          h(
            'p',
            { className: 'nothing-found' },
            `No operation for “${search}”. `,
            h('a', { href: '#/', onClick: () => ui().layoutActions.updateFilter('') }, 'Show all'),
          ),
        groupsOf(found, contents()).map(({ name, tags }) => {
          /**
           * @param {TaggedOperations} tagged
           * @param {2 | 3} level
           */
          const section = ({ tag, operations }, level) =>
            h(component('OperationTag'), { key: tag, tag, operations, level })
          return tags.every(({ tag }) => tag === name)
            ? tags.map(member => section(member, 2))
            : h(
                'section',
                { key: name, className: 'tag-group', 'aria-labelledby': `tag-group-${slugOf(name)}` },
                h(
                  'h2',
                  { id: `tag-group-${slugOf(name)}` },
                  name,
                  h('small', { className: 'hint' }, tagNamed(name).description ?? tagNamed(name).summary),
                ),
                tags.map(member => section(member, member.tag === name ? 2 : 3)),
              )
        }),
      )
    },

    /** A tag as a heading with one button, and its operations. */
    OperationTag: ({ tag, operations, level = 2 }) => {
      const key = ['operations-tag', tag]
      const open = ui().layoutSelectors.isShown(key, true)
      const Place = component('Place')
      const Collapse = component('Collapse')
      const id = `operations-tag-${tag.replaceAll(' ', '_')}`
      const { summary = '', description = summary } = tagNamed(tag)
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
          operations.map(operation =>
            h(Place, { key: keyOf(operation.path, operation.method), tag, operation }),
          ),
        ),
      )
    },
  }

  /** On a wide screen, a reader without a target in the address sees the first operation open. */
  const beginsOpen = location.hash.length < 2 && innerWidth >= 1200
  const firstOf = onceFor(found => groupsOf(found.operations, found).flatMap(({ tags }) => tags)[0])
  /** @param {readonly string[]} key */
  const isFirst = ([kind, tag, id]) => {
    const first = firstOf(contents())
    return kind === 'operations' && tag === first?.tag && id === first?.operations[0]?.id
  }

  /**
   * Matches of the search must be visible, in closed tags too.
   * @param {System['layoutSelectors']['isShown']} original
   * @returns {(state: ImmutableMap<{ filter: unknown }>, key: readonly string[], otherwise?: boolean) => boolean}
   */
  const isShown = original => (state, key, otherwise) =>
    (key[0] === 'operations-tag' && Boolean(state.get('filter'))) ||
    original(key, otherwise || (beginsOpen && key.length === 3 && isFirst(key)))

  return { components, statePlugins: { layout: { wrapSelectors: { isShown } } } }
}
