/** The search: in operations, chapters and codes of errors. What it finds is listed at the left and in the middle. */
function searchPart({ React, h, ui, contents, tagNamed }) {
  function Search() {
    const input = React.useRef(null)
    React.useEffect(() => {
      const focus = event => {
        const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
        const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
        const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
        if (!isCommand && (!isSlash || isTyping)) return
        event.preventDefault()
        const menu = document.querySelector('.bar .menu')
        // Where the search is in a drawer, that has to be opened first; it focuses the search itself.
        if (menu instanceof HTMLElement && menu.checkVisibility()) menu.click()
        input.current.focus()
      }
      document.addEventListener('keydown', focus)
      return () => document.removeEventListener('keydown', focus)
    }, [])
    const search = searchText(ui)
    const { operations, chapters } = findings(search)
    return h(
      'div',
      { className: 'search' },
      h(
        'div',
        { role: 'search' },
        h('label', { htmlFor: 'search', className: 'visually-hidden' }, 'Search the docs'),
        h('input', {
          id: 'search',
          ref: input,
          type: 'search',
          placeholder: 'Search',
          title: 'By path, name, description, parameter, field, status or code of error',
          autoComplete: 'off',
          spellCheck: false,
          'aria-keyshortcuts': '/ Control+K Meta+K',
          value: search,
          onChange: event => ui().layoutActions.updateFilter(event.target.value),
          onKeyDown: event => event.key === 'Escape' && search && ui().layoutActions.updateFilter(''),
        }),
        h('kbd', { 'aria-hidden': true, title: 'Press / or Ctrl+K to search' }, '/'),
      ),
      h(
        'p',
        { className: 'search-count', role: 'status' },
        search && searchResult(search, operations.length, chapters.length),
      ),
    )
  }

  /** All that has every word of a search somewhere in what describes it. */
  const findings = search => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return { operations: contents().operations, chapters: [] }
    const found = texts(contents())
    const isHit = ({ text }) => words.every(word => text.includes(word))
    return {
      operations: found.operations.filter(isHit).map(({ of }) => of),
      chapters: found.chapters.filter(isHit).map(({ of }) => of),
    }
  }

  /** The texts that are searched, made once for a document. */
  const made = new WeakMap()
  const texts = found => {
    const known = made.get(found)
    if (known) return known
    const own = {
      operations: found.operations.map(of => ({ of, text: textOfOperation(of, found, tagNamed(of.tag)) })),
      chapters: [...chaptersOf(found), ...codesIn(found).map(codeChapter)].map(of => ({
        of,
        text: `${of.title}\n${of.source ?? ''}`.toLowerCase(),
      })),
    }
    made.set(found, own)
    return own
  }

  return { components: { Search }, fn: { findings } }
}

/** What is searched for; '' for nothing. */
function searchText(ui) {
  const search = ui().layoutSelectors.currentFilter()
  return typeof search === 'string' ? search : ''
}

function textOfOperation({ id, method, path, operation, parameters, body, responses }, { resolve }, tag) {
  const fields = [body, ...responses.map(({ response }) => response)].flatMap(part => {
    const schema = mediaOf(part?.content)?.schema
    return schema ? namesIn(schema, resolve) : []
  })
  return [
    method,
    path,
    id,
    operation.summary,
    operation.description,
    tag.name,
    tag['x-parent'],
    ...parameters.map(({ name }) => name),
    ...responses.flatMap(({ status, response }) => [status, ...codesOf(response)]),
    ...new Set(fields),
  ]
    .filter(Boolean)
    .join('\n')
    .toLowerCase()
}

/** The names of the fields of a schema and of those below. */
function namesIn(written, resolve, depth = 0) {
  const { properties = {}, items, oneOf = [], anyOf = [] } = wholeOf(written, resolve)
  if (depth > 3) return []
  const below = [...Object.values(properties), ...(items ? [items] : []), ...oneOf, ...anyOf]
  return [...Object.keys(properties), ...below.flatMap(schema => namesIn(schema, resolve, depth + 1))]
}

function searchResult(search, operations, chapters) {
  if (operations + chapters === 0) return `Nothing found for “${search}”.`
  return [operations > 0 && count(operations, 'operation'), chapters > 0 && count(chapters, 'chapter')]
    .filter(Boolean)
    .join(', ')
}
