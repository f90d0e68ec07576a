/** The schemas of the document by their names, each shown on wish. */
function schemasPart({ React, h, contents, component }) {
  const components = {
    Models: () => {
      const [isOpen, setOpen] = React.useState(false)
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

  function Schema({ name }) {
    const [isOpen, setOpen] = React.useState(false)
    return h(
      'div',
      { className: 'schema' },
      h('button', { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) }, name),
      isOpen &&
        h(component('Fields'), {
          schema: { $ref: `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` },
        }),
    )
  }

  return { components }
}
