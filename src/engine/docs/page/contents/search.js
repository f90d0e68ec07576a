/** @import { KeyboardEvent as KeyEvent } from 'react' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
/** @import { Hit, Match } from './search-index.js' */
import { count, shortMethod } from '../basics/words.js'
import { findings } from './search-index.js'

/**
 * The search: its field, and the list of matches, each with the text that matched.
 * @param {Tools} tools
 * @returns {Part}
 */
export function searchPart({ React, h, ui, contents }) {
  function Search() {
    /** @type {{ current: HTMLInputElement | null }} */
    const input = React.useRef(null)
    React.useEffect(() => {
      /** @param {KeyboardEvent} event */
      const focus = event => {
        const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
        const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
        const isTyping =
          event.target instanceof Element &&
          event.target.closest('input, textarea, select, [contenteditable]')
        if (!isCommand && (!isSlash || isTyping)) return
        event.preventDefault()
        const menu = document.querySelector('.bar .menu')
        // A search in a closed drawer opens the drawer first, which then focuses the search.
        if (menu instanceof HTMLElement && menu.checkVisibility()) menu.click()
        input.current?.focus()
      }
      document.addEventListener('keydown', focus)
      return () => document.removeEventListener('keydown', focus)
    }, [])
    const search = searchText(ui)
    /** @param {KeyEvent} event */
    const onKeyDown = event => {
      if (event.key === 'Escape' && search) ui().layoutActions.updateFilter('')
      const [first] = resultLinks()
      if (!search || !first || !['ArrowDown', 'Enter'].includes(event.key)) return
      event.preventDefault()
      if (event.key === 'Enter') first.click()
      else first.focus()
    }
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
          title: 'By path, name, description, parameter, field, header, status, code of error or schema',
          autoComplete: 'off',
          spellCheck: false,
          'aria-keyshortcuts': '/ Control+K Meta+K',
          value: search,
          onChange: event => ui().layoutActions.updateFilter(event.target.value),
          onKeyDown,
        }),
        h('kbd', { 'aria-hidden': true, title: 'Press / or Ctrl+K to search' }, '/'),
      ),
      h(
        'p',
        { className: 'search-count', role: 'status' },
        search && countOf(search, findings(contents(), search)),
      ),
    )
  }

  /**
   * The matches of a search. The arrow keys go from one to the next, and from the first back to the field.
   * @param {{ close(): void }} props
   */
  function Results({ close }) {
    /** @param {KeyEvent} event */
    const onKeyDown = event => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      const links = resultLinks()
      const { activeElement } = document
      const present = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
      const next = present + (event.key === 'ArrowDown' ? 1 : -1)
      if (next < 0) document.getElementById('search')?.focus()
      else links[next]?.focus()
    }
    return h(
      'ul',
      { className: 'results', onKeyDown },
      findings(contents(), searchText(ui)).hits.map(hit =>
        h(
          'li',
          { key: hit.href },
          h(
            'a',
            { className: 'nostyle', href: hit.href, onClick: close },
            hit.of &&
              h('span', { className: `nav-method method-${hit.of.method}` }, shortMethod(hit.of.method)),
            h('span', { className: 'nav-name' }, h(Title, { hit })),
            !hit.of && h('span', { className: 'result-kind' }, hit.kind),
          ),
          hit.places.filter(({ text }) => text !== hit.title).map((place, i) => h(Reason, { key: i, place })),
        ),
      ),
    )
  }

  /**
   * A title with its matching part marked.
   * @param {{ hit: Hit }} props
   */
  function Title({ hit: { title, kind, places } }) {
    const place = places.find(({ text }) => text === title)
    const content = place ? marked(title, place) : title
    return kind === 'code' || kind === 'schema' ? h('code', null, content) : content
  }

  /**
   * The text that matched, if it is not the title.
   * @param {{ place: Match }} props
   */
  const Reason = ({ place: { label, text, at, length } }) => {
    const from = at > 40 ? text.indexOf(' ', at - 30) + 1 : 0
    const begin = from > 0 && from <= at ? from : 0
    const excerpt = text.slice(begin, at + length + 60).replace(/\s/g, ' ')
    return h(
      'p',
      { className: 'result-reason' },
      label && `${label} `,
      begin > 0 && '… ',
      marked(excerpt, { at: at - begin, length }),
      at + length + 60 < text.length && ' …',
    )
  }

  /**
   * @param {string} text
   * @param {{ at: number, length: number }} place
   */
  const marked = (text, { at, length }) => [
    text.slice(0, at),
    h('mark', { key: 'mark' }, text.slice(at, at + length)),
    text.slice(at + length),
  ]

  return { components: { Search, Results } }
}

/**
 * Returns the text of the search, '' for none.
 * @param {Tools['ui']} ui
 */
export function searchText(ui) {
  const search = ui().layoutSelectors.currentFilter()
  return typeof search === 'string' ? search : ''
}

function resultLinks() {
  /** @type {NodeListOf<HTMLElement>} */
  const links = document.querySelectorAll('.results a')
  return [...links]
}

/**
 * @param {string} search
 * @param {{ hits: Hit[], isThere: boolean }} found
 */
function countOf(search, { hits, isThere }) {
  if (!isThere) return `Nothing found for “${search}”.${hits.length > 0 ? ' This is nearest:' : ''}`
  /** @param {Hit['kind'][]} kinds */
  const of = (...kinds) => hits.filter(({ kind }) => kinds.includes(kind)).length
  const counts = [
    { number: of('operation'), noun: 'operation' },
    { number: of('chapter', 'code'), noun: 'chapter' },
    { number: of('schema'), noun: 'schema' },
  ]
  return counts.flatMap(({ number, noun }) => (number > 0 ? [count(number, noun)] : [])).join(', ')
}
