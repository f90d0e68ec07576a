/** @import { TextPart } from '../document/chapters.js' */
/** @import { Operation } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { addressOf, docsLinks } from '../basics/addresses.js'
import { count, dayOf, daysUntil } from '../basics/words.js'
import { partsOfText } from '../document/chapters.js'
import { endingIn, sunsetOf } from '../document/contents.js'

/**
 * Changes: the operations that end, with their dates, and the changelog of each release.
 * @param {Tools} tools
 * @returns {Part}
 */
export function changesPart({ React, h, contents, findOperation, Markdown }) {
  function Changes() {
    /** @type {TextPart[]} */
    const none = []
    const [releases, setReleases] = React.useState(none)
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
      docsLinks().feed && h('p', null, h('a', { href: docsLinks().feed }, 'Follow them as a feed (Atom)')),
      releases.map(({ title, source }) => h(Release, { key: title, title, source })),
    )
  }

  /**
   * The operations that end, with their dates, the earliest first.
   * @param {{ ending: Operation[] }} props
   */
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
          const sunset = sunsetOf(operation)
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

  /** @param {TextPart} release */
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

  /**
   * The version that the reader saw at the previous visit; null at the first visit.
   * @type {string | null}
   */
  let seenBefore = null
  const key = 'docs.seen'
  /** Notes the version that the reader sees, and the one before. A tab counts as one visit. */
  const note = () => {
    const version = contents().document.info?.version
    if (!version) return
    seenBefore = sessionStorage.getItem(key) ?? localStorage.getItem(key)
    if (seenBefore) sessionStorage.setItem(key, seenBefore)
    localStorage.setItem(key, version)
  }

  return { components: { Changes }, fn: { noteVisit: note } }
}

/**
 * Whether the version in a release's title is later than a version that the reader saw.
 * @param {string} title
 * @param {string | null} seen
 */
function isNewer(title, seen) {
  /** @param {string} text */
  const numbers = text => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  if (!seen) return false
  const [a, b] = [numbers(title), numbers(seen)]
  const at = a.findIndex((number, i) => number !== (b[i] ?? 0))
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}
