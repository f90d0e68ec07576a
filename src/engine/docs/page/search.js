/** The search among the operations, which finds in closed tags too. */
function searchPart({ React, h, ui, tagNamed }) {
  function Search() {
    const input = React.useRef(null)
    React.useEffect(() => {
      const focus = event => {
        if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
        if (event.target.closest('input, textarea, select, [contenteditable]')) return
        event.preventDefault()
        input.current.focus()
      }
      document.addEventListener('keydown', focus)
      return () => document.removeEventListener('keydown', focus)
    }, [])
    const search = ui().layoutSelectors.currentFilter()
    return h(
      'div',
      { className: 'search wrapper' },
      h(
        'div',
        { role: 'search' },
        h('label', { htmlFor: 'search', className: 'visually-hidden' }, 'Search the operations'),
        h('input', {
          id: 'search',
          ref: input,
          type: 'search',
          placeholder: 'Search by path, name or description',
          autoComplete: 'off',
          spellCheck: false,
          'aria-keyshortcuts': '/',
          value: typeof search === 'string' ? search : '',
          onChange: event => ui().layoutActions.updateFilter(event.target.value),
        }),
        h('kbd', { 'aria-hidden': true, title: 'Press / to search' }, '/'),
      ),
      // Beside it, where it covers nothing.
      h(ui().getComponent('Quota')),
    )
  }

  /** Keeps the operations that have every word of the search somewhere in what describes them. */
  const opsFilter = (taggedOperations, search) => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const isHit = (tag, op) => {
      const operation = op.get('operation')
      const text = [
        op.get('method'),
        op.get('path'),
        ...['operationId', 'summary', 'description'].map(name => operation.get(name)),
        tag,
        tagNamed(tag)['x-parent'],
      ]
      const haystack = text.join('\n').toLowerCase()
      return words.every(word => haystack.includes(word))
    }
    return taggedOperations
      .map((tagObj, tag) =>
        tagObj.update('operations', operations => operations.filter(op => isHit(tag, op))),
      )
      .filter(tagObj => tagObj.get('operations').size > 0)
  }

  const statePlugins = {
    layout: {
      wrapSelectors: {
        // What the search finds must be seen, in closed tags too.
        isShown: original => (state, key, otherwise) =>
          (key[0] === 'operations-tag' && Boolean(state.get('filter'))) || original(key, otherwise),
      },
    },
  }
  return { components: { Search }, statePlugins, fn: { opsFilter } }
}
