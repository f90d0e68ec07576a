/** Changes: the operations that end, with their dates, and the changelog of each release. */
function changesPart({ React, h, contents, findOperation, Markdown }) {
  function Changes() {
    const [releases, setReleases] = React.useState([])
    React.useEffect(() => {
      const address = docsLinks().changes
      if (address)
        fetch(address)
          .then(reply => (reply.ok ? reply.text() : ''))
          .then(text => setReleases(partsOfText(text.replace(/^# .*$/m, '')).parts))
          .catch(() => {}) // the reader can open the changelog by its link
    }, [])
    const ending = endingIn(contents())
    return h(
      'div',
      { className: 'changes' },
      ending.length > 0 && h(Calendar, { ending }),
      docsLinks().changes && h('h3', { id: 'releases' }, 'Releases'),
      releases.map(({ title, source }) => h(Release, { key: title, title, source })),
    )
  }

  /** The operations that end, with their dates, the earliest first. */
  function Calendar({ ending }) {
    const address = docsLinks().sunsets
    return h(
      'section',
      { className: 'sunsets', 'aria-labelledby': 'ends' },
      h('h3', { id: 'ends' }, 'What ends when'),
      h(
        'ul',
        null,
        ending.map(operation => {
          const { id, operation: written } = operation
          const successor = findOperation(written['x-successor'])
          const sunset = written['x-deprecated-sunset']
          const left = daysUntil(sunset)
          return h(
            'li',
            { key: id },
            h('time', { dateTime: sunset }, dayOf(sunset)),
            left > 0 ? ` (${count(left, 'day')} left): ` : ' (over): ',
            h('a', { href: addressOf(operation) }, id),
            successor && [', then ', h('a', { key: 'then', href: addressOf(successor) }, successor.id)],
          )
        }),
      ),
      address &&
        h('p', null, h('a', { href: address, download: 'sunsets.ics' }, 'Add to your calendar (.ics)')),
    )
  }

  function Release({ title, source }) {
    const isNew = isNewer(title, seenBefore)
    return h(
      'section',
      { className: isNew ? 'release new' : 'release' },
      h(
        'h4',
        null,
        title,
        isNew && h('span', { className: 'badge badge-beta' }, 'new since your last visit'),
      ),
      source && h(Markdown, { source }),
    )
  }

  /** The version that the reader saw at the previous visit; null at the first visit. */
  let seenBefore = null
  const key = 'docs.seen'
  /** Notes the version that the reader sees, and the one before. A tab counts as one visit. */
  const note = () => {
    const { version } = contents().document.info ?? {}
    if (!version) return
    seenBefore = sessionStorage.getItem(key) ?? localStorage.getItem(key)
    if (seenBefore) sessionStorage.setItem(key, seenBefore)
    localStorage.setItem(key, version)
  }

  return { components: { Changes }, fn: { noteVisit: note } }
}

/** The operations that have a sunset date, the earliest first. */
const endingIn = ({ operations }) =>
  operations
    .filter(({ operation }) => operation.deprecated && operation['x-deprecated-sunset'])
    .sort((a, b) =>
      String(a.operation['x-deprecated-sunset']).localeCompare(String(b.operation['x-deprecated-sunset'])),
    )

/** Whether the version in a release's title is later than a version that the reader saw. */
function isNewer(title, seen) {
  const numbers = text => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  if (!seen) return false
  const [a, b] = [numbers(title), numbers(seen)]
  const at = a.findIndex((number, i) => number !== (b[i] ?? 0))
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}
