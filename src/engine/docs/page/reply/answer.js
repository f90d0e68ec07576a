/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part, Reply } from '../swagger-ui/types.js' */
import { count, duration } from '../basics/words.js'
import { codesIn } from '../document/codes.js'
import { membersOf, parsed } from '../document/media.js'

/**
 * The reply to a request from the page: its status, its error in words and its body. Its header fields are folded.
 * @param {Tools} tools
 * @returns {Part}
 */
export function answerPart({ React, h, ui, contents, component }) {
  /** @param {Components['Answer']} props */
  function Answer({ reply, operation, isEarlier = false, hasKeyField = false }) {
    const { url, status, headers, text, duration: taken, message } = reply
    const error = errorIn(reply)
    const shown =
      text &&
      h(component('responseBody'), {
        content: text,
        contentType: headers['content-type'],
        url,
        headers,
        getConfigs: ui().getConfigs,
        getComponent: component,
      })
    const isKeyless = ui().authSelectors.authorized().size === 0
    const isOfAddress = status === 429 && isKeyless && Boolean(contents().document['x-rate-limits']?.plans)
    return h(
      'div',
      { className: 'answer', 'aria-live': 'polite' },
      h(
        'div',
        { className: 'samples-head' },
        h('h4', null, 'Reply'),
        status && h('span', { className: `status status-${String(status)[0]}` }, status),
        taken !== undefined && h('span', { className: 'hint' }, `${taken} ms`),
      ),
      isEarlier && h('p', { className: 'earlier' }, 'This is the reply to the earlier request.'),
      !status && h('p', { className: 'refusal' }, `There is no reply${reasonIn(message)}: ${whatToDo(url)}`),
      error && h(Refusal, { error, headers }),
      isOfAddress &&
        h('p', null, 'Calls without a key share the quota of their address. A key has a quota of its own.'),
      !hasKeyField &&
        (status === 401 || isOfAddress) &&
        h(component('KeyFields'), { operation, isRefused: status === 401 && !isEarlier }),
      // The body repeats an error that is in words already, so it is closed at first.
      error ? h('details', null, h('summary', null, 'The body of this reply'), shown) : shown,
      h(RequestId, { headers }),
      h('p', { className: 'request-url' }, h('code', null, url)),
      h(HeaderFields, { headers }),
    )
  }

  /**
   * An error: its code with a link to its description, the faults of the request, and the time to wait.
   * @param {{ error: ReplyError, headers: Headers }} props
   */
  function Refusal({ error: { code, message, details }, headers }) {
    const isKnown = codesIn(contents()).some(known => known.code === code)
    const name = h('code', null, String(code))
    return h(
      'div',
      { className: 'refusal' },
      h('p', null, isKnown ? h('a', { href: `#errors/${code}` }, name) : name, ` ${message}`),
      details.length > 0 &&
        h(
          'ul',
          { className: 'details' },
          details.map((detail, i) =>
            h(
              'li',
              { key: i },
              Boolean(detail.path) && h('code', null, String(detail.path)),
              ' ',
              String(detail.message),
            ),
          ),
        ),
      headers['retry-after'] &&
        h(RetryAfter, { key: String(headers['x-request-id']), value: String(headers['retry-after']) }),
    )
  }

  /** @param {{ headers: Headers }} props */
  const RequestId = ({ headers: { 'x-request-id': requestId } }) =>
    requestId &&
    h(
      'p',
      { className: 'request-id' },
      'Request ',
      h('code', null, requestId),
      h('span', { className: 'hint' }, ' name it when you ask for help'),
    )

  /**
   * Counts down to the time of the next try (RFC 9110, section 10.2.3).
   * @param {{ value: string }} props
   */
  function RetryAfter({ value }) {
    const [until] = React.useState(() =>
      /^\d+$/.test(value) ? Date.now() + Number(value) * 1000 : Date.parse(value),
    )
    const [now, setNow] = React.useState(Date.now())
    React.useEffect(() => {
      const timer = setInterval(() => setNow(Date.now()), 1000)
      return () => clearInterval(timer)
    }, [])
    if (Number.isNaN(until)) return null
    const seconds = Math.ceil((until - now) / 1000)
    return h(
      'p',
      { className: 'retry-after' },
      seconds > 0 ? `Try again in ${duration(seconds)}.` : 'You may try again now.',
    )
  }

  /**
   * The header fields of a reply. Those on the rate limit stand together.
   * @param {{ headers: Headers }} props
   */
  function HeaderFields({ headers }) {
    // Swagger UI makes a list of any value with a comma, dates included.
    const fields = Object.entries(headers).map(([name, value]) => ({
      name,
      value: [value].flat().join(', '),
    }))
    /** @param {{ name: string }} field */
    const isOfLimit = ({ name }) => /^(x-)?ratelimit|^retry-after$/i.test(name)
    const groups = [fields.filter(field => !isOfLimit(field)), fields.filter(isOfLimit)]
    if (fields.length === 0) return null
    return h(
      'details',
      null,
      h('summary', null, count(fields.length, 'header field')),
      h(
        'table',
        { className: 'header-fields' },
        groups.map((group, i) =>
          h(
            'tbody',
            { key: i },
            group.map(({ name, value }) =>
              h('tr', { key: name }, h('th', { scope: 'row' }, name), h('td', null, value)),
            ),
          ),
        ),
      ),
    )
  }

  /**
   * Why the page can't try an operation, if the document says so.
   * @param {Components['TryItHint']} props
   */
  function TryItHint({ operation }) {
    if (!operation.operation['x-hideTryItPanel']) return null
    return h(
      'p',
      { className: 'no-try-it hint' },
      'This operation can’t be tried from here: its document asks for that. Use the code below.',
    )
  }

  /**
   * The text in the body of a reply.
   * @param {Components['HighlightCode']} props
   */
  const HighlightCode = ({ children, language, downloadable, fileName }) =>
    h(component('Code'), {
      text: String(children ?? ''),
      language: language ?? 'text',
      label: 'Body of the reply',
      fileName: downloadable ? (fileName ?? 'reply.txt') : undefined,
    })

  return { components: { Answer, HighlightCode, TryItHint } }
}

/**
 * The browser's reason, without the guesses that Swagger UI adds.
 * @param {string} [message]
 */
function reasonIn(message = '') {
  const reason = message.split('**').find(text => text.trim() !== '')
  return reason ? ` (${reason.trim().replace(/\.$/, '')})` : ''
}

/** @param {string} url */
function whatToDo(url) {
  if (!navigator.onLine) return 'this computer is offline. Send it again once it is online.'
  const { origin } = URL.parse(url, location.href) ?? location
  return origin === location.origin
    ? 'see whether the service runs, and send it again.'
    : `see whether ${origin} can be reached, and allows this page to call it (CORS).`
}

/** @typedef {Reply['headers']} Headers */

/**
 * An error of a reply, with the faults of the request.
 * @typedef {object} ReplyError
 * @property {unknown} code
 * @property {string} message
 * @property {{ path?: unknown, message?: unknown }[]} details
 */

/**
 * Returns the error in a reply whose form this page can say in words; undefined for any other reply.
 * @param {Reply} reply
 * @returns {ReplyError | undefined}
 */
function errorIn({ status, text = '' }) {
  const { code, message, details } = membersOf(parsed(text))
  if (!(Number(status) >= 400) || !code || typeof message !== 'string') return undefined
  const faults = Array.isArray(details) ? details.map(membersOf).filter(fault => fault.message) : []
  return { code, message, details: faults }
}
