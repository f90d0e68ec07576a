/** The plans of `x-rate-limits`. */
function plansPart({ h, contents }) {
  /** The plans of `x-rate-limits`, a row each, and the ban of callers that do not stop. */
  function Plans() {
    const { windows, plans, anonymous, ban } = contents().document['x-rate-limits']
    return h(
      'section',
      { className: 'plans', 'aria-labelledby': 'plans' },
      h('h3', { id: 'plans' }, 'Plans'),
      tableOf(
        h,
        ['Plan', ...windows.map(({ name }) => `Requests per ${name}`)],
        Object.entries(plans).map(([name, quota]) =>
          h(
            'tr',
            { key: name },
            h('th', { scope: 'row' }, name),
            windows.map(window =>
              h('td', { key: window.name }, quota.custom ? 'custom' : numeral(quota[window.name])),
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

  return { components: { Plans } }
}
