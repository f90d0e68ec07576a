/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { ImmutableMap, Part, Quota } from '../swagger-ui/types.js' */
import { duration, numeral } from '../basics/words.js'

/**
 * The rest of the reader's quota.
 * @param {Tools} tools
 * @returns {Part}
 */
export function quotaPart({ React, h, ui }) {
  /** The rest of the caller's quota by the last response. It is empty before the first response. */
  function Quota() {
    const { limit, remaining = 0, reset = 0 } = ui().quotaSelectors.latest()
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
        /** @param {(path: string, method: string, response: Response) => unknown} original */
        setResponse:
          original =>
          (/** @type {Parameters<typeof original>} */ ...values) => {
            const [, , response] = values
            const quota = quotaOf(response.headers ?? response.err?.response?.headers ?? {})
            if (quota) ui().quotaActions.observe(quota)
            return original(...values)
          },
      },
    },
    quota: {
      actions: { observe: (/** @type {Quota} */ payload) => ({ type: 'quota_observe', payload }) },
      reducers: {
        quota_observe: (/** @type {QuotaStore} */ store, /** @type {{ payload: Quota }} */ { payload }) =>
          store.merge(payload),
      },
      selectors: { latest: (/** @type {QuotaStore} */ store) => store.toJS() },
    },
  }
  return { components: { Quota }, statePlugins }
}

/**
 * Returns the quota that the header fields of a reply say, if they do.
 * @param {Headers} headers
 * @returns {Quota | undefined}
 */
export function quotaOf(headers) {
  /** @param {string} name */
  const read = name => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN)
  const quota = { limit: read('limit'), remaining: read('remaining'), reset: read('reset') }
  return Object.values(quota).some(Number.isNaN) ? undefined : quota
}

/** @typedef {ImmutableMap<Quota>} QuotaStore */
/** @typedef {Record<string, unknown>} Headers */
/**
 * A reply, or the error that came instead.
 * @typedef {{ headers?: Headers, err?: { response?: { headers?: Headers } } }} Response
 */
