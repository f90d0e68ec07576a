/** The rest of the reader's quota. */
function quotaPart({ React, h, ui }) {
  /** The rest of the caller's quota by the last response. It is empty before the first response. */
  function Quota() {
    const { limit, remaining, reset } = ui().quotaSelectors.latest()
    const [now, setNow] = React.useState(Date.now())
    const [isDismissed, setDismissed] = React.useState(false)
    React.useEffect(() => {
      setNow(Date.now())
      const timer = setInterval(() => setNow(Date.now()), 1000)
      return () => clearInterval(timer)
    }, [reset, remaining])
    if (limit === undefined || isDismissed) return null
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
        h('strong', null, numeral(remaining)),
        ` of ${numeral(limit)} left, `,
        seconds > 0 ? `resets in ${duration(seconds)}` : 'reset by now',
      ),
      h('button', { type: 'button', 'aria-label': 'Don’t show this', onClick: () => setDismissed(true) }),
    )
  }

  const statePlugins = {
    spec: {
      wrapActions: {
        setResponse: original => (path, method, response) => {
          const quota = quotaOf(response.headers ?? response.err?.response?.headers ?? {})
          if (quota) ui().quotaActions.observe(quota)
          return original(path, method, response)
        },
      },
    },
    quota: {
      actions: { observe: quota => ({ type: 'quota_observe', payload: quota }) },
      reducers: { quota_observe: (state, { payload }) => state.merge(payload) },
      selectors: { latest: state => state.toJS() },
    },
  }
  return { components: { Quota }, statePlugins }
}

/** Returns the quota that a response's headers tell, if they do; `reset` is in Unix seconds. */
function quotaOf(headers) {
  const read = name => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
  const quota = { limit: read('limit'), remaining: read('remaining'), reset: read('reset') }
  return Object.values(quota).some(Number.isNaN) ? undefined : quota
}
