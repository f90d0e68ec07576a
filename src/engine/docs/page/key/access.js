/** @import { FormEvent } from 'react' */
/** @import { Operation, SecurityScheme } from '../document/types.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { KeyState, Part } from '../swagger-ui/types.js' */
import { duration, labelOf, numeral, slugOf } from '../basics/words.js'
import { sampleRequest } from '../code/sample-request.js'
import { codesIn } from '../document/codes.js'
import { membersOf, parsed } from '../document/media.js'
import { securityOf, securitySchemesOf, whereOf } from '../document/security.js'

/**
 * Access: the provider of credentials, the field to paste one into, and the rights of the given one.
 * @param {Tools} tools
 * @returns {Part}
 */
export function accessPart({ React, h, ui, contents, Markdown }) {
  /** Ways of authentication, and a field for each credential that is one text. */
  function Access() {
    const schemes = Object.entries(securitySchemesOf(contents()))
    return h(
      'div',
      { className: 'access' },
      schemes.map(([name, scheme]) =>
        h(
          'section',
          { key: name, className: 'access-scheme', 'aria-labelledby': slugOf(`access ${name}`) },
          h('h3', { id: slugOf(`access ${name}`) }, schemes.length > 1 ? name : 'Your key'),
          h('p', null, whereOf(scheme)),
          scheme.description && h(Markdown, { source: scheme.description }),
          h(Given, { name, scheme }),
        ),
      ),
    )
  }

  /**
   * The fields for an operation's credentials, shown where a reply says that they are missing.
   * @param {{ operation: Operation }} props
   */
  function KeyFields({ operation }) {
    const schemes = securitySchemesOf(contents())
    const asked = securityOf(operation, contents())
    const names = [...new Set(asked.flatMap(requirement => Object.keys(requirement)))]
    return names.map(name => {
      const scheme = schemes[name]
      return scheme && h(Given, { key: name, name, scheme, label: 'Your key; it stays in this tab' })
    })
  }

  /**
   * The given credential, or the way to give one.
   * @param {{ name: string, scheme: SecurityScheme, label?: string }} props
   */
  function Given({ name, scheme, label = 'Paste it here; it stays in this tab' }) {
    const isGiven = Boolean(ui().authSelectors.authorized().get(name))
    const [value, setValue] = React.useState('')
    const id = React.useId()
    const isText =
      scheme.type === 'apiKey' || (scheme.type === 'http' && /^bearer$/i.test(scheme.scheme ?? ''))
    if (isGiven)
      return h(
        'div',
        { className: 'given' },
        h(KeyState),
        h(
          'button',
          {
            type: 'button',
            className: 'btn',
            onClick: () => ui().authActions.logoutWithPersistOption([name]),
          },
          'Forget it',
        ),
      )
    if (!isText)
      return h(
        'button',
        {
          type: 'button',
          className: 'btn',
          onClick: () => ui().authActions.showDefinitions(ui().authSelectors.definitionsToAuthorize()),
        },
        'Authorize',
      )
    /** @param {FormEvent} event */
    const onSubmit = event => {
      event.preventDefault()
      const schema = ui().specSelectors.securityDefinitions().get(name)
      ui().authActions.authorizeWithPersistOption({ [name]: { name, schema, value: value.trim() } })
      setValue('')
    }
    return h(
      'form',
      { className: 'paste', onSubmit },
      h('label', { htmlFor: id }, label),
      h('input', {
        id,
        type: 'password',
        autoComplete: 'off',
        spellCheck: false,
        required: true,
        value,
        onChange: event => setValue(event.target.value),
      }),
      h('button', { type: 'submit', className: 'btn execute' }, 'Use it'),
    )
  }

  /** The service's answer about the credential: its rights and remaining quota, or why it is refused. */
  function KeyState() {
    const state = ui().keySelectors.state()
    if (!state.asked)
      return h('p', { className: 'key-state' }, 'The key is sent with each request from this page.')
    if (state.status === undefined)
      return h('p', { className: 'key-state', role: 'status' }, 'Asking what it may do…')
    const { status, retryAfter } = state
    const body = membersOf(state.body)
    if (status >= 400 || status === 0) {
      const isKnown = codesIn(contents()).some(({ code }) => code === body.code)
      return h(
        'p',
        { className: 'key-state refused', role: 'status' },
        status === 0 ? 'The service does not answer. ' : 'The key is refused: ',
        typeof body.message === 'string' && body.message,
        ' ',
        isKnown && h('a', { href: `#errors/${body.code}` }, 'What to do'),
        retryAfter && ` Try again in ${duration(Number(retryAfter))}.`,
      )
    }
    return h(
      'div',
      { className: 'key-state', role: 'status' },
      h(
        'dl',
        null,
        Object.entries(body).flatMap(([name, value]) => linesOf(name, value)),
      ),
    )
  }

  /**
   * A line for each text or list of texts, and for each window of a quota.
   * @param {string} name
   * @param {unknown} value
   */
  const linesOf = (name, value) => {
    /**
     * @param {string} label
     * @param {string} text
     */
    const line = (label, text) => h('div', { key: label }, h('dt', null, label), h('dd', null, text))
    if (typeof value === 'string' && value !== '') return [line(labelOf(name), value)]
    if (!Array.isArray(value) || value.length === 0) return []
    if (value.every(one => typeof one === 'string')) return [line(labelOf(name), value.join(', '))]
    return value.flatMap(window => {
      const { name: unit, limit, remaining, reset } = membersOf(window)
      if (typeof limit !== 'number' || typeof remaining !== 'number') return []
      const seconds = Math.ceil(Number(reset) - Date.now() / 1000)
      const soon = seconds > 0 ? `, all again in ${duration(seconds)}` : ''
      return [line(`Left this ${unit}`, `${numeral(remaining)} of ${numeral(limit)}${soon}`)]
    })
  }

  /** Calls the operation that describes its caller, if the document has one. It costs no quota. */
  const ask = async () => {
    const operation = contents().operations.find(describesCaller)
    const authorized = ui().authSelectors.authorized().toJS()
    if (!operation || Object.keys(authorized).length === 0) return ui().keyActions.note({ asked: false })
    ui().keyActions.note({ asked: true, status: undefined })
    const { url, headers } = sampleRequest(operation, contents(), ui, authorized)
    try {
      const reply = await fetch(url, { headers: Object.fromEntries(headers) })
      const body = parsed(await reply.text())
      return ui().keyActions.note({
        asked: true,
        status: reply.status,
        body,
        retryAfter: reply.headers.get('retry-after'),
      })
    } catch {
      return ui().keyActions.note({ asked: true, status: 0 })
    }
  }

  /** @param {Operation} operation */
  const describesCaller = operation => {
    const { method, parameters } = operation
    return (
      method === 'get' &&
      Boolean(operation.operation['x-quota-free']) &&
      securityOf(operation, contents()).some(requirement => Object.keys(requirement).length > 0) &&
      !parameters.some(({ required }) => required)
    )
  }

  /**
   * @template Payload, Result
   * @param {(payload: Payload) => Result} original
   * @returns {(payload: Payload) => Result}
   */
  const thenAsk = original => payload => {
    const result = original(payload)
    ask()
    return result
  }
  const statePlugins = {
    auth: { wrapActions: { authorize: thenAsk, logout: thenAsk, restoreAuthorization: thenAsk } },
    key: {
      actions: { note: (/** @type {KeyState} */ payload) => ({ type: 'key_note', payload }) },
      reducers: {
        key_note: (/** @type {KeyStore} */ store, /** @type {{ payload: KeyState }} */ { payload }) =>
          store.set('state', payload),
      },
      selectors: { state: (/** @type {KeyStore} */ store) => store.get('state') ?? { asked: false } },
    },
  }
  return { components: { Access, KeyFields, KeyState }, statePlugins }
}

/**
 * A store of Immutable.js, which keeps the state as it is.
 * @typedef {object} KeyStore
 * @property {(name: 'state') => KeyState | undefined} get
 * @property {(name: 'state', state: KeyState) => KeyStore} set
 */
