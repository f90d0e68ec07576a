/** The replies of an operation: the success first and open, the others short, and what all have in common once. */
function responsesPart({ React, h }) {
  const wrapComponents = {
    responses: Original => props => {
      const { responses, getComponent } = props
      const [own, shared] = React.useMemo(() => withoutSharedHeaders(responses), [responses])
      const hasLinks = own.some(response => response?.get?.('links')?.size > 0)
      return h(
        'div',
        { className: hasLinks ? 'replies' : 'replies without-links' },
        h(Original, { ...props, responses: own }),
        shared.length > 0 && h(SharedHeaders, { shared, getComponent }),
      )
    },

    response: Original => props => {
      const { code, response, isDefault, className, getComponent } = props
      const [isOpen, setOpen] = React.useState(false)
      if (!/^[345]/.test(code) && (code !== 'default' || isDefault)) return h(Original, props)
      const Markdown = getComponent('Markdown', true)
      const hasMore = ['content', 'headers', 'links'].some(name => response.get(name)?.size > 0)
      const codes = response.get('x-codes')?.toArray?.() ?? []
      return h(
        React.Fragment,
        null,
        h(
          'tr',
          { className: `response ${className}`, 'data-code': code },
          h('td', { className: 'response-col_status' }, code),
          h(
            'td',
            { className: 'response-col_description' },
            h(
              'div',
              { className: 'reply-short' },
              h(Markdown, { source: response.get('description') ?? '' }),
              codes.map(name => h('code', { key: name }, name)),
              hasMore &&
                h(
                  'button',
                  {
                    type: 'button',
                    'aria-expanded': isOpen,
                    'aria-label': `Details of ${code}`,
                    onClick: () => setOpen(!isOpen),
                  },
                  isOpen ? 'Less' : 'Details',
                ),
            ),
          ),
          h('td', { className: 'response-col_links' }),
        ),
        isOpen && h(Original, { ...props, className: `${className} reply-detail` }),
      )
    },
  }

  function SharedHeaders({ shared, getComponent }) {
    const Markdown = getComponent('Markdown', true)
    const { size } = new Set(shared.map(({ name }) => name))
    return h(
      'details',
      { className: 'shared-headers' },
      h('summary', null, `Headers of most replies (${size})`),
      h(
        'div',
        { className: 'table-container' },
        h(
          'table',
          { className: 'headers' },
          h(
            'thead',
            null,
            h(
              'tr',
              null,
              ['Name', 'Description', 'Type', 'Replies'].map(text =>
                h('th', { key: text, scope: 'col' }, text),
              ),
            ),
          ),
          h(
            'tbody',
            null,
            shared.map(({ name, header, codes }) =>
              h(
                'tr',
                { key: `${name} ${codes}` },
                h('td', null, name),
                h('td', null, h(Markdown, { source: header.get('description') ?? '' })),
                h('td', null, header.getIn(['schema', 'type'])),
                h('td', null, codes),
              ),
            ),
          ),
        ),
      ),
    )
  }

  return { wrapComponents }
}

/**
 * The responses in their order for a reader, without the header fields that most of them have, and these fields, each
 * with the codes of the replies that have it so.
 */
function withoutSharedHeaders(responses) {
  const real = responses.filter((response, code) => !code.startsWith('x-') && response?.get)
  const entries = real
    .entrySeq()
    .toArray()
    .flatMap(([code, response]) =>
      (response.get('headers')?.entrySeq().toArray() ?? []).map(([name, header]) => ({ code, name, header })),
    )
  const byName = Map.groupBy(entries, ({ name }) => name)
  const isShared = name => (byName.get(name)?.length ?? 0) > Math.max(1, real.size / 2)
  const shared = [...byName].flatMap(([name, uses]) => {
    if (!isShared(name)) return []
    const kinds = Map.groupBy(uses, ({ header }) => header.get('description'))
    return [...kinds.values()].map(same => ({
      name,
      header: same[0].header,
      codes: same.length === real.size ? 'all' : same.map(({ code }) => code).join(', '),
    }))
  })
  const rank = code => ['2', '1', '3', 'd', '4', '5'].indexOf(code[0])
  const own = real
    .map(response => response.update('headers', headers => headers?.filter((_, name) => !isShared(name))))
    .sortBy((_, code) => rank(code))
  return [own, shared]
}
