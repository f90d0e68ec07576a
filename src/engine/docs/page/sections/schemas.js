/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { decoded } from '../basics/addresses.js'
import { count } from '../basics/words.js'

/**
 * The schemas of the document by name. Each opens on request.
 * @param {Tools} tools
 * @returns {Part}
 */
export function schemasPart({ React, h, contents, component }) {
  /**
   * Whether a section is open: after the reader opened it, or if the address leads into it.
   * @param {(hash: string) => boolean} leadsHere
   */
  const useOpen = leadsHere => {
    const [isOpen, setOpen] = React.useState(() => leadsHere(location.hash))
    React.useEffect(() => {
      const follow = () => {
        if (leadsHere(location.hash)) setOpen(true)
      }
      addEventListener('hashchange', follow)
      return () => removeEventListener('hashchange', follow)
    }, [])
    return { isOpen, setOpen }
  }

  /** @type {Part['components']} */
  const components = {
    Models: () => {
      const { isOpen, setOpen } = useOpen(hash => hash.startsWith('#schemas/'))
      const names = Object.keys(contents().document.components?.schemas ?? {})
      if (names.length === 0) return null
      return h(
        'section',
        { className: 'schemas', 'aria-labelledby': 'schemas', 'data-place': 'schemas' },
        h(
          'h2',
          { className: 'opblock-tag', id: 'schemas' },
          h(
            'button',
            { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
            h('span', null, 'Schemas'),
            h(
              'small',
              { className: 'hint' },
              `The ${count(names.length, 'kind')} of values that bodies are made of.`,
            ),
            h(component(isOpen ? 'ArrowUpIcon' : 'ArrowDownIcon'), { className: 'arrow' }),
          ),
        ),
        isOpen && names.map(name => h(Schema, { key: name, name })),
      )
    },
  }

  /** @param {{ name: string }} props */
  function Schema({ name }) {
    const id = `schemas/${name}`
    const { isOpen, setOpen } = useOpen(hash => `${decoded(hash)}/`.startsWith(`#${id}/`))
    return h(
      'div',
      { className: 'schema', id },
      h('button', { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) }, name),
      isOpen &&
        h(component('Fields'), {
          schema: { $ref: `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` },
          address: id,
        }),
    )
  }

  return { components }
}
