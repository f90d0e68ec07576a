// biome-ignore lint/suspicious/noRedundantUseStrict: the page loads this as a script, not as a module
'use strict'
// What the docs page has beyond plain Swagger UI. Everything it shows comes from the served document and the responses.

/** Where the API key is kept, in the storage of the tab or, if the reader wishes so, of the browser. */
const storageKey = 'docs.authorized'

/** The document's own address where the page is at its usual one; else that which leads there. */
const documentAt = format => {
  const home = location.pathname.replace(/\/(static\/index\.html)?$/, '')
  return home === '/docs' ? `/openapi.${format}` : `${home}/${format}`
}

/**
 * The plugin of this page, in the form that Swagger UI asks for.
 * @param {any} system Swagger UI's own: React, selectors and actions
 */
// biome-ignore lint/correctness/noUnusedVariables: Swagger UI's configuration calls it
function docsPlugin(system) {
  const { React } = system
  // Asked anew each time: `system` itself is older than this plugin's parts.
  const ui = system.getSystem
  const h = React.createElement

  /** A field of an operation as the document has it; extensions included. */
  const field = (path, method, name) => ui().specSelectors.specJson().getIn(['paths', path, method, name])
  const plain = value => value?.toJS?.() ?? value
  const tags = () => plain(ui().specSelectors.specJson().get('tags')) ?? []
  const tagNamed = name => tags().find(tag => tag.name === name) ?? { name }

  /** Every operation with its tag, whatever the search hides. */
  const findOperation = id => {
    for (const [path, methods] of Object.entries(plain(ui().specSelectors.paths())))
      for (const [method, { operationId, tags: [tag] = ['default'] }] of Object.entries(methods))
        if (id && operationId === id) return { path, method, id, tag }
    return undefined
  }

  /** Opens an operation, scrolls to it and puts the keyboard there. */
  const goTo = ({ tag, id }) => {
    ui().layoutActions.updateFilter('')
    ui().layoutActions.show(['operations-tag', tag], true)
    ui().layoutActions.show(['operations', tag, id], true)
    requestAnimationFrame(() => {
      const block = document.querySelector(`.opblock[id$="-${CSS.escape(id)}"]`)
      block?.scrollIntoView({ block: 'start' })
      block?.querySelector('button')?.focus({ preventScroll: true })
    })
  }

  const components = {
    /** Else Swagger UI warns that it has no field for 64-bit integers; as text nothing is rounded. */
    JsonSchema_integer_int64: props => h(ui().getComponent('JsonSchema_string'), props),

    /** The address of the service; there is one, so nothing to choose. */
    ServersContainer: () => {
      const { url, variables = {} } = plain(ui().specSelectors.servers().first())
      const filled = url.replace(/\{(\w+)\}/g, (_, name) => variables[name].default)
      return h('p', { className: 'base-url' }, 'Base URL ', h('code', null, filled))
    },

    InfoUrl: () =>
      h(
        'p',
        { className: 'document-links' },
        'The document: ',
        h('a', { href: documentAt('yaml') }, 'openapi.yaml'),
        ', ',
        h('a', { href: documentAt('json') }, 'openapi.json'),
      ),

    /** What stands between the introduction and the operations. */
    FilterContainer: () => h(React.Fragment, null, h(Plans), h(Search), h(Quota)),

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

  const wrapComponents = {
    InfoContainer: Original => props => h('header', { role: 'banner' }, h(Original, props)),

    /** The path, and beside it what the reader should know before using it. */
    OperationSummaryPath: Original => props => {
      const { path, method } = props.operationProps.toObject()
      const stability = field(path, method, 'x-stability')
      return h(
        React.Fragment,
        null,
        h(Original, props),
        stability && h('span', { className: `badge badge-${stability}` }, stability),
        field(path, method, 'deprecated') && h('span', { className: 'badge badge-deprecated' }, 'deprecated'),
      )
    },

    OperationSummary: Original => props => {
      const { path, method } = props.operationProps.toObject()
      return h(
        React.Fragment,
        null,
        h(Original, props),
        field(path, method, 'deprecated') && h(Deprecation, { path, method }),
      )
    },

    authorizationPopup: Original => props => h(Dialog, null, h(Original, props)),

    /** The form for a key, and the choice how long to keep it. */
    AuthItem: Original => props =>
      h(
        React.Fragment,
        null,
        h(Original, props),
        h(
          'label',
          { className: 'remember-key' },
          h('input', {
            type: 'checkbox',
            defaultChecked: remembering,
            onChange: event => remember(event.target.checked),
          }),
          ' Remember on this computer',
          h('small', { className: 'hint' }, 'Otherwise the key is forgotten when this tab is closed.'),
        ),
      ),
  }

  /** Keeps the keyboard inside while it is open, and gives it back to where it was. */
  function Dialog({ children }) {
    const box = React.useRef(null)
    const [opener] = React.useState(() => document.activeElement)
    const controls = () => [...box.current.querySelectorAll('a[href], button, input')]
    React.useEffect(() => {
      if (!box.current.contains(document.activeElement)) controls()[0]?.focus()
      return () => opener?.focus()
    }, [])
    const onKeyDown = event => {
      if (event.key !== 'Tab') return
      const [first, last] = [controls()[0], controls().at(-1)]
      if (document.activeElement !== (event.shiftKey ? first : last)) return
      event.preventDefault()
      ;(event.shiftKey ? last : first).focus()
    }
    return h(
      'div',
      { ref: box, role: 'dialog', 'aria-modal': true, 'aria-label': 'Authorize', onKeyDown },
      children,
    )
  }

  /** Since when, until when, and what comes instead. */
  function Deprecation({ path, method }) {
    const since = field(path, method, 'x-deprecated-at')
    const sunset = field(path, method, 'x-deprecated-sunset')
    const successor = findOperation(field(path, method, 'x-successor'))
    const follow = event => {
      event.preventDefault()
      if (successor) goTo(successor)
    }
    return h(
      'p',
      { className: 'deprecation' },
      'Deprecated',
      since && [' since ', h(Day, { key: 'since', date: since })],
      sunset && [`, ${daysUntil(sunset) > 0 ? 'ends' : 'ended'} `, h(Day, { key: 'sunset', date: sunset })],
      sunset &&
        daysUntil(sunset) > 0 && [
          ', ',
          h('strong', { key: 'left' }, count(daysUntil(sunset), 'day'), ' left'),
        ],
      '.',
      successor && [
        ' Use ',
        h(
          'a',
          {
            key: 'successor',
            href: `#/${encodeURIComponent(successor.tag)}/${successor.id}`,
            onClick: follow,
          },
          `${successor.method.toUpperCase()} ${successor.path}`,
        ),
        ' instead.',
      ],
    )
  }

  const Day = ({ date }) =>
    h(
      'time',
      { dateTime: date },
      new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
    )

  /** The plans of `x-rate-limits`, a row each, and what happens to those who do not stop. */
  function Plans() {
    const limits = plain(ui().specSelectors.specJson().get('x-rate-limits'))
    if (!limits) return null
    const { windows, plans, anonymous, ban } = limits
    return h(
      'section',
      { className: 'plans wrapper', 'aria-labelledby': 'plans' },
      h('h2', { id: 'plans' }, 'Plans'),
      h(
        'table',
        null,
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, 'Plan'),
            windows.map(({ name }) => h('th', { key: name, scope: 'col' }, `Requests per ${name}`)),
          ),
        ),
        h(
          'tbody',
          null,
          Object.entries(plans).map(([name, quota]) =>
            h(
              'tr',
              { key: name },
              h('th', { scope: 'row' }, name),
              windows.map(window =>
                h(
                  'td',
                  { key: window.name },
                  quota.custom ? 'custom' : quota[window.name].toLocaleString('en-US'),
                ),
              ),
            ),
          ),
        ),
      ),
      h(
        'p',
        null,
        ban &&
          `A key that is refused ${ban.refusals} times in one ${ban.window} is banned for ${duration(ban.seconds)}. `,
        anonymous && `Calls without a valid key share the ${anonymous} allowance of their address.`,
      ),
    )
  }

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
      { className: 'search wrapper', role: 'search' },
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
    )
  }

  /** What is left of the caller's quota, as the last response told; nothing before there was one. */
  function Quota() {
    const { limit, remaining, reset } = ui().quotaSelectors.latest()
    const [now, setNow] = React.useState(Date.now())
    React.useEffect(() => {
      setNow(Date.now())
      const timer = setInterval(() => setNow(Date.now()), 1000)
      return () => clearInterval(timer)
    }, [reset, remaining])
    if (limit === undefined) return null
    const seconds = Math.ceil(reset - now / 1000)
    return h(
      'aside',
      { className: 'quota', 'aria-label': 'Your remaining requests' },
      h('meter', {
        min: 0,
        max: limit,
        low: limit * 0.2,
        optimum: limit,
        value: remaining,
        'aria-label': 'Requests left',
      }),
      h(
        'span',
        null,
        h('strong', null, remaining.toLocaleString('en-US')),
        ` of ${limit.toLocaleString('en-US')} left, `,
        seconds > 0 ? `resets in ${duration(seconds, true)}` : 'reset by now',
      ),
    )
  }

  /** Whether the reader wants the key kept in the browser, not only in the tab. */
  let remembering = false

  /** Keeps the key in the browser from now on, or in the tab only. */
  function remember(choice) {
    remembering = choice
    keepKey()
  }

  /** Writes the key where the reader wants it, and removes it everywhere else. */
  function keepKey() {
    const authorized = JSON.stringify(ui().authSelectors.authorized())
    const kept = remembering ? localStorage : sessionStorage
    for (const storage of [localStorage, sessionStorage]) storage.removeItem(storageKey)
    if (authorized !== '{}') kept.setItem(storageKey, authorized)
  }

  function restoreKey() {
    remembering = localStorage.getItem(storageKey) !== null
    const authorized = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
    if (authorized) ui().authActions.restoreAuthorization({ authorized: JSON.parse(authorized) })
  }

  const statePlugins = {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: original => (_state, path, method) =>
          !field(path, method, 'x-hideTryItPanel') && original(path, method),
      },
      wrapActions: {
        setResponse: original => (path, method, response) => {
          const quota = quotaOf(response.headers ?? response.err?.response?.headers ?? {})
          if (quota) ui().quotaActions.observe(quota)
          return original(path, method, response)
        },
      },
    },
    layout: {
      wrapSelectors: {
        // What the search finds must be seen, in closed tags too.
        isShown: original => (state, key, otherwise) =>
          (key[0] === 'operations-tag' && Boolean(state.get('filter'))) || original(key, otherwise),
      },
    },
    auth: { wrapActions: { persistAuthorizationIfNeeded: () => keepKey } },
    configs: {
      wrapActions: {
        loaded:
          original =>
          (...values) => {
            original(...values)
            restoreKey()
          },
      },
    },
    quota: {
      actions: { observe: quota => ({ type: 'quota_observe', payload: quota }) },
      reducers: { quota_observe: (state, { payload }) => state.merge(payload) },
      selectors: { latest: state => state.toJS() },
    },
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

  return { components, wrapComponents, statePlugins, fn: { opsFilter }, afterLoad: followColorScheme }
}

/** Swagger UI has a dark style but leaves it to its top bar to switch it on. */
function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}

/** The state of the quota in a response's headers, if it tells one; `reset` in Unix seconds. */
function quotaOf(headers) {
  const read = name => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
  const quota = { limit: read('limit'), remaining: read('remaining'), reset: read('reset') }
  return Object.values(quota).some(Number.isNaN) ? undefined : quota
}

function searchResult(search, found) {
  if (!search) return ''
  return found === 0 ? `Nothing found for “${search}”.` : `${count(found, 'operation')} found.`
}

/** Whole days from now until the date begins, UTC. */
function daysUntil(date) {
  return Math.ceil((Date.parse(date) - Date.now()) / 86_400_000)
}

function count(number, noun) {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}

const second = { size: 1, noun: 'second', symbol: 's' }
const units = [
  { size: 86_400, noun: 'day', symbol: 'd' },
  { size: 3_600, noun: 'hour', symbol: 'h' },
  { size: 60, noun: 'minute', symbol: 'min' },
]

/** Seconds in the largest unit that does not lose much. */
function duration(seconds, short = false) {
  const { size, noun, symbol } = units.find(unit => seconds >= 2 * unit.size) ?? second
  const number = Math.round(seconds / size)
  return short ? `${number} ${symbol}` : count(number, noun)
}
