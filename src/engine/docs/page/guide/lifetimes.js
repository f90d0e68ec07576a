/** @import { OpenApi } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { duration, labelOf } from '../basics/words.js'

/**
 * The lengths of time (`x-lifetimes`) as a chapter of the guide, and the numbers of the document in its texts.
 * @param {Tools} tools
 * @returns {Part}
 */
export function lifetimesPart({ h, tableOf, contents }) {
  function Lifetimes() {
    const rows = Object.entries(contents().document['x-lifetimes'] ?? {}).map(([name, { seconds }]) =>
      h('tr', { key: name }, h('th', { scope: 'row' }, labelOf(name)), h('td', null, duration(seconds))),
    )
    return tableOf(['What', 'How long'], rows)
  }

  /**
   * Any text. It shows a number of the document in place of the number's name.
   * @type {Part['wrapComponents']}
   */
  const wrapComponents = {
    Markdown: Original => props =>
      h(Original, { ...props, source: withNumbers(props.source, contents().document) }),
  }

  return { components: { Lifetimes }, wrapComponents }
}

/**
 * Replaces the names in `x-lifetimes` and `x-request-bounds` in a text by their values, and `x-rate-limits` by a link to
 * the plans.
 * @param {string | undefined} source
 * @param {OpenApi} document
 */
function withNumbers(source, document) {
  const lifetimes = document['x-lifetimes'] ?? {}
  const bounds = document['x-request-bounds'] ?? {}
  const text = String(source ?? '')
    .replace(/`(\w+)` in `x-lifetimes`/g, (whole, /** @type {string} */ name) =>
      lifetimes[name] ? duration(lifetimes[name].seconds) : whole,
    )
    .replace(
      /`(\w+)` in `x-request-bounds`/g,
      (whole, /** @type {string} */ name) => bounds[name]?.toLocaleString('en') ?? whole,
    )
  return document['x-rate-limits']?.plans
    ? text.replace(/(`\w+` in )?`x-rate-limits`/g, '[the table of plans](#plans)')
    : text
}
