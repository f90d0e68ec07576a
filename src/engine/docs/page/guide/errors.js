/** @import { Operation } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { addressOf } from '../basics/addresses.js'
import { codesIn } from '../document/codes.js'

/** Whether the screen has room for all of them. On a phone each opens on request. */
const isWide = matchMedia('(min-width: 641px)')

/**
 * The error codes. Each has a section of its own on the page, `#errors/not_found`.
 * @param {Tools} tools
 * @returns {Part}
 */
export function errorsPart({ h, contents, component, Markdown }) {
  /** All codes, each with its status, cause, remedy, an example and its operations. */
  function ErrorCodes() {
    return h(
      'div',
      { className: 'error-codes' },
      codesIn(contents()).map(({ code, statuses, description, example, operations }) =>
        h(
          'details',
          { key: code, className: 'error-code', open: isWide.matches },
          h(
            'summary',
            null,
            h(
              'h3',
              { id: `errors/${code}`, 'data-place': `errors/${code}` },
              statuses.map(status => h('span', { key: status, className: 'status' }, status)),
              h('code', null, code),
            ),
          ),
          h(
            'div',
            { className: 'error-code-body' },
            h(
              'a',
              { className: 'section-link', href: `#errors/${code}`, 'aria-label': `Link to ${code}` },
              '#',
            ),
            h(
              'div',
              null,
              description && h(Markdown, { source: description }),
              operations.length > 0 && h(Where, { operations }),
            ),
            h(component('Code'), { text: JSON.stringify(example, null, 2), label: `An example of ${code}` }),
          ),
        ),
      ),
    )
  }

  /**
   * The operations that may answer with a code. If all may, there is no list.
   * @param {{ operations: Operation[] }} props
   */
  function Where({ operations }) {
    const all = contents().operations.length
    if (operations.length > all * 0.6)
      return h('p', { className: 'where' }, operations.length === all ? 'Any operation.' : 'Most operations.')
    return h(
      'p',
      { className: 'where' },
      operations.flatMap((operation, i) => [
        i > 0 ? ', ' : '',
        h('a', { key: operation.id, href: addressOf(operation) }, operation.id),
      ]),
    )
  }

  return { components: { ErrorCodes } }
}
