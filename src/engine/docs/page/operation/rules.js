/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { served } from '../basics/served.js'
import { codesIn } from '../document/codes.js'

/**
 * The rules between records (`x-effects`) of an operation, a sentence each.
 * @param {Tools} tools
 * @returns {Part}
 */
export function rulesPart({ h, contents, operationAt, Markdown }) {
  /** @param {Components['Rules']} props */
  function Rules({ path, method }) {
    const rules = served.rules[operationAt(path, method)?.operationId ?? ''] ?? []
    if (rules.length === 0) return null
    const codes = new Set(codesIn(contents()).map(({ code }) => code))
    /** @param {string} rule */
    const linked = rule =>
      rule.replace(/`(\w+)`/g, (whole, /** @type {string} */ code) =>
        codes.has(code) ? `[${whole}](#errors/${code})` : whole,
      )
    return h(
      'div',
      { className: 'rules' },
      h('h4', null, 'Rules'),
      h(
        'ul',
        null,
        rules.map(rule => h('li', { key: rule }, h(Markdown, { source: linked(rule) }))),
      ),
    )
  }

  return { components: { Rules } }
}
