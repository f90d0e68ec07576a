/** @import { Operation } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { Part, Reply } from '../swagger-ui/types.js' */
import { addressOf } from '../basics/addresses.js'
import { sampleRequest } from '../code/sample-request.js'
import { writtenSample } from '../code/samples.js'
import { firstCallOf } from '../document/chapters.js'
import { quotaOf } from '../key/quota.js'

/**
 * A first call at the top of the page: the field for the key, the call as a line of curl, and its reply.
 * @param {Tools} tools
 * @returns {Part}
 */
export function firstCallPart({ React, h, ui, contents, component }) {
  /** @type {Reply | undefined} */
  const none = undefined

  function FirstCall() {
    const operation = firstCallOf(contents())
    const [reply, setReply] = React.useState(none)
    const authorized = ui().authSelectors.authorized().toJS()
    const credentials = JSON.stringify(authorized)
    const { shown, copied } = React.useMemo(
      () =>
        operation ? writtenSample(operation, contents(), ui, authorized, 'curl') : { shown: '', copied: '' },
      [operation, credentials],
    )
    // A reply belongs to the credentials that it was asked for with.
    React.useEffect(() => setReply(undefined), [credentials])
    if (!operation) return null
    const send = async () => {
      const next = await replyTo(operation, authorized)
      setReply(next)
      const quota = quotaOf(next.headers)
      if (quota) ui().quotaActions.observe(quota)
    }
    const [success] = operation.responses
    return h(
      'section',
      { className: 'first-call', 'aria-labelledby': 'first-call' },
      h('h2', { id: 'first-call', 'data-place': 'first-call' }, 'Your first call'),
      h(
        'div',
        { className: 'first-call-request' },
        h(component('KeyFields'), { operation }),
        h(component('Code'), {
          text: shown,
          copied,
          label: `First call: ${operation.id}`,
          language: 'curl',
          head: h('a', { href: addressOf(operation) }, operation.title),
        }),
        isHere(copied) &&
          h('button', { type: 'button', className: 'btn execute', onClick: send }, 'Send this call'),
      ),
      h(
        'div',
        { className: 'first-call-reply' },
        reply && h(component('Answer'), { reply, operation, hasKeyField: true }),
        !reply &&
          success &&
          h(component('Examples'), {
            response: success.response,
            status: success.status,
            operation,
            label: 'First reply: example',
          }),
      ),
    )
  }

  /**
   * Calls an operation with its sample values.
   * @param {Operation} operation
   * @param {Parameters<typeof sampleRequest>[3]} authorized
   * @returns {Promise<Reply>}
   */
  async function replyTo(operation, authorized) {
    const { url, headers } = sampleRequest(operation, contents(), ui, authorized)
    const begun = performance.now()
    try {
      const reply = await fetch(url, { headers: Object.fromEntries(headers) })
      const text = await reply.text()
      const duration = Math.round(performance.now() - begun)
      return { url, status: reply.status, headers: Object.fromEntries(reply.headers), text, duration }
    } catch (error) {
      return { url, headers: {}, message: String(error) }
    }
  }

  return { components: { FirstCall } }
}

/**
 * Whether code calls the origin of the page. The page's policy allows it no other.
 * @param {string} code
 */
const isHere = code => code.includes(`${location.origin}/`)
