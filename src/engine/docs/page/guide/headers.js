/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { commonHeadersOf } from '../document/headers.js'

/**
 * The header fields that most replies have, in one chapter.
 * @param {Tools} tools
 * @returns {Part}
 */
export function headersPart({ h, tableOf, contents, Markdown }) {
  function CommonHeaders() {
    return h(
      'div',
      { className: 'common-headers table-container' },
      tableOf(
        ['Field', 'What it says'],
        commonHeadersOf(contents()).map(({ name, header }) =>
          h(
            'tr',
            { key: name },
            h('th', { scope: 'row' }, h('code', null, name)),
            h('td', null, h(Markdown, { source: header.description })),
          ),
        ),
      ),
    )
  }
  return { components: { CommonHeaders } }
}
