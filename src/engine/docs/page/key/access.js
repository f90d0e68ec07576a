/** @import { FormEvent } from 'react' */
/** @import { Operation } from '../document/types.js' */
/** @import { Components } from '../swagger-ui/components.js' */
/** @import { Tools } from '../swagger-ui/tools.js' */
/** @import { KeyState, Part } from '../swagger-ui/types.js' */
import { duration, labelOf, numeral, slugOf } from '../basics/words.js'
import { sampleRequest } from '../code/sample-request.js'
import { chapterWith } from '../document/chapters.js'
import { codesIn } from '../document/codes.js'
import { membersOf, parsed } from '../document/media.js'
import { isText, securityOf, securitySchemesOf, whereOf } from '../document/security.js'
import { faultOfKey, keyIn } from './check-digits.js'

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
          { key: name, className: 'access-scheme', 'aria-label': name },
          schemes.length > 1 && h('h3', { id: slugOf(`access ${name}`) }, name),
          h('p', null, whereOf(scheme)),
          scheme.description && h(Markdown, { source: scheme.description }),
          h(KeyField, { name, scheme, place: 'chapter' }),
        ),
      ),
    )
  }

  /**
   * The fields for an operation's credentials.
   * @param {Components['KeyFields']} props
   */
  function KeyFields({ operation, isRefused }) {
    const schemes = securitySchemesOf(contents())
    const asked = securityOf(operation, contents())
    const names = [...new Set(asked.flatMap(requirement => Object.keys(requirement)))]
    return names.map(name => {
      const scheme = schemes[name]
      return scheme && h(KeyField, { key: name, name, scheme, isRefused })
    })
  }

  /**
   * The given credential, or the way to give one. A wrong one keeps its text, with its fault below.
   * @param {Components['KeyField']} props
   */
  function KeyField({ name, scheme, isRefused = false, place = 'page' }) {
    const credential = ui().authSelectors.authorized().toJS()[name]
    const { asked, status } = ui().keySelectors.state()
    const [written, setWritten] = React.useState(/** @type {string | undefined} */ (undefined))
    const [misfit, setMisfit] = React.useState(/** @type {string | undefined} */ (undefined))
    const id = React.useId()
    const isAsking = Boolean(credential) && asked && status === undefined
    const isWrong = Boolean(credential) && (isRefused || status === 401)
    const forget = () => {
      setWritten(undefined)
      ui().authActions.logoutWithPersistOption([name])
    }
    const forgetButton = h('button', { type: 'button', className: 'btn', onClick: forget }, 'Forget it')
    if (credential && (!isText(scheme) || !(isAsking || isWrong)))
      return h('div', { className: 'given' }, h(KeyState), forgetButton)
    const openDialog = () => ui().authActions.showDefinitions(ui().authSelectors.definitionsToAuthorize())
    if (!isText(scheme))
      return h('button', { type: 'button', className: 'btn', onClick: openDialog }, 'Authorize')
    const given = typeof credential?.value === 'string' ? credential.value : ''
    const text = written ?? given
    /** @param {FormEvent} event */
    const onSubmit = event => {
      event.preventDefault()
      const value = keyIn(text, name)
      const fault = faultOfKey(value, name)
      setWritten(value)
      setMisfit(fault)
      if (fault) return
      ui().authActions.authorizeWithPersistOption({ [name]: { name, schema: scheme, value } })
    }
    const isFaulty = Boolean(misfit) || (isWrong && text === given)
    const chapter = chapterWith(contents(), 'Access')
    const noun = scheme.type === 'apiKey' ? 'key' : 'token'
    return h(
      'form',
      { className: 'paste', onSubmit },
      h('label', { htmlFor: id }, noun === 'key' ? 'Your API key' : 'Your token'),
      h('input', {
        id,
        type: 'password',
        autoComplete: 'off',
        autoFocus: place === 'dialog',
        spellCheck: false,
        required: true,
        value: text,
        'aria-invalid': isFaulty,
        'aria-describedby': `${id}-fault`,
        onChange: event => {
          setWritten(event.target.value)
          setMisfit(undefined)
        },
      }),
      h('button', { type: 'submit', className: 'btn execute' }, `Use this ${noun}`),
      isWrong && forgetButton,
      h(
        'p',
        { id: `${id}-fault`, className: isFaulty ? 'field-fault' : 'hint', role: 'status' },
        misfit ?? (isFaulty ? h(Refusal, { noun }) : isAsking && `Asking what the ${noun} may do…`),
      ),
      h(
        'p',
        { className: 'hint' },
        place !== 'dialog' && 'It stays in this tab. ',
        chapter &&
          place !== 'chapter' &&
          h(
            'a',
            { href: `#${chapter}`, onClick: () => ui().authActions.showDefinitions(false) },
            'How to get one',
          ),
      ),
    )
  }

  /**
   * Why the service refuses the credential.
   * @param {{ noun: string }} props
   */
  function Refusal({ noun }) {
    const body = membersOf(ui().keySelectors.state().body)
    const isListed = codesIn(contents()).some(({ code }) => code === body.code)
    return h(
      React.Fragment,
      null,
      `The ${noun} is refused`,
      typeof body.message === 'string' ? `: ${body.message} ` : '. ',
      isListed && h('a', { href: `#errors/${body.code}` }, 'What to do'),
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
    if (status >= 400 || status === 0)
      return h(
        'p',
        { className: 'key-state refused', role: 'status' },
        status === 0 ? 'The service does not answer.' : h(Refusal, { noun: 'key' }),
        retryAfter && ` Try again in ${duration(Number(retryAfter))}.`,
      )
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
  return { components: { Access, KeyField, KeyFields, KeyState }, statePlugins }
}

/**
 * A store of Immutable.js, which keeps the state as it is.
 * @typedef {object} KeyStore
 * @property {(name: 'state') => KeyState | undefined} get
 * @property {(name: 'state', state: KeyState) => KeyStore} set
 */
