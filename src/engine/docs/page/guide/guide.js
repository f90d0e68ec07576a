/** @import { Contents } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { addressOf } from '../basics/addresses.js'
import { slugOf } from '../basics/words.js'
import { chaptersOf } from '../document/chapters.js'
import { codesIn } from '../document/codes.js'

/**
 * The guide: the chapters of the document's description, and those made from the rest of the document.
 * @param {Tools} tools
 * @returns {Part}
 */
export function guidePart({ React, h, contents, component, Markdown }) {
  /** Rendered once. Its changing parts update themselves. */
  const Guide = React.memo(() => {
    /** @type {{ current: HTMLElement | null }} */
    const box = React.useRef(null)
    React.useEffect(() => {
      if (!box.current) return
      nameSections(box.current)
      linkNames(box.current, contents())
    })
    return h(
      'article',
      { className: 'guide', ref: box, 'aria-label': 'Guide' },
      chaptersOf(contents()).map(({ id, title, source, made }) =>
        h(
          'section',
          { key: id, className: 'chapter', 'aria-labelledby': id },
          h(
            'h2',
            { id, 'data-place': id },
            title,
            h('a', { className: 'section-link', href: `#${id}`, 'aria-label': `Link to ${title}` }, '#'),
          ),
          source && h(Markdown, { source }),
          made.map(name => h(component(name, true), { key: name })),
        ),
      ),
    )
  })

  return { components: { Guide } }
}

/**
 * Gives each heading inside a chapter its own address, and a link to it.
 * @param {HTMLElement} guide
 */
function nameSections(guide) {
  for (const heading of guide.querySelectorAll(
    ':is(.markdown, .renderedMarkdown) :is(h1, h2, h3, h4):not([id])',
  )) {
    const name = slugOf(heading.textContent)
    let id = name
    for (let i = 2; document.getElementById(id); i++) id = `${name}-${i}`
    const link = document.createElement('a')
    link.href = `#${id}`
    link.className = 'section-link'
    link.ariaLabel = `Link to ${heading.textContent}`
    link.textContent = '#'
    heading.id = id
    heading.append(' ', link)
  }
}

/**
 * Turns the names of operations and the error codes in a text into links.
 * @param {HTMLElement} guide
 * @param {Contents} found
 */
function linkNames(guide, found) {
  const operations = new Map(found.operations.map(operation => [operation.id, addressOf(operation)]))
  const codes = new Map(codesIn(found).map(({ code }) => [code, `#errors/${code}`]))
  for (const name of guide.querySelectorAll(':is(.markdown, .renderedMarkdown) :not(a, pre) > code')) {
    const address = operations.get(name.textContent) ?? codes.get(name.textContent)
    if (address === undefined || name.closest('a')) continue
    const link = document.createElement('a')
    link.href = address
    name.replaceWith(link)
    link.append(name)
  }
}
