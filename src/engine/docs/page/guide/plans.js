/** @import { Plan } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part } from '../swagger-ui/types.js' */
import { duration, numeral } from '../basics/words.js'

/**
 * The plans of `x-rate-limits`.
 * @param {Tools} tools
 * @returns {Part}
 */
export function plansPart({ h, tableOf, contents }) {
  /** The plans of `x-rate-limits`, a row each, and the ban of callers that do not stop. */
  function Plans() {
    const { windows = [], plans = {}, anonymous, ban } = contents().document['x-rate-limits'] ?? {}
    return h(
      'section',
      { className: 'plans', 'aria-labelledby': 'plans' },
      h('h3', { id: 'plans' }, 'Plans'),
      tableOf(
        ['Plan', ...windows.map(({ name }) => `Requests per ${name}`)],
        Object.entries(plans).map(([plan, quota]) =>
          h(
            'tr',
            { key: plan },
            h('th', { scope: 'row' }, plan),
            windows.map(({ name }) => h('td', { key: name }, allowanceOf(quota, name))),
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

  return { components: { Plans } }
}

/**
 * @param {Plan} plan
 * @param {string} window
 */
function allowanceOf(plan, window) {
  if ('custom' in plan) return 'custom'
  const number = plan[window]
  return number === undefined ? '' : numeral(number)
}
